"""NUDGE as a command: what is kept becomes ordinary commands that play again, what is discarded changes nothing."""

import numpy as np
import pytest
from conversation import assert_same
from numpy.testing import assert_array_equal

from parfit.estimation.parameters import Scaling
from parfit.session.console import Signalled


def keys(*pressed):
    """A screen on which somebody presses these keys."""

    def show(view):
        for key in pressed:
            view = view.press(key)
        return view

    return show


KEEP = ("enter", "enter")


@pytest.fixture
def nudge(begin):
    """A session in which NUDGE is given, keys are pressed, and the values kept; and what is said."""

    def give(*pressed, before=(), line="NUDGE", end=KEEP):
        session = begin()
        session(*before) if before else None
        session.interpreter.console.show_view = keys(*pressed, *end)
        session.typed(line)
        return session

    return give


def played_again(session, begin):
    """A session that did what the journal says, step by step."""
    again = begin()
    again(*session.entries)
    return again


# ---- what is kept


def test_changed_values_are_one_line_with_all_digits(nudge, begin):
    session = nudge("right", "down", *"0.12345678901234567", "enter", "down", "g")
    entry, integration = session.entries
    assert entry.startswith("SET p1 ")
    assert integration == "INTEG N"
    assert "SET p1" in session.output
    again = played_again(session, begin)
    assert_same(session.env, again.env)
    assert_array_equal(session.env.values, again.env.values)
    assert len(session.interpreter.timeline.past) == 2


def test_what_was_seen_is_what_is_plotted_and_reported(nudge):
    session = nudge("right", before=["INTEG N"])
    assert session.entries == ["INTEG N", "SET p1 1.02", "INTEG N"]
    assert session.env.integrated is not None
    assert session.env.sum_of_squares > 1
    assert f"SUM OF SQUARES OF THE RESIDUALS  {session.env.sum_of_squares:.7g}" in session.output
    assert "was made with other" not in session("PLOT 1 2")


@pytest.mark.of_1977
def test_values_that_cannot_be_integrated_are_kept_and_it_is_said(nudge, begin):
    session = nudge(*"5", "enter", before=["INTEG N"])
    assert session.entries == ["INTEG N", "SET p1 5"]
    assert "these values cannot be integrated: the trapezoidal rule found no solution" in session.errors
    assert_same(session.env, played_again(session, begin).env)


def test_only_what_changed_is_written_down(nudge):
    session = nudge("down", *"0.2", "enter", "up", "right", "left")
    assert session.entries == ["SET p2 0.2", "INTEG N"]
    assert session.interpreter.timeline.past[-1].origin == "SET p2 0.2"


def test_freezing_scaling_and_marks_are_commands_of_their_own(nudge, begin):
    session = nudge("right", "m", "f", "down", "s", "right", "m", "down", "f", "f", "s", "s", "right")
    assert session.entries == [
        "SET p1 1.02",
        "INTEG N",
        "MARK m1",
        "SET p2 0.102",
        "INTEG N",
        "MARK m2",
        "SET p3 3.1212",
        "SCALE p2 LOG p3 ROOT",
        "FREEZE p1",
        "INTEG N",
    ]
    assert session.env.parameters.frozen == {0}
    assert session.env.parameters.scaling[1:3] == (Scaling.LOGARITHM, Scaling.SQUARE_ROOT)
    assert [mark.name for mark in session.env.marks] == ["m1", "m2"]
    assert all(mark.sum_of_squares > 0 for mark in session.env.marks)
    assert_same(session.env, played_again(session, begin).env)


