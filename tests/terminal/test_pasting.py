"""Scripts that are pasted at the prompt: obeyed line by line, with their answers, until one fails."""

from types import SimpleNamespace

import pytest
from prompted import Prompted
from terminals import PREDATOR, journal_of
from terminals import folders_of_runs as runs

from parfit.session.console import Console
from parfit.terminal.prompt import Terminal

CTRL_C = "\x03"
PASTE, PASTED = "\x1b[200~", "\x1b[201~"


@pytest.fixture
def small(tmp_path):
    with Prompted(tmp_path, *PREDATOR) as opened:
        opened.see(r"^predator-prey \|")
        yield opened


def pasted(text):
    return PASTE + text + PASTED + "\r"


def test_a_script_is_pasted(small, tmp_path):
    small.type(
        pasted("# a script\nSET p1 3   # larger\n\nSET\n# the answers\n2 4\n0\nFREEZE p3\nNOTE done # so far\n")
    )
    small.see(r"5 of 6 active|5/6 active")
    assert journal_of(*runs(tmp_path)) == ["SET p1 3", "SET p2 4", "FREEZE p3", "NOTE done # so far"]


def test_a_command_that_follows_is_no_answer(small, tmp_path):
    small.type(pasted("INTEG N\nPLOT\n1\nFREEZE p3\nSET 1 3"))
    small.see(r"5 of 6 active|5/6 active")
    assert journal_of(*runs(tmp_path))[-2:] == ["FREEZE p3", "SET p1 3"]


def test_a_pasted_command_that_fails_ends_the_script(small, tmp_path):
    small.type(pasted("SET p1 3\nSET p9 4\nSET p2 5\n# nothing\nSET p3 6\n"))
    seen = small.see("left out")
    assert "pasted:2: 'p9' is no parameter" in seen
    assert "2 pasted lines left out" in seen
    small.type("SET p4 7\r")
    small.see(r"^4  p4 +7 ")
    assert journal_of(*runs(tmp_path)) == ["SET p1 3", "SET p4 7"]


def test_what_a_paste_leaves_open_is_asked(small, tmp_path):
    small.type(pasted("FREEZE p3\nSET\n1 3\n2"))
    small.see(r"^: $|^:$")
    small.type("x\r")
    assert "'x' is not a number" in small.see("not a number[\\s\\S]*^:")
    small.type("5\r\r")
    small.see(r"^2  p2 +5 ")
    assert journal_of(*runs(tmp_path)) == ["FREEZE p3", "SET p1 3 p2 5"]


def test_answers_are_pasted_at_a_question(small, tmp_path):
    small.type("SET\r")
    small.see("^:")
    small.type(pasted("1 3\n# the next\n2 4\n0\nFREEZE p3\nSET p4 5"))
    small.see(r"^4  p4 +5 ")
    assert journal_of(*runs(tmp_path)) == ["SET p1 3 p2 4", "FREEZE p3", "SET p4 5"]


def test_a_wrong_answer_drops_what_was_pasted_with_it(small, tmp_path):
    small.type("SET\r")
    small.see("^:")
    small.type(pasted("1 3\nINTEG N\nFREEZE p3\n# nothing\nSET p4 5"))
    seen = small.see("left out[\\s\\S]*:$")
    assert seen.count("INTEG N") == 2, "as it was pasted, and as the command that it is"
    assert "2 pasted lines left out" in seen
    small.type("2 4\r\r")
    small.see(r"^2  p2 +4 ")
    assert journal_of(*runs(tmp_path)) == ["SET p1 3 p2 4"]


def test_a_paste_that_ends_with_the_text_of_a_model(small, tmp_path):
    small.type(pasted("SET p1 3\nMODEL TEXT\n| par k=.5\n| x'=-k*x # decay\n| x(0)=1\n"))
    small.see(r"1 active")
    assert journal_of(*runs(tmp_path))[:3] == ["SET p1 3", "MODEL TEXT", "| par k=.5"]


def test_ctrl_c_ends_what_was_pasted(tmp_path):
    (tmp_path / "long.ode").write_text("par a=1e6\nx'=-a*(x-cos(t))\nx(0)=1\ndone\n")
    with Prompted(tmp_path, "long.ode") as session:
        session.see(r"^long \|")
        settings = "OPTION PROCEDURE GEAR METHOD ADAMS EPS 1e-6 HMIN 0 HMAX 1e-7\nSAMPLE MESH 10000 5e-3\n"
        session.type(pasted(f"{settings}INTEG Y\nSET a 3\nSET a 4"))
        session.see("^> INTEG Y", busy=True)
        session.type(CTRL_C)
        assert "interrupted; nothing was changed" in session.see("2 pasted lines left out")
        session.type("SET a 5\r")
        session.see(r"^1  a +5 ")


def test_a_pasted_quit_quits(small):
    small.type(pasted("SET p1 3\nQUIT 0\nSET p2 4\n"))
    assert small.end() == 0


def test_a_paste_of_garbage(small, tmp_path):
    small.type(b"\x1b[200~\x00\x01\xff\xfe\x1b[31m\x1b]0;title\x07\nSET p1 3\n\x1b[201~\r")
    small.see("left out")
    small.type("ECHO 1\r")
    small.type(b"\xff\xfe \xf0\x9f\x98 xyz\r")
    small.see("there is no command")
    small.type("SET p1 4\r")
    small.see(r"^1  p1 +4 ")


def test_ctrl_c_between_two_pasted_commands(monkeypatch, capsys):
    """Whenever it is pressed: what is not obeyed is said, and the session goes on."""

    def interrupted(source):
        source.read("> ")
        raise KeyboardInterrupt

    typed = iter(["SET a 3\nSET a 4\nSET a 5", "SET a 6"])
    monkeypatch.setattr("parfit.terminal.prompt.is_capable", lambda: False)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(reconfigure=lambda errors: None))
    monkeypatch.setattr(Terminal, "_typed", lambda self, prompt, asking, placeholder: next(typed))
    terminal = Terminal(Console(), "> ", obey=interrupted)
    assert terminal.read("> ") == "SET a 6"
    said = "".join(capsys.readouterr())
    assert "interrupted; nothing was changed" in said
    assert "2 pasted lines left out" in said
