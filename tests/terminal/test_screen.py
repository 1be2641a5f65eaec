"""The prompt on a screen: what is seen after each key, at terminals of many kinds."""

import re
import sys

import numpy as np
import pytest
from prompted import Prompted
from scipy.integrate import solve_ivp
from terminals import DUMB_PROMPT, DUMB_QUESTION, MODELS, PREDATOR, PROMPT, Session, environment, journal_of, parfit
from terminals import folders_of_runs as runs

ENZYME = str(MODELS / "enzyme.ode")
SIZES = [(24, 80), (50, 200)]
TAB, CTRL_C, CTRL_D, CTRL_Z, CTRL_R, RIGHT = "\t", "\x03", "\x04", "\x1a", "\x12", "\x1b[C"
STATUS = r"^predator-prey \| .* \| .*Gear"


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[1]}x{size[0]}")
def at(request, tmp_path):
    with Prompted(tmp_path, *PREDATOR, size=request.param) as opened:
        opened.see(STATUS)
        yield opened


@pytest.fixture
def small(tmp_path):
    with Prompted(tmp_path, *PREDATOR) as opened:
        opened.see(STATUS)
        yield opened


# ---- what is seen


def sum_of_squares(p1):
    """Of the residuals at a value of p1, by scipy: equations (4.2.1) of the thesis with its case (1)."""
    p2, p3, p4, p5, p6 = 0.1, 3.0, 1.0, 0.1, 0.15

    def rates(t, y):
        eaten = y[0] * y[1] / (1 + p5 * y[0])
        return [p1 * y[0] - p2 * eaten - p6 * y[0] ** 2, -p3 * y[1] + p4 * eaten]

    t, *seen = np.loadtxt(PREDATOR[1], delimiter=",", comments=("#", "t"), unpack=True)
    found = solve_ivp(rates, (0, t[-1]), [2, 8], "DOP853", t, rtol=1e-10, atol=1e-12)
    return ((found.y - seen) ** 2).sum()


def test_the_status_is_one_line_at_the_bottom(at):
    at.type("SET p1 1.1\r")
    at.type("INTEG N\r")
    shown = re.search(r"sum of squares (\d\S+) \|", at.see(r"sum of squares \d\S+ \|"))[1]
    assert float(shown) == pytest.approx(sum_of_squares(1.1), rel=1e-4)
    assert at.screen.highlighted == [at.screen.rows[-1]]
    assert at.screen.rows[-1].startswith("predator-prey | 50 obs")
    assert sum("predator-prey |" in line for line in at.screen.rows) == 1, "none is left behind"
    at.type("SET p1 1.02\r")
    at.see(rf"sum of squares (not computed|\?) \(was {re.escape(shown)}\) \|")
    at.type("FREEZE p3\r")
    at.see(r"5 of 6 active, frozen p3|5/6 active")


def test_words_are_listed_with_their_help(at):
    at.type("RE" + TAB)
    seen = at.see("^ *REDO")
    assert re.search(r"^ *RECALL +Set the parameters to the values of a mark", seen, re.MULTILINE)
    assert re.search(r"^ *REDO +Take an UNDO back\.", seen, re.MULTILINE)
    at.type(CTRL_C)
    at.see(r"^> RE\n>")
    at.type("FREEZE " + TAB)
    assert "parameter 6, 0.15" in at.see("^ *p6")


def test_words_are_listed_at_a_question_too(at):
    at.type("SCALE\r")
    at.see("^:")
    at.type(TAB)
    assert "parameter 2, 0.1" in at.see("^ *p2 ")
    at.type("p2\r")
    at.see(r"^: p2\n[\s\S]*^:")
    at.type(TAB)
    assert re.search(r"LOG +1: ", at.see("^ *ROOT "))
    at.type("LOG\r0\r")
    at.see(r"log p2|1 log")


def test_an_earlier_line_is_suggested(at):
    at.type("SET p1 1.25\r")
    at.see(r"1\.25 +1$")
    at.type("SET")
    at.see(r"^> SET p1 1\.25$")
    at.type(RIGHT + "5\r")
    at.see(r"1\.255 +1$")


def test_a_search_backwards(at):
    at.type("SET p1 1.25\rSET p2 .3\rDATA\r")
    at.see(r"DATA[\s\S]*^>")
    at.type(CTRL_R + "p1")
    at.see(r"reverse.*SET p1 1\.25")
    at.type("\r")
    at.see(r"^> SET p2[\s\S]*^> DATA[\s\S]*^> SET p1 1\.25\n[\s\S]*^>$")


# ---- Ctrl-C and Ctrl-D


def test_ctrl_c_abandons_the_line_then_the_command_never_the_program(at):
    at.type("SET p1" + CTRL_C)
    at.see(r"^> SET p1\n>")
    at.type("SET\r")
    at.see("^:")
    at.type(CTRL_C)
    at.see(r"abandoned; nothing was changed\n>")
    at.type(CTRL_C * 5 + "SET p1 7\r")
    at.see(r"^1  p1 +7")


