"""CREOBS: guessed observations, entered, changed and drawn."""

import numpy as np
import pytest
from conversation import SCRIPT, data_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from parfit.commands import TABLE
from parfit.commands.curves.creobs import creobs
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.sources import Script

COMMANDS = Table([*(each for each in TABLE.commands if each.name != "CREOBS"), creobs])
# Guesses (b) and (c) of Problem 4.4.1 (thesis, section 4.4).
B = ([0, 2.5, 8.75, 12.5], [8, 3, 5, 4])
C = ([0, 5, 8.75, 12.5], [8, 3, 5, 4])
GUESSED = "CREOBS 4 0 2.5 8.75 12.5 8 3 5 4"


def only_first():
    data = data_of("predator-prey")
    return make_observations(data.times, ["y1"], data.values[:, :1])


@pytest.fixture
def session(begin):
    """Problem 4.4.1: as 4.2.1, with y2 not observed."""
    return begin(data=only_first(), table=COMMANDS)


THREE = Model.from_text("par k=1\na'=-k*a\nb'=k*a-b\nc'=b\ninit a=1,b=0,c=0\ndone", "chain")


@pytest.fixture
def chain(begin):
    """Three states, of which the first is observed."""
    t = np.linspace(0.5, 4, 8)
    return begin(THREE, make_observations(t, ["a"], np.exp(-t)[:, None]), table=COMMANDS)


def points(session, name="y2"):
    guess = session.env.guesses[name]
    return guess.t.tolist(), guess.y.tolist()


@pytest.mark.parametrize(
    "lines",
    [
        [GUESSED],
        ["CREOBS", "4 0 2.5 8.75 12.5", "8 3 5 4"],
        ["CREOBS", "4", "0", "2.5", "8.75", "12.5", "8", "3", "5", "4"],
        ["creobs y2 4 FIRST 2.5 8.75 LAST 8 3 5 4"],
        ["CREOBS Y2", "4 f 2.5 8.75 l", "8 3 5 4"],
        ["CREOBS 4 12.5 0 2.5 8.75 4 8 3 5"],  # in any order
        ["CREOBS 4 1e-7 2.5 8.75 12.4999999 8 3 5 4"],  # within rounding
    ],
)
def test_all_forms_do_the_same(session, begin, lines):
    session(*lines)
    assert points(session) == B
    other = begin(data=only_first(), table=COMMANDS)
    other.commands(*session.entries)
    assert points(other) == B
    assert other.entries == session.entries


def test_the_curve_is_the_spline_of_the_manual(session):
    session(GUESSED)
    fine = np.linspace(0, 12.5, 51)
    other = CubicSpline(*B, bc_type=((1, -5 / 2.5), (1, -1 / 3.75)))
    assert_allclose(session.env.guesses["y2"].curve(fine), other(fine), atol=1e-12)
    assert_allclose(session.env.guesses["y2"].curve(fine, 1), other(fine, 1), atol=1e-12)


def test_it_is_shown_with_the_observations_at_once(session):
    said = session(GUESSED)
    assert "y1 observed" in said
    assert "y2 guessed" in said
    assert "y2 guessed" in session("PLOT GUESSED")
    assert "GUESSED OBSERVATIONS ON y2" in session("REPORT GUESSES")


@pytest.mark.parametrize(
    ("line", "expected", "entry"),
    [
        ("CREOBS y2 EDIT 3 3.5", (B[0], [8, 3.5, 5, 4]), "CREOBS y2 EDIT 2.5 3.5"),
        ("CREOBS e 0 9", (B[0], [9, 3, 5, 4]), "CREOBS EDIT 0 9"),
        ("CREOBS EDIT LAST 1", (B[0], [8, 3, 5, 1]), "CREOBS EDIT 12.5 1"),
        ("CREOBS y2 ADD 7 2", ([0, 2.5, 7, 8.75, 12.5], [8, 3, 2, 5, 4]), "CREOBS y2 ADD 7 2"),
        ("CREOBS y2 REMOVE 8", ([0, 2.5, 12.5], [8, 3, 4]), "CREOBS y2 REMOVE 8.75"),
        ("CREOBS y2 MOVE 2.5 5", C, "CREOBS y2 MOVE 2.5 5"),
    ],
)
def test_one_point_is_changed_without_retyping(session, line, expected, entry):
    session(GUESSED, line)
    assert points(session) == expected
    assert session.entries[-1] == entry
    assert_allclose(session.env.guesses["y2"].curve(expected[0]), expected[1], atol=1e-12)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CREOBS 2 1 12", "INCLUDE FIRST AND LAST SAMPLE TIMES: FIRST 0 and LAST 12.5 not among the points"),
        ("CREOBS 2 0 12", "LAST 12.5 not among"),
        ("CREOBS 3 0 13 12.5", "13 is not between the first and the last sample time, 0 and 12.5"),
        ("CREOBS 4 0 3 3 12.5", "only one point at t = 3"),
        ("CREOBS 1", "whole number from 2 to"),
        ("CREOBS 99999", "whole number from 2 to"),
        ("CREOBS some", "enter a number, or one of EDIT, MOVE, ADD, REMOVE, DRAW"),
        ("CREOBS y1 2 0 12.5 1 1", "y1 was observed; not observed: y2"),
        ("CREOBS y2 y2 2 0 12.5 1 1", "enter a number, or one of"),
        ("CREOBS 2 0 12.5 1 many", "not a number"),
        ("CREOBS EDIT 3 2", "y2 has not been guessed yet"),
        ("CREOBS DRAW", "DRAW needs a terminal"),
        ("CREOBS 2 0 12.5 1e308 -1e308", "overflows"),
    ],
)
def test_what_will_not_do_is_refused(session, line, message):
    assert message in session.refused(line)
    assert message in session.failing(Script(line.split(), SCRIPT))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("CREOBS REMOVE 0", "must stay"),
        ("CREOBS REMOVE 12", "must stay"),
        ("CREOBS MOVE 12.5 11", "must stay"),
        ("CREOBS ADD 2.5 1", "a point at t = 2.5 already"),
        ("CREOBS ADD 20 1", "not between"),
    ],
)
def test_changes_that_will_not_do_are_refused(session, line, message):
    assert message in session.refused(GUESSED, line)


