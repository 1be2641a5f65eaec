"""The line of status: what it says, and what is left of it where there is little room."""

import pytest
from conversation import Session, data_of, model_of
from prompt_toolkit.utils import get_cwidth

from parfit.terminal.toolbar import _change as change_of
from parfit.terminal.toolbar import fitted, status

WIDE = 200


@pytest.fixture
def session():
    return Session(model_of("predator-prey"), data_of("predator-prey"), of_1977=True)


def shown(session, width=WIDE):
    return status(session.interpreter.timeline, width)


def test_where_a_session_begins(session):
    assert shown(session) == (
        "predator-prey | 50 observations on y1 y2 | 6 active | sum of squares not computed | trapezoidal rule"
    )


def test_what_a_command_that_goes_on_has_reached(session):
    session("INTEG N")
    line = status(session.interpreter.timeline, WIDE, reached="sum of squares 12.5, lambda 0.1")
    assert "| 6 active | sum of squares 12.5, lambda 0.1 | trapezoidal rule" in line


def test_without_data():
    assert shown(Session(model_of("enzyme"), of_1977=True)) == "enzyme | no data | 3 active | trapezoidal rule"


def test_frozen_and_scaled_parameters(session):
    session("FREEZE p1 p3", "SCALE p2 LOG p5 ROOT p6 LOG")
    assert "| 4 of 6 active, frozen p1 p3, log p2 p6, root p5 |" in shown(session)
    assert "| 4/6 active, 2 frozen, 2 log, 1 root |" in shown(session, 80)


def test_the_sum_of_squares_and_its_last_change(session):
    session("INTEG N")
    first = session.env.sum_of_squares
    assert f"| sum of squares {first:.6g} |" in shown(session)
    session("SET p1 1.002")
    assert f"| sum of squares not computed (was {first:.6g}) |" in shown(session)
    session("INTEG N")
    second = session.env.sum_of_squares
    assert f"| sum of squares {second:.6g} ({100 * (second / first - 1):+.2g}%) |" in shown(session)
    session("MARK here")
    assert f"({100 * (second / first - 1):+.2g}%)" in shown(session), "the last change, not the last command"
    session("SET p1 1", "INTEG N")
    assert f"| sum of squares {first:.6g} ({100 * (first / second - 1):+.2g}%) |" in shown(session)


@pytest.mark.parametrize(
    ("now", "before", "shown"),
    [
        (8.6306, 3.08, "2.8 times as much"),
        (1.996, 1, "+100%"),
        (1.183, 1, "+18%"),
        (0.5, 1, "-50%"),
        (1.018, 1, "+1.8%"),
    ],
)
def test_changes_are_written_without_exponents(now, before, shown):
    assert change_of(now, before) == shown


def test_a_change_that_cannot_be_seen_in_the_sum_is_left_out(session):
    session("INTEG N")
    first = session.env.sum_of_squares
    session("SET p1 1.0000001", "INTEG N")
    second = session.env.sum_of_squares
    assert 0 < abs(second / first - 1) < 5e-5
    assert f"| sum of squares {second:.6g} |" in shown(session)


def test_large_changes_are_factors(session):
    session("SET p1 1.5", "INTEG N")
    before = session.env.sum_of_squares
    session("SET p1 1", "INTEG N")
    now = session.env.sum_of_squares
    assert before > 10 * now
    assert f"({before / now:.3g} times less)" in shown(session)
    session("SET p1 1.5", "INTEG N")
    assert f"({before / now:.3g} times as much)" in shown(session)


def test_an_integration_that_stopped(session):
    session("INTEG N")
    session("SET p2 1.5", "TRY INTEG N")
    assert session.env.sum_of_squares is None or "no sum of squares, integration stopped" in shown(session)
    assert "inf" not in shown(session)


def test_other_data_have_no_sum_before(session):
    session("INTEG N", "CREATE 0 .5(.5)12.5 0 y1 y2 0 1e-8 5 0 .05 1 0 N", "INTEG N")
    assert "%" not in shown(session)


def test_other_errors_have_no_sum_before(session):
    session("INTEG N", "NOISE ALL RELATIVE", "INTEG N")
    assert "%" not in shown(session)


def test_the_method_of_integration(session):
    session("OPTION PROCEDURE GEAR EPS 1e-6")
    assert shown(session).endswith("| Gear stiff, eps 1e-06")
    session("OPTION METHOD ADAMS")
    assert shown(session).endswith("| Gear Adams, eps 1e-06")


@pytest.mark.parametrize("width", range(1, 130))
def test_it_never_takes_more_room_than_there_is(width, session):
    session("FREEZE p1 p3", "SCALE p2 LOG p5 ROOT p6 LOG", "OPTION PROCEDURE GEAR", "INTEG N")
    assert len(shown(session, width)) <= width


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_model_and_sum_of_squares_stay_longest(width, session):
    session("FREEZE p1 p3", "SCALE p2 LOG p5 ROOT p6 LOG", "INTEG N")
    line = shown(session, width)
    assert line.startswith("predator-prey | ")
    assert "| F 0.354" in line or "| sum of squares 0.354" in line
    assert "4/6 active" in line or "4 of 6 active" in line


def test_what_gave_way_comes_back_if_there_is_room_for_it():
    parts = [["first long", "first"], ["second very very long", "2"]]
    assert fitted(parts, [0, 1], 15) == "first long | 2"
    assert fitted(parts, [0, 1], 9) == "first | 2"
    assert fitted(parts, [0, 1], 8) == "first..."
    assert fitted(parts, [0, 1], 3) == ""


def test_wide_characters_are_measured():
    assert fitted([["模型模型模型模型"], ["x"]], [], 12, get_cwidth) == "模型模型..."


def test_another_method_has_another_sum_of_squares(session):
    session("INTEG N")
    assert "sum of squares not computed" not in shown(session)
    session("OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0")
    assert "| sum of squares not computed |" in shown(session), "nor is it compared with that of the rule before"
    session("INTEG N")
    assert f"| sum of squares {session.env.sum_of_squares:.6g} |" in shown(session)