def test_ctrl_d_abandons_at_a_question_and_quits_at_the_prompt(at):
    at.type("SET\r")
    at.see("^:")
    at.type(CTRL_D)
    at.see(r"abandoned; nothing was changed\n>")
    at.type("x" + CTRL_D)  # on a line that has something it deletes
    at.see("^> x$")
    at.type("\x7f" + CTRL_D)
    at.type("\r")
    assert at.end() == 0
    assert "QUIT" in at.screen.text
    assert "predator-prey |" not in at.screen.text, "the status is gone"


# ---- Ctrl-Z


def test_ctrl_z_suspends_and_fg_comes_back(tmp_path):
    env = {**environment(tmp_path), "PS1": "shell: "}
    with Prompted(tmp_path, "--norc", "--noprofile", "-i", command=("bash",), env=env) as shell:
        shell.see("^shell:")
        shell.type(f"{sys.executable} -m parfit {ENZYME}\r")
        shell.see(r"^enzyme \|")
        shell.type("SET p1" + CTRL_Z)
        seen = shell.see(r"Stopped[\s\S]*^shell:")
        assert not re.search(r"^enzyme \|", seen, re.MULTILINE)
        shell.type("echo in the $((1+1))nd shell\r")
        shell.see("^in the 2nd shell")
        shell.type("fg\r")
        shell.see(r"^> SET p1[\s\S]*^enzyme \|")
        shell.type(" 3\r")
        shell.see(r"^1  p1 +3 ")
        shell.type("QUIT 0\r")
        shell.see(r"QUIT 0\n[\s\S]*^shell:")


def test_ctrl_z_at_a_dumb_terminal(tmp_path):
    env = environment(tmp_path, TERM="dumb", PS1="shell: ")
    with Session(tmp_path, "--norc", "--noprofile", "-i", command=("bash",), env=env) as shell:
        shell.wait("shell: ")
        shell.type(f"{sys.executable} -m parfit {ENZYME}\r")
        shell.wait(DUMB_PROMPT)
        shell.type(CTRL_Z)
        shell.wait(r"Stopped[\s\S]*shell: ")
        shell.type("fg\r")
        shell.wait("parfit")
        shell.type("SET p1 3\r")
        shell.wait(r"\n1  p1 +3 [\s\S]*" + DUMB_PROMPT)
        shell.type("QUIT 0\r")
        shell.wait("shell: ")


# ---- resizing


def test_resizing_at_the_prompt(small):
    small.type("SET p1 1.5")
    small.see("^> SET p1 1.5$")
    small.resize(50, 200)
    small.see(r"^predator-prey \| 50 observations on y1 y2 \| 6 active \| sum of squares not computed \| Gear auto.*$")
    small.resize(12, 40)
    small.see(r"^predator-prey \| 6 active \| F \? \| Gear")
    small.resize(24, 80)
    small.type("\r")
    small.see(r"^1  p1 +1\.5 ")
    assert len(small.screen.highlighted) == 1


def test_resizing_at_a_question_with_its_menu_open(small):
    small.type("SCALE\r")
    small.see("^:")
    small.type(TAB)
    small.see("^ *p6 ")
    small.resize(20, 50)
    small.see(STATUS)
    small.type("1 1 0\r")
    small.see("log")


@pytest.mark.parametrize("size", [(2, 5), (4, 20), (5, 79), (3, 300)])
def test_screens_that_are_too_small(size, tmp_path):
    with Prompted(tmp_path, *PREDATOR, size=size) as tiny:
        tiny.wait()
        tiny.type("HELP\rRE" + TAB + CTRL_C + "SET p1 7\rQUIT 0\r")
        assert tiny.end() == 0
        assert "internal error" not in tiny.text
    assert journal_of(*runs(tmp_path))[-1] == "SET p1 7"


# ---- characters


def test_wide_characters(small, tmp_path):
    small.type("NOTE 測試 😀 e\u0301 ok\r")
    small.see("^> NOTE 測試 😀 e\u0301 ok")
    small.type("NOTES\r")
    small.see(r"  測試 😀 e\u0301 ok")
    assert journal_of(*runs(tmp_path)) == ["NOTE 測試 😀 e\u0301 ok", "NOTES"]


def test_what_was_typed_too_early_is_shown_in_its_place(tmp_path):
    with Prompted(tmp_path, *PREDATOR) as session:
        session.type("SET p1 1.25")
        session.see(r"^> SET p1 1\.25$")
        session.type("\r")
        session.see(r"1\.25 +1$")


# ---- a line that is proposed

PROPOSING = """
from parfit.session.console import Console
from parfit.terminal.prompt import Terminal
console = Console()
terminal = Terminal(console, "> ")
for proposed in ("FIT MORE", "PLOT 1 2", ""):
    console.say(f"read: {terminal.read('> ', placeholder=proposed)!r}")
"""
PROPOSAL = (sys.executable, "-c", PROPOSING)