def test_at_a_terminal_it_is_asked_for_again(session):
    typist = session.typed("CREOBS", "?", "3 0 1 2", "EDIT 3 4", "2 FIRST", "LAST", "4", "5")
    assert typist.n_left == 0
    assert points(session) == ([0, 12.5], [4, 5])
    assert session.entries == ["CREOBS 2 0 12.5 4 5"]
    assert typist.questions[0] == "ENTER NO. OF JOINTS AND JOINT POSITIONS FOR STATE VARIABLE y2"
    assert typist.asked[1][1].endswith("INCLUDE FIRST AND LAST SAMPLE TIMES")
    assert "ENTER CORRESPONDING ORDINATES FOR CREATED OBS" in typist.questions


# ---- which state


def test_of_several_states_the_next_without_a_guess_is_offered(chain):
    typist = chain.typed("CREOBS", "", "2 0 4 1 2", "CREOBS", "", "2 0 4 3 4", "CREOBS", "c", "2 0 4 5 6")
    assert typist.n_left == 0
    assert points(chain, "b") == ([0, 4], [1, 2])
    assert points(chain, "c") == ([0, 4], [5, 6])
    assert [prompt for prompt, text in typist.asked if text.startswith("STATE VARIABLE")] == [
        "[b]: ",
        "[c]: ",
        "[b]: ",
    ]


def test_states_go_by_name_or_subscript(chain):
    chain("CREOBS 3 2 0 4 5 6", "CREOBS b 3 0 2 4 0 1 0", "CREOBS b EDIT 2 2")
    assert points(chain, "c") == ([0, 4], [5, 6])
    assert points(chain, "b") == ([0, 2, 4], [0, 2, 0])
    assert "a was observed; not observed: b, c" in chain.refused("CREOBS a 2 0 4 1 1")


def test_where_all_was_observed_there_is_nothing_to_guess(begin):
    session = begin(table=COMMANDS)
    assert "every state was observed" in session.refused(GUESSED)


def test_a_state_with_too_few_observations_to_smooth_can_be_guessed(begin):
    data = data_of("predator-prey")
    values = data.values.copy()
    values[2:, 1] = np.nan
    session = begin(data=make_observations(data.times, data.names, values), table=COMMANDS)
    session(GUESSED)
    assert points(session) == B


# ---- kept and recalled


def test_marks_keep_guesses_with_the_parameters(session, begin):
    session(GUESSED, "MARK before", "SET 1 2", "CREOBS MOVE 2.5 5", "MARK after")
    assert "guessed as then: y2" in session("RECALL before")
    assert points(session) == B
    assert session.env.values[0] == 1
    session("RECALL after")
    assert points(session) == C
    assert session.env.values[0] == 2
    other = begin(data=only_first(), table=COMMANDS)
    other(*session.entries)
    assert points(other) == C


def test_a_mark_without_guesses_leaves_those_there_are(session):
    session("MARK bare", GUESSED, "RECALL bare")
    assert points(session) == B


def test_undo_takes_a_guess_back(session):
    session(GUESSED, "CREOBS EDIT 2.5 1", "UNDO")
    assert points(session) == B
    session("UNDO")
    assert not session.env.guesses


# ---- drawing


def drawing(*keys):
    """A screen on which somebody presses these keys, and what was seen on it."""
    seen = []

    def show(view):
        for key in keys:
            seen.append(view)
            view = view.press(key)
        return view

    return show, seen


def test_what_was_drawn_is_written_down_as_points(session, begin):
    session.interpreter.console.show_view, seen = drawing("9", "enter", "right", "4", "enter", "enter", "y")
    session(GUESSED)
    session.typed("CREOBS", "DRAW")
    assert points(session) == (B[0], [9, 4, 5, 4])
    assert_array_equal(seen[0].content[0], B[0])
    assert "y2 guessed" in seen[0].render(79, 24)
    assert session.entries[-1] == "CREOBS y2 4 0 2.5 8.75 12.5 9 4 5 4"
    other = begin(data=only_first(), table=COMMANDS)
    other(*session.entries)
    assert points(other) == points(session)


def test_drawing_begins_with_the_initial_value_or_the_last_integration(session):
    session.interpreter.console.show_view, _ = drawing("enter", "y")
    session.typed("CREOBS y2 DRAW")
    assert points(session)[1] == [8] * 5
    session("UNDO", "INTEG N")
    session.typed("CREOBS DRAW")
    run = session.env.integration.trajectory
    assert_allclose(points(session)[1], np.interp(points(session)[0], run.times, run.column("y2")))
    assert (points(session)[0][0], points(session)[0][-1]) == (0, 12.5)


def test_abandoned_drawing_changes_nothing(session):
    session.interpreter.console.show_view, _ = drawing("up", "escape")
    session.typed("CREOBS DRAW")
    assert not session.env.guesses
    assert session.entries == []
    assert "abandoned" in session.errors


def test_guesses_on_what_is_no_state_any_more_are_not_recalled(session):
    session(GUESSED)
    env = session.env
    guess = env.guesses["y2"]
    assert env.with_guesses({"gone": guess}) is env
    assert set(env.with_guesses({"gone": guess, "y1": guess}).guesses) == {"y1", "y2"}
