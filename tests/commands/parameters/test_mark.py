"""MARK and RECALL."""

import numpy as np
import pytest

from parfit.model.model import Model


def test_mark_and_recall(session):
    session("INTEG N")
    total = session.env.sum_of_squares
    session("MARK best", "SET 1 2 2 3", "MARK worse", "RECALL best")
    np.testing.assert_array_equal(session.env.values, [1, 0.1, 3, 1, 0.1, 0.15])
    assert [mark.name for mark in session.env.marks] == ["best", "worse"]
    assert [mark.sum_of_squares for mark in session.env.marks] == [total, None]
    session("RECALL 2")
    assert session.env.values[:2].tolist() == [2, 3]
    session("RECALL", "BEST")
    assert session.env.values[0] == 1


def test_recall_alone_lists_and_changes_nothing(session):
    session("MARK a", "SET 1 2", "MARK b", "SET 1 3")
    typist = session.typed("RECALL")
    assert typist.prompts == []
    assert session.env.values[0] == 3
    before = session.env
    session("RECALL")
    assert session.env is before
    assert "a: p1 = 1, p2 = 0.1" in session.output


def test_a_mark_of_the_same_name_is_replaced(session):
    session("MARK a", "SET 1 2", "MARK A", "SET 1 3", "RECALL a")
    assert len(session.env.marks) == 1
    assert session.env.values[0] == 2


def test_marks_without_a_name_replace_no_other(session):
    session("MARK m2", "MARK", "")
    session("MARK", "")
    assert sorted(mark.name for mark in session.env.marks) == ["m1", "m2", "m3"]


def test_a_mark_alone_in_a_script_does_not_eat_the_next_command(session):
    session("MARK", "SET 1 2", "MARK", "INTEG", "N")
    assert [mark.name for mark in session.env.marks] == ["m1", "m2"]
    assert session.env.values[0] == 2
    assert session.env.integration is not None


@pytest.mark.parametrize("name", ["0", "7up", '""', "x" * 31, "INTEG"])
def test_names_that_will_not_do(session, name):
    assert "will not do as a name" in session.refused(f"MARK {name}")


def test_recall_refuses(session):
    assert "MARK NAME does it" in session.refused("RECALL a")
    assert "'b' is no mark" in session.refused("MARK a", "RECALL b")


def test_a_sum_of_squares_is_not_shown_beside_another_method(session):
    assert "sum of squares" in session("INTEG Y", "MARK before")
    total = session.env.sum_of_squares
    said = session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0", "MARK after", "RECALL")
    assert f"{total:.6g}" not in said
    assert "its sum of squares was computed with another method or accuracy of integration" in said
    assert session.env.marks[1].sum_of_squares is None
    assert "another method or accuracy" in session.refused("PROBE N")
    assert "THIS WAS COMPUTED WITH ANOTHER METHOD" in session("REPORT 5")
    assert "THIS WAS COMPUTED WITH ANOTHER METHOD" in session("REPORT 7")
    session("INTEG N", "MARK after")
    assert session.env.marks[1].sum_of_squares != total


def test_marks_survive_parameters(session):
    said = session("MARK start", "MODEL par extra=1", "SET p1 2 extra 5", "RECALL start")
    assert "the mark has no value of extra, which stays as it is" in said
    assert session.env.values.tolist() == [1, 0.1, 3, 1, 0.1, 0.15, 5]
    session("MARK all", "MODEL remove extra")
    assert "the model no longer has extra, of which the mark has a value" in session("RECALL all")
    assert "the same" in session("PLOT MARKS all NOW")


def test_marks_go_with_the_parameters_they_belong_to(begin):
    """Values must never be recalled into other parameters."""
    model = Model.from_text("par a=1, b=2\nx'=-a*x+b\ninit x=1\ndone", "small")
    session = begin(model, None)
    session("MARK first", "MODEL x' = -a*x + b*x")
    assert len(session.env.marks) == 1, "the same parameters"
    session("MODEL TEXT", "| par c=5, d=6", "| x'=-c*x+d", "| init x=1", "| done")
    assert "the model has none of the parameters of the mark 'first': a = 1, b = 2" in session.refused("RECALL first")
    session("UNDO", "RECALL first")
    assert session.env.values.tolist() == [1, 2]


def test_a_mark_is_not_called_now(session):
    assert "NOW stands for the present parameters" in session.refused("MARK now")


def test_a_mark_that_is_refused_is_not_shown(session):
    assert "more than the command can use" in session.refused("MARK p1=3")
    assert "p1: p1 = 1" not in session.output


def test_recall_brings_back_the_sum_of_squares(session):
    session("INTEG N")
    total = session.env.sum_of_squares
    session("MARK best", "SET 1 2", "INTEG N")
    assert session.env.sum_of_squares != total
    session("RECALL best")
    assert session.env.sum_of_squares == total
    session("OPTION PROCEDURE TRAPEZOID", "RECALL best")
    assert session.env.sum_of_squares is None
