"""The prompt at a real pseudo-terminal: what keys do, and what becomes of a conversation that is broken off."""

import os
import re
import signal

import pytest
from fingerprints import fingerprint, resumed
from terminals import (
    DUMB_PROMPT,
    DUMB_QUESTION,
    MODELS,
    PATIENCE,
    PREDATOR,
    PROMPT,
    QUESTION,
    Session,
    environment,
    folders_of_runs,
    journal_of,
    until,
)

ENZYME = str(MODELS / "enzyme.ode")
UP, TAB, CTRL_C, CTRL_D = "\x1b[A", "\t", "\x03", "\x04"


@pytest.fixture
def session(tmp_path):
    with Session(tmp_path, ENZYME) as opened:
        opened.wait()
        yield opened


def values(shown):
    """The parameters of the last table that was shown."""
    return [float(value) for value in re.findall(r"^\d  p\d +(\S+)", shown, re.MULTILINE)[-3:]]


def quit_session(session):
    session.type("QUIT 0\r")
    assert session.end() == 0


# ---- lines


def test_the_prompt_appears_and_commands_are_obeyed(session):
    assert values(session.give("set p1 3")) == [3, 0.99, 0.01]
    assert values(session.give("SET 2 .5")) == [3, 0.5, 0.01]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("XYZZY", "there is no command 'XYZZY'"),
        ("S", "'S' could be SET or"),
        ("SET p9 3", "'p9' is no parameter"),
        ("SET 1 x", "'x' is not a number"),
        ("WEIGHT 1", "there are no observations; LOAD DATA FILE reads some"),
    ],
)
def test_errors_are_told_and_change_nothing(line, message, session):
    before = values(session.give("SET 1 3"))
    assert message in session.give(line)
    assert values(session.give("SET 0")) == before


def test_an_empty_line_is_nothing(session):
    session.give("")
    session.give("   ")
    session.give("# a comment")
    assert values(session.give("SET 1 3")) == [3, 0.99, 0.01]


def test_bytes_that_are_no_text(session):
    session.type(b"\xff\xfe\x80 \r")
    session.wait()
    assert values(session.give("SET 1 3")) == [3, 0.99, 0.01]


def test_several_lines_can_be_pasted(session, tmp_path):
    session.type("\x1b[200~SET 1 3\nSET\n2 4\n0\nSET 3 5\n\x1b[201~\r")
    assert values(session.wait(r"5  *0\.01\s[\s\S]*" + PROMPT)) == [3, 4, 5]
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "SET p2 4", "SET p3 5"]


def test_what_is_typed_ahead_is_not_lost(session):
    session.type("SET 1 3\rSET 2 4\rSET 3 5\r")
    assert values(session.wait(r"5  *0\.01\s[\s\S]*" + PROMPT)) == [3, 4, 5]


def test_a_command_is_completed_by_tab(session):
    session.type("UNFR" + TAB)
    session.wait("UNFREEZE")
    session.type(" 1\r")
    assert values(session.wait()) == [1000, 0.99, 0.01]
    session.type("HELP UNFR" + TAB + "\r")
    assert "UNFREEZE: Let frozen parameters be fitted again." in session.wait()


def test_several_completions_are_offered(session):
    session.type("RE" + TAB)
    shown = session.wait("REDO[\\s\\S]*REPORT|REPORT[\\s\\S]*REDO|RECALL[\\s\\S]*REDO")
    assert "RE" in shown
    session.type(CTRL_C)
    session.wait()
    assert values(session.give("SET 1 3")) == [3, 0.99, 0.01]


def test_earlier_lines_come_back(session, tmp_path):
    session.give("SET 1 3")
    session.give("SET 1 4")
    session.type(UP + UP + "\r")
    assert values(session.wait()) == [3, 0.99, 0.01]
    quit_session(session)
    with Session(tmp_path, ENZYME) as second:
        second.wait()
        second.type(UP + UP + "\r")  # QUIT 0, and the line before it
        assert values(second.wait()) == [3, 0.99, 0.01]


# ---- questions


def test_a_wrong_answer_is_asked_for_again(session):
    session.give("SET", QUESTION)
    assert "'p9' is no parameter" in session.give("p9", QUESTION)
    session.give("p1", QUESTION)
    assert "'x' is not a number" in session.give("x", QUESTION)
    session.give("3", QUESTION)
    assert values(session.give("0")) == [3, 0.99, 0.01]


def test_a_question_explains_itself(session):
    asked = session.give("SET", QUESTION)
    assert "GIVE LIST OF PARAMETERS AND VALUES (END WITH 0)" in asked
    explained = session.give("?", QUESTION)
    assert "Enter a parameter's name or subscript and its new value" in explained
    assert explained.count("GIVE LIST OF PARAMETERS AND VALUES (END WITH 0)") == 1, "it is asked again"
    assert values(session.give("1 3 0")) == [3, 0.99, 0.01]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_a_command_is_abandoned_at_a_question(key, session, tmp_path):
    session.give("SET 2 4")
    session.give("SET", QUESTION)
    session.give("1 3", QUESTION)
    session.type(key)
    assert "abandoned; nothing was changed" in session.wait()
    assert values(session.give("SET 0")) == [1000, 4, 0.01]
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p2 4", "SET 0"]


def test_ctrl_c_at_the_prompt_clears_the_line(session):
    session.type("SET 1 3")
    session.wait("SET 1 3")
    session.type(CTRL_C)
    session.wait()
    assert values(session.give("SET 2 4")) == [1000, 4, 0.01]


def test_ctrl_c_again_and_again_ends_nothing(session):
    for _ in range(5):
        session.type(CTRL_C)
        session.wait()
    for _ in range(20):
        os.kill(session.process.pid, signal.SIGINT)
        session.drain(0.005)  # at whatever moments they come
    assert values(session.give("SET 2 4", PROMPT + r"[\s\S]*p2 +4[\s\S]*" + PROMPT)) == [1000, 4, 0.01]