@pytest.mark.parametrize(
    ("before", "pressed", "values", "scaling"),
    [
        (["SCALE p1 LOG"], ("s", "s", *"-1", "enter"), -1, Scaling.NONE),
        (["SET p1 -1"], (*"2", "enter", "s"), 2, Scaling.LOGARITHM),
        (["SCALE p1 LOG"], ("s", "s", *"-1", "enter", "m", *"2", "enter", "s"), 2, Scaling.LOGARITHM),
        (["SCALE p1 LOG"], ("s", *"0", "enter"), 0, Scaling.SQUARE_ROOT),
        (["FREEZE p1 p2"], ("f", "down", "down", "f", "up", "up", "right"), 1.02, Scaling.NONE),
        (["MARK m1", "BOUNDS p1 0 2", "SCALE p1 ROOT"], ("right", "m", "s"), 1.0404, Scaling.NONE),
        (["SAMPLE MESH 5 1"], ("right", "m"), 1.02, Scaling.NONE),
        (["OPTION OUTPUT 5", "INTEG Y"], ("right", "m"), 1.02, Scaling.NONE),
        (["FREEZE 2 3 4 5 6"], ("down", "f", "up", "f", "m", "right"), 1.02, Scaling.NONE),
    ],
)
def test_the_journal_gives_the_identical_environment(nudge, begin, before, pressed, values, scaling):
    session = nudge(*pressed, before=before)
    assert session.env.values[0] == pytest.approx(values)
    assert session.env.parameters.scaling[0] is scaling
    again = played_again(session, begin)
    assert_same(session.env, again.env)
    assert again.entries == session.entries
    assert len(again.interpreter.timeline.past) == len(session.interpreter.timeline.past)


@pytest.mark.of_1977
def test_a_mark_where_nothing_can_be_integrated_has_no_sum_of_squares(nudge, begin):
    session = nudge(*"5", "enter", "m")
    assert session.entries == ["SET p1 5", "MARK m1"]
    assert session.env.marks[0].sum_of_squares is None
    assert_same(session.env, played_again(session, begin).env)


def test_undo_takes_it_back_also_when_it_is_played_again(nudge, begin):
    session = nudge("right", "f")
    session("UNDO 2")
    assert session.env.values[0] == 1.02
    assert session.env.parameters.frozen == set()
    session("UNDO")
    assert session.env.values[0] == 1
    assert_same(session.env, played_again(session, begin).env)


def test_what_was_taken_back_in_the_view_is_not_written_down(nudge):
    session = nudge("right", "f", "m", "u", "u", "u", end=("q",))
    assert session.entries == []
    assert "nothing was changed" in session.errors
    session = nudge("f", "f", "right", "left", end=("q",))
    assert session.entries == []
    assert "nothing was changed" in session.errors


def test_it_begins_with_the_parameter_that_is_named(nudge):
    assert nudge("right", line="NUDGE p3").entries[0] == "SET p3 3.06"
    assert nudge("right", line="nudge 6").entries[0] == "SET p6 0.153"


# ---- what is not


@pytest.mark.parametrize("end", [("q", "n"), ("escape",), ("c-c",)])
def test_what_is_discarded_changes_nothing_and_says_what_it_was(nudge, end):
    session = nudge("right", "f", "m", before=["SET 2 .2"], end=end)
    assert session.entries == ["SET p2 0.2"]
    assert session.env.values[0] == 1
    assert session.env.marks == ()
    assert "discarded; nothing was changed (SET p1 1.02 would set" in session.errors
    assert len(session.interpreter.timeline.past) == 1


def test_without_a_whole_screen_it_says_what_to_type(session):
    message = session.refused("NUDGE")
    assert "needs a terminal" in message
    assert all(word in message for word in ("SET", "INTEG", "PLOT"))
    session.interpreter.console.show_view = keys("right", *KEEP)
    assert "needs a terminal" in session.refused("NUDGE")  # for a script cannot press keys
    session.interpreter.console.show_view = None
    session.typed("NUDGE")
    assert session.entries == []
    assert np.array_equal(session.env.values, session.env.first_values)


def test_wrong_words_are_refused(session):
    assert "is no parameter" in session.refused("NUDGE p9")
    assert "more than the command can use" in session.refused("NUDGE p1 p2")


def test_what_a_signal_cuts_off_is_remarked_in_the_journal(begin):
    session = begin()

    def cut_off(view):
        end = Signalled(15)
        end.view = view.press("right").press("f")
        raise end

    session("SET 2 .2")
    session.interpreter.console.show_view = cut_off
    with pytest.raises(Signalled):
        session.typed("NUDGE")
    assert session.entries == ["SET p2 0.2"]
    assert session.run.last_remarks() == ["cut off, and not kept: SET p1 1.02; FREEZE p1"]
    assert_same(session.env, played_again(session, begin).env)
    session("SET 2 .3")
    assert session.run.last_remarks() == []
