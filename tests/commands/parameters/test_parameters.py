"""SET, FREEZE, UNFREEZE, SCALE, MARK and RECALL."""

import numpy as np
import pytest

from parfit.estimation.parameters import Scaling
from parfit.model.model import Model

LOG, ROOT, NONE = Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE


def frozen(session):
    return {session.env.model.parameters[k] for k in session.env.parameters.frozen}


def scaling(session):
    return dict(zip(session.env.model.parameters, session.env.parameters.scaling, strict=True))


# ---- SET


@pytest.mark.parametrize(
    "lines",
    [
        ["SET 1 3. 4 6.2 0"],  # as the manual writes it
        ["SET 1 3. 4 6.2"],
        ["set p1=3 P4 = 6.2"],
        ["SET p1 3, 4 6.2"],
        ["SET", "1 3. 4 6.2 0"],
        ["SET", "1", "3.", "4", "6.2", "0"],
        ["SET", "p1 3 p4 6.2", ""],
        ["SET 4 6.2 1 5 p1 3"],  # the last one counts
    ],
)
def test_set(session, lines):
    session(*lines)
    np.testing.assert_array_equal(session.env.values, [3, 0.1, 3, 6.2, 0.1, 0.15])
    np.testing.assert_array_equal(session.env.first_values, [1, 0.1, 3, 1, 0.1, 0.15], "the starting values stay")


def test_set_ignores_freezing_and_scaling(session):
    """Manual: subscripts refer to the full vector, and scaling is ignored."""
    session("FREEZE 1 2", "SCALE 3 LOG", "SET 2 .7 3 5")
    assert session.env.values[[1, 2]].tolist() == [0.7, 5.0]
    assert frozen(session) == {"p1", "p2"}
    assert session.env.parameters.point[0] == pytest.approx(np.log(5))


def test_set_shows_what_holds_now(session):
    said = session("SET p6 .25")
    row = next(line.split() for line in said.split("\n") if line.startswith("6 "))
    assert row == ["6", "p6", "0.25", "0.15"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SET 7 1", "'7' is no parameter"),
        ("SET p9 1", "'p9' is no parameter"),
        ("SET 1 x", "'x' is not a number"),
        ("SET 1 1e999", "is not a number"),
        ("SET 1", "the input ends where an answer is needed: NEW VALUE"),
    ],
)
def test_set_refuses(session, line, message):
    assert message in session.refused(line)


def test_set_refuses_what_a_scaling_does_not_allow(session):
    assert "p1 = -1 has no logarithm" in session.refused("SCALE 1 LOG 2 ROOT", "SET 1 -1")
    assert "p2 = -1 has no square root" in session.refused("SET 2 -1")
    session("SET 2 0")


# ---- FREEZE, UNFREEZE


@pytest.mark.parametrize(
    "lines",
    [["FREEZE 1 3"], ["FREEZE p1 p3 0"], ["FREEZE", "1 3 0"], ["freeze", "1", "p3", "0"], ["FREEZE", "3 1", ""]],
)
def test_freeze(session, lines):
    session(*lines)
    assert frozen(session) == {"p1", "p3"}
    assert session.env.parameters.active == (1, 3, 4, 5)


def test_freezing_adds_up_until_0_alone_removes_it(session):
    """As in the program of 1977: FRZ(SUB):=1 for those named, all 0 for an entry of 0."""
    session("FREEZE 1", "FREEZE p4 p4")
    assert frozen(session) == {"p1", "p4"}
    session("FREEZE 0")
    assert frozen(session) == set()
    session("FREEZE 2", "FREEZE", "0")
    assert frozen(session) == set()


def test_unfreeze(session):
    session("FREEZE 1 2 3", "UNFREEZE p2 3")
    assert frozen(session) == {"p1"}
    session("UNFREEZE", "p6", "1 0")
    assert frozen(session) == set()


def test_one_parameter_stays_active(session):
    session("FREEZE 1 2 3 4 5")
    assert "at least one parameter must stay active" in session.refused("FREEZE 6")
    assert session.env.parameters.active == (5,)


# ---- SCALE


@pytest.mark.parametrize(
    "lines",
    [
        ["SCALE 1 1 3 2"],
        ["SCALE p1 LOG p3 ROOT"],
        ["SCALE 1=log 3=root 0"],
        ["SCALE", "1 1", "3 2", "0"],
        ["SCALE", "p1", "LOG", "p3", "2", ""],
    ],
)
def test_scale(session, lines):
    session("SET 3 4", *lines)
    assert scaling(session) == {"p1": LOG, "p2": NONE, "p3": ROOT, "p4": NONE, "p5": NONE, "p6": NONE}
    np.testing.assert_allclose(session.env.parameters.point, [0, 0.1, 2, 1, 0.1, 0.15], rtol=1e-15)
    assert session.env.values[2] == 4.0, "the parameter itself is the same"


def test_scaling_adds_up_until_it_is_removed(session):
    session("SCALE 1 LOG", "SCALE 2 ROOT 1 NONE")
    assert (scaling(session)["p1"], scaling(session)["p2"]) == (NONE, ROOT)
    session("SCALE 2 0 5 LOG")
    assert (scaling(session)["p2"], scaling(session)["p5"]) == (NONE, LOG)
    session("SCALE 0")
    assert set(scaling(session).values()) == {NONE}
    np.testing.assert_array_equal(session.env.parameters.point, [1, 0.1, 3, 1, 0.1, 0.15])


def test_scale_shows_the_transformed_value(session):
    said = session("SCALE p3 LOG p5 ROOT")
    rows = {line.split()[1]: line.split() for line in said.split("\n")[2:-1]}
    assert rows["p3"][2:5] == ["3", f"{np.log(3):.7g}", "log"]
    assert rows["p5"][2:6] == ["0.1", f"{np.sqrt(0.1):.7g}", "square", "root"]
    assert rows["p1"] == ["1", "p1", "1", "1"]


def test_scale_refuses_what_has_no_logarithm_or_root(session):
    session("SET 1 0 2 -1")
    assert "p1 = 0 has no logarithm" in session.refused("SCALE 1 LOG")
    assert "p2 = -1 has no logarithm" in session.refused("SCALE 5 LOG 2 LOG")
    assert "p2 = -1 has no square root" in session.refused("SCALE 2 ROOT")
    session("SCALE 1 ROOT")
    assert "'3' is not on the menu" in session.refused("SCALE 1 3")


# ---- MARK, RECALL


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
    typist = session.typed("RECALL", "")
    assert typist.prompts == ["[0]: "]
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


def test_recall_keeps_freezing_and_scaling(session):
    session("MARK a", "SET 1 2", "FREEZE 1", "SCALE 2 LOG", "RECALL a")
    assert session.env.values[0] == 1
    assert frozen(session) == {"p1"}
    assert scaling(session)["p2"] is LOG


def test_a_mark_is_not_called_now(session):
    assert "NOW stands for the present parameters" in session.refused("MARK now")


def test_a_mark_that_is_refused_is_not_shown(session):
    assert "more than the command can use" in session.refused("MARK p1=3")
    assert "p1: p1 = 1" not in session.output