# ---- the end


def test_ctrl_d_at_the_prompt_quits(session, tmp_path):
    session.give("SET 1 3")
    session.type(CTRL_D)
    assert session.end() == 0
    assert "QUIT" in session.text
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]


def test_quit_asks_what_to_keep(session, tmp_path):
    session.give("REPORT 3")
    asked = session.give("QUIT", QUESTION)
    assert "ENTER LIST OF FILES TO BE KEPT (END WITH 0)" in asked
    session.type(CTRL_C)
    session.wait()
    session.give("QUIT", QUESTION)
    session.type("\r")
    assert session.end() == 0
    assert "PARAMETERS" in (tmp_path / "enzyme-run" / "report.txt").read_text()


def test_a_terminal_that_is_closed(session, tmp_path):
    session.give("SET 1 3")
    session.give("SET 2 4")
    session.hang_up()
    session.process.wait(PATIENCE)
    (run,) = folders_of_runs(tmp_path)
    assert journal_of(run) == ["SET p1 3", "SET p2 4"]
    assert resumed(run).values.tolist() == [3, 4, 0.01]


def test_a_terminal_that_is_closed_at_a_question(session, tmp_path):
    session.give("SET 1 3")
    session.give("SET", QUESTION)
    session.hang_up()
    session.process.wait(PATIENCE)
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3"]


# ---- a terminal that can do little


@pytest.fixture
def dumb(tmp_path):
    with Session(tmp_path, ENZYME, env=environment(tmp_path, TERM="dumb")) as opened:
        opened.wait(DUMB_PROMPT)
        yield opened


def test_a_dumb_terminal_gets_plain_lines(dumb, tmp_path):
    assert values(dumb.give("SET 1 3", DUMB_PROMPT)) == [3, 0.99, 0.01]
    dumb.give("SET", DUMB_QUESTION)
    dumb.give("2 4", DUMB_QUESTION)
    assert values(dumb.give("0", DUMB_PROMPT)) == [3, 4, 0.01]
    dumb.type(CTRL_D)
    assert dumb.end() == 0
    assert b"\x1b" not in dumb.raw
    assert journal_of(*folders_of_runs(tmp_path)) == ["SET p1 3", "SET p2 4"]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_a_command_is_abandoned_at_a_dumb_terminal_too(key, dumb):
    dumb.give("SET", DUMB_QUESTION)
    dumb.settle()  # before input() reads it overlooks Ctrl-C until the next RETURN
    dumb.type(key)
    assert "abandoned; nothing was changed" in dumb.wait(DUMB_PROMPT)
    assert values(dumb.give("SET 1 3", DUMB_PROMPT)) == [3, 0.99, 0.01]


def test_ctrl_c_at_a_dumb_prompt(dumb):
    dumb.type("SET 1 3")
    dumb.wait("SET 1 3")
    dumb.settle()
    dumb.type(CTRL_C)
    dumb.wait(DUMB_PROMPT)
    assert values(dumb.give("SET 2 4", DUMB_PROMPT)) == [1000, 4, 0.01]


def test_bytes_that_are_no_text_at_a_dumb_terminal(dumb):
    dumb.type(b"\xff\xfe\x80\r")
    assert "there is no command" in dumb.wait(DUMB_PROMPT)
    assert values(dumb.give("SET 1 3", DUMB_PROMPT)) == [3, 0.99, 0.01]


@pytest.mark.parametrize("size", [(4, 20), (2, 5), (200, 500)])
def test_terminals_of_any_size(size, tmp_path):
    with Session(tmp_path, *PREDATOR, env=environment(tmp_path, TERM="dumb"), size=size) as session:
        session.wait(DUMB_PROMPT)
        for line in ("HELP", "MODEL", "INTEG N", "PLOT 1 2", "HELP PLOT"):
            assert "internal error" not in session.give(line, DUMB_PROMPT)


# ---- Ctrl-C while it computes

STIFF = "par a=1e6\nx'=-a*(x-cos(t))\nx(0)=1\ndone\n"
LARGE = "par a=1\n" + "".join(f"x{k}'=-a*x{k}+sin(x{(k + 1) % 40})\nx{k}(0)=1\n" for k in range(40)) + "done\n"
LONG = {
    "Gear": (STIFF, ["OPTION PROCEDURE GEAR METHOD ADAMS EPS 1e-6 HMIN 0 HMAX 1e-7", "SAMPLE MESH 10000 5e-3"]),
    "trapezoidal rule": (LARGE, ["SAMPLE MESH 1000000 1e-3"]),
}


COMPUTING = 50  # ticks of processor time, after which it is in the middle of it


@pytest.mark.parametrize("method", LONG)
def test_a_long_integration_is_interrupted_at_once(method, tmp_path):
    """By itself it would go on for more than 20 seconds of processor time."""
    text, settings = LONG[method]
    (tmp_path / "long.ode").write_text(text)
    with Session(tmp_path, "long.ode") as session:
        session.wait()
        for line in settings:
            session.give(line)
        (run,) = folders_of_runs(tmp_path)
        for _ in range(3):
            session.type("INTEG Y\r")
            session.wait("INTEG Y")
            begun = session.processor_time
            until(lambda begun=begun: session.processor_time > begun + COMPUTING, session.drain)
            session.type(CTRL_C)
            assert "interrupted; nothing was changed" in session.wait()
        assert "nothing has been integrated yet" in session.give("REPORT 5")
        quit_session(session)
    assert journal_of(run)[-1] == "REPORT STATES"
    assert fingerprint(resumed(run).integration) is None
