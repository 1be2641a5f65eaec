"""UNDO and REDO."""

import pytest
from conversation import Typist


def test_undo_and_redo(session):
    first = session.env
    session("SET 1 2")
    second = session.env
    session("REPORT 3", "FREEZE 1")
    third = session.env
    said = session("UNDO")
    assert "undone: FREEZE p1" in said, "what only looked is no change"
    assert session.env is second
    session("UNDO")
    assert session.env is first
    said = session("REDO 2")
    assert session.env is third
    assert said.index("done again: SET p1 2") < said.index("done again: FREEZE p1")
    said = session("UNDO 2")
    assert session.env is first
    assert said.index("undone: FREEZE p1") < said.index("undone: SET p1 2")
    session("SET 2 5")
    assert "nothing can be redone" in session.refused("REDO")


def test_undo_refuses_more_than_there_is(session):
    assert "nothing can be undone" in session.refused("UNDO")
    assert "only one change can be undone" in session.refused("SET 1 2", "UNDO 2")
    assert "only 2 changes can be undone" in session.refused("SET 1 2", "UNDO 3")
    assert "nothing can be redone" in session.refused("REDO")
    assert "enter a whole number from 1" in session.refused("UNDO 0")


@pytest.mark.parametrize(
    "line",
    [
        "SET 1 2",
        "FREEZE 1",
        "SCALE 1 LOG",
        "MARK a",
        "NOTE a",
        "OPTION 5 1e-3",
        "SAMPLE 2 5 1",
        "WEIGHT 2 y1 0 1 2",
        "ECHO ON",
        "INTEG Y",
        "MODEL par k=1",
        "CREATE 0 1 2 0 y1",
    ],
)
def test_every_change_can_be_undone(session, line):
    before = session.env
    session(line)
    after = session.env
    assert after is not before
    session("UNDO")
    assert session.env is before
    session("REDO")
    assert session.env is after


def test_quit_that_is_not_understood_ends_nothing(session):
    session("REPORT 3")
    assert "'GRAPHS' is not on the menu" in session.refused("QUIT GRAPHS")
    assert "is not on the menu" in session.refused("QUIT everything")
    typist = Typist(["QUIT nonsense", "NOTE still here"])
    session.obey(typist)
    assert [note.text for note in session.env.notes] == ["still here"]