def test_a_line_is_proposed(tmp_path):
    with Prompted(tmp_path, command=PROPOSAL) as session:
        session.see("^> FIT MORE$")
        session.type("\r")
        session.see(r"^> FIT MORE\nread: 'FIT MORE'\n> PLOT 1 2$")
        session.type("x")
        session.see("^> x$")
        session.type("\r")
        session.see(r"^> x\nread: 'x'\n>$")
        session.type("\r")
        session.see(r"^>\nread: ''", busy=True)  # it ends there


def test_a_line_is_proposed_at_a_dumb_terminal(tmp_path):
    with Session(tmp_path, command=PROPOSAL, env=environment(tmp_path, TERM="dumb")) as dumb:
        assert "RETURN: FIT MORE\n> " in dumb.wait(DUMB_PROMPT)
        dumb.type("\r")
        assert "read: 'FIT MORE'\nRETURN: PLOT 1 2\n> " in dumb.wait(DUMB_PROMPT)
        assert "read: 'x'\n> " in dumb.give("x", DUMB_PROMPT)
        dumb.type("\r")
        assert dumb.end() == 0
        assert dumb.text.endswith("read: ''\n")
        assert b"\x1b" not in dumb.raw


# ---- within a command


def test_there_is_no_completion_in_a_language_of_its_own(small):
    small.type("FIT INTERACTIVE\r")
    small.see("OPTIMIZATION COMMAND")
    small.type("RE" + TAB)
    assert "RECALL" not in small.see(r"\*\* RE$")


# ---- terminals of other kinds


def test_without_colours(tmp_path):
    with Prompted(tmp_path, *PREDATOR, env=environment(tmp_path, NO_COLOR="1")) as session:
        session.see(STATUS)
        session.type("RE" + TAB)
        session.see("^ *REDO")
        session.type(CTRL_C + "INTEG N\rPLOT 1 2\r")
        session.see(r"TIME$[\s\S]*^>")
        assert not re.search(rb"\x1b\[[0-9;]*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]", session.raw), "a colour"
        assert session.screen.highlighted, "but the status can be told from the rest"


@pytest.mark.parametrize("variables", [{"LANG": "C"}, {"LC_ALL": "C"}, {"LANG": "C", "PYTHONIOENCODING": "ascii"}])
def test_without_unicode(variables, tmp_path):
    with Prompted(tmp_path, *PREDATOR, env=environment(tmp_path, **variables)) as session:
        session.see(STATUS)
        session.type("RE" + TAB)
        session.see("^ *REDO")
        session.type(CTRL_C + "SCALE\r")
        session.see("^:")
        session.type(TAB + CTRL_C + "SET p1 3\r")
        session.see(r"^1  p1 +3 ")
        assert session.raw.isascii()
        session.type("NOTE x 測試 é\r")
        session.see("> NOTE x")
        session.type("SET p1 4\r")
        session.see(r"^1  p1 +4 ")


def test_a_terminal_that_does_not_tell_where_its_cursor_is(tmp_path):
    """It has no status, but needs no warning; prompt_toolkit gives up after two seconds."""
    env = environment(tmp_path)
    del env["PROMPT_TOOLKIT_NO_CPR"]
    with Session(tmp_path, *PREDATOR, env=env) as session:
        session.wait()
        assert session.look("WARNING|CPR", timeout=3) is None
        assert "p1" in session.give("SET 1 3")


def test_a_dumb_terminal_shows_lines_and_nothing_else(tmp_path):
    with Session(tmp_path, *PREDATOR, env=environment(tmp_path, TERM="dumb")) as dumb:
        dumb.wait(DUMB_PROMPT)
        dumb.give("SET", DUMB_QUESTION)
        dumb.give("# a comment is no answer", DUMB_QUESTION)
        dumb.give("1 3", DUMB_QUESTION)
        assert "5 of 6" not in dumb.give("0", DUMB_PROMPT), "no status"
        dumb.type("FREEZE p3\rSET\r2 4\r0\rQUIT 0\r")
        assert dumb.end() == 0
        assert b"\x1b" not in dumb.raw
    assert journal_of(*runs(tmp_path)) == ["SET p1 3", "FREEZE p3", "SET p2 4"]


def test_a_pipe_shows_no_prompt_and_no_status(tmp_path):
    run = parfit(tmp_path, *PREDATOR, input="SET p1 3\nFREEZE p3\n")
    assert run.returncode == 0
    assert "\x1b" not in run.stdout + run.stderr
    assert "predator-prey |" not in run.stdout


def test_history_across_runs(tmp_path):
    for line in ("SET p1 1.25", ""):
        with Prompted(tmp_path, *PREDATOR) as session:
            session.see(STATUS)
            if line:
                session.type(f"{line}\r")
                session.see(r"1\.25 +1$")
            else:
                session.type("SET")
                session.see(r"^> SET p1 1\.25$")
                session.type(CTRL_C + CTRL_R + "p1")
                session.see(r"reverse.*SET p1 1\.25")
                session.type(CTRL_C)
            session.type("QUIT 0\r")
            assert session.end() == 0
    assert (tmp_path / "state" / "parfit" / "history").exists()


def test_the_prompt_is_where_others_wait_for_it(small):
    small.type("DATA\r")
    assert "50" in small.wait(PROMPT)
