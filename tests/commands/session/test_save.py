"""SAVE."""

from pathlib import Path

import pytest
from conversation import SCRIPT, assert_same

from parfit.errors import DONE
from parfit.session.sources import Script, script_lines

DONE_BEFORE = ["SET 1 1.5", "FREEZE 2", "SCALE 3 LOG", "SAMPLE 3 0 2 1", "WEIGHT 2 y1 0 3 .5", "OPTION 8 1 6 0"]
DONE_BEFORE += ["INTEG Y", "MARK best", "NOTE good, so far", "SET 1 2", "UNDO", "MODEL aux total=y1+y2", "PLOT 2"]


@pytest.mark.parametrize("lines", [["SAVE mine.pft"], ["SAVE", "mine.pft"], ['SAVE "mine.pft"']])
def test_a_saved_script_does_the_same_again(session, begin, lines):
    session(*DONE_BEFORE, *lines)
    text = Path("mine.pft").read_text()
    here = Path.cwd()
    assert text.startswith(f"# Replay with: parfit {here / 'model.ode'} -b {here / 'mine.pft'}\n")
    again = begin()
    code, _, warned = again.obey(Script(script_lines("mine.pft"), "mine.pft"))
    assert code == DONE, warned
    assert_same(session.env, again.env)
    assert len(again.interpreter.timeline.past) == len(session.interpreter.timeline.past)


def test_save_with_a_model_text(session, begin):
    text = ["| par k=.5   # remark", "| ", "| x'=-k*x", "| init x=1", "| done"]
    session("MODEL TEXT", *text, "SET k 3", "SAVE mine.pft")
    again = begin()
    again(*script_lines("mine.pft"))
    assert_same(session.env, again.env)


def test_save_proposes_a_name_and_asks_before_replacing(session):
    session("SET 1 2")
    typist = session.typed("SAVE", "")
    assert typist.prompts == ["[predator-prey.pft]: "]
    before = Path("predator-prey.pft").read_text()
    session("SET 1 3")
    session.typed("SAVE", "", "N")
    assert "was left as it is" in session.errors
    assert Path("predator-prey.pft").read_text() == before
    session.typed("SAVE predator-prey.pft", "")
    assert Path("predator-prey.pft").read_text() == before, "it is asked for, though the line gave the name"
    session.typed("SAVE", "", "Y")
    assert "SET p1 3" in Path("predator-prey.pft").read_text()
    session("SET 1 4", "SAVE predator-prey.pft Y")
    assert "SET p1 4" in Path("predator-prey.pft").read_text()


def test_save_in_a_script_says_what_it_replaced_and_does_not_eat_the_next_command(session):
    Path("mine.pft").write_text("old")
    session("SET 1 2")
    session.failing(Script(["SAVE mine.pft N"], SCRIPT))
    assert Path("mine.pft").read_text() == "old"
    assert "the script is in mine.pft, in place of an older file" in session("SAVE mine.pft")
    assert "SET p1 2" in Path("mine.pft").read_text()
    session("SAVE", "SET 1 3")
    assert session.env.values[0] == 3
    assert Path("predator-prey.pft").exists()


def test_save_refuses_where_nothing_can_be_written(session):
    assert "nowhere/mine.pft: cannot be written" in session.refused("SAVE nowhere/mine.pft")
