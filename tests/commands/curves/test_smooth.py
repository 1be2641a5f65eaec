"""SMOOTH and RESMOOTH."""

import numpy as np
import pytest
from conversation import SCRIPT, data_of, model_of
from numpy.testing import assert_allclose
from scipy.interpolate import LSQUnivariateSpline

from parfit.commands import TABLE
from parfit.commands.curves.smooth import resmooth, smooth
from parfit.commands.table import Table
from parfit.data.observations import make_observations
from parfit.errors import Abandoned
from parfit.model.model import Model
from parfit.session.sources import Script

COMMANDS = Table([*(each for each in TABLE.commands if each.name not in ("SMOOTH", "RESMOOTH")), smooth, resmooth])
STIFF = {"y1": [10], "y2": [0.0007, 0.0014, 0.0016, 15]}  # joints of section 3.2
FIRST = {"y1": [4, 8], "y2": [7, 10.5]}  # of Problem 4.2.1
SMOOTHED = "SMOOTH SPLINE 2 4 8 2 7 10.5"


@pytest.fixture
def session(begin):
    return begin(table=COMMANDS)


def joints(session):
    return {name: each.tolist() for name, each in session.env.smoothing.joints.items()}


def table_of(text):
    """The numbers of the table of residuals: variable -> values, joints, rms, largest, time."""
    lines = text.split("\n")
    top = next(k for k, line in enumerate(lines) if line.startswith("variable"))
    rows = {}
    for line in lines[top + 1 :]:
        if len(line.split()) < 6:  # the plot
            break
        *name, values, n, rms, largest, t = line.split()
        rows[" ".join(name)] = [int(values), int(n), float(rms), float(largest), float(t)]
    return rows


# ---- SMOOTH


@pytest.mark.parametrize(
    "lines",
    [
        ["SMOOTH HERMITE 1 10 4 .0007 .0014 .0016 15"],
        ["smooth 2, 1, 10, 4, .0007 .0014 .0016 15 n"],
        ["SMOOTH", "2", "1 10", "4 .0007 .0014 .0016 15"],
        ["SMOOTH", "HERMITE", "1", "10", "4", ".0007", ".0014 .0016", "15", "N"],
        ["SMOOTH HERM 1 10 4 15 .0016 .0014 .0007"],  # in any order
    ],
)
def test_all_forms_do_the_same(begin, lines):
    session = begin("enzyme", "enzyme", table=COMMANDS)
    session(*lines, "NOTE after")
    assert session.env.smoothing.kind == "hermite"
    assert joints(session) == STIFF
    assert session.entries[0].split()[:4] == ["SMOOTH", "HERMITE", "1", "10"]
    assert session.entries[0].endswith(" N")


def test_the_curves_are_least_squares_splines(session):
    session(SMOOTHED)
    data = session.env.observations
    for j, name in enumerate(data.names):
        other = LSQUnivariateSpline(data.times, data.values[:, j], FIRST[name])
        curve = session.env.smoothing.curves[name]
        assert_allclose(curve(data.times), other(data.times), atol=1e-9)
        assert curve(0.0) == pytest.approx(float(other(0.0))), "it can be had at the initial time"


def test_residuals_and_curves_are_shown_at_once(session):
    said = session(SMOOTHED)
    data = session.env.observations
    rows = table_of(said)
    for j, name in enumerate(data.names):
        residuals = data.values[:, j] - session.env.smoothing.curves[name](data.times)
        k = np.argmax(np.abs(residuals))
        expected = [25, 2, np.sqrt((residuals**2).mean()), residuals[k], data.times[k]]
        assert rows[name] == pytest.approx(expected, rel=1e-6)
    assert "y1 observed" in said
    assert "y2 smoothed" in said
    assert "DERIVATIVE" not in said


def test_derivatives_are_plotted_if_desired(session):
    said = session(f"{SMOOTHED} Y")
    assert said.count("DERIVATIVE") == 2
    assert "y1' smoothed" in said


def test_plot_and_report_have_the_curves(session):
    session(SMOOTHED)
    assert "y2 smoothed" in session("PLOT SMOOTHED")
    assert "JOINTS FOR y2: 7 10.5" in session("REPORT SMOOTHING")


def test_automatic_joints_are_written_down_as_numbers(session, begin):
    said = session("SMOOTH SPLINE AUTO a")
    assert "JOINTS CHOSEN FOR y1:" in said
    entry = session.entries[0]
    assert "AUTO" not in entry.upper()
    other = begin(table=COMMANDS)
    again = other.commands(entry)
    assert "CHOSEN" not in again
    assert joints(other) == joints(session)
    assert other.entries == session.entries
    t = session.env.samples.times
    for name in joints(session):
        np.testing.assert_array_equal(other.env.smoothing.curves[name](t), session.env.smoothing.curves[name](t))


def test_what_a_line_leaves_open_is_automatic_and_said(session):
    said = session("SMOOTH HERMITE 1 6")
    assert joints(session)["y1"] == [6]
    assert "(joints for y2 AUTO; derivatives N)" in said


def test_no_joints_make_one_cubic(session):
    session("SMOOTH SPLINE 0 0")
    data = session.env.observations
    cubic = np.polynomial.Polynomial.fit(data.times, data.values[:, 0], 3)
    assert_allclose(session.env.smoothing.curves["y1"](data.times), cubic(data.times), atol=1e-9)


def test_weights_count_and_missing_values_do_not(begin):
    data = data_of("predator-prey")
    values, weights = data.values.copy(), np.ones((25, 2))
    values[[3, 8], 0] = np.nan
    values[12, 1] = 50
    weights[12, 1] = 0
    weights[:6, 1] = 4
    session = begin(data=make_observations(data.times, data.names, values, weights), table=COMMANDS)
    rows = table_of(session(SMOOTHED))
    assert rows["y1"][0] == 23
    assert rows["y2"][0] == 24
    kept = np.delete(np.arange(25), 12)
    other = LSQUnivariateSpline(data.times[kept], values[kept, 1], FIRST["y2"], weights[kept, 1])
    assert_allclose(session.env.smoothing.curves["y2"](data.times), other(data.times), atol=1e-8)


def test_aux_quantities_and_replicates_are_smoothed_too(begin):
    model = Model.from_text("par k=1\nx'=-k*x\naux twice=2*x\ninit x=1\ndone", "aux")
    t = np.repeat(np.linspace(0, 3, 10), 2)
    y = 2 * np.exp(-t)[:, None]
    session = begin(model, make_observations(t, ["twice"], y), table=COMMANDS)
    said = session("SMOOTH 1 1 1.5")
    assert joints(session) == {"twice": [1.5]}
    assert table_of(said)["twice"][0] == 20


def test_what_has_too_few_values_is_left_out_and_said(begin):
    data = data_of("predator-prey")
    values = data.values.copy()
    values[3:, 1] = np.nan
    session = begin(data=make_observations(data.times, data.names, values), table=COMMANDS)
    session("SMOOTH SPLINE 1 6")
    assert joints(session) == {"y1": [6]}
    assert "y2 has values at 3 different times only and is not smoothed" in session.errors
    values[3:, 0] = np.nan
    session = begin(data=make_observations(data.times, data.names, values), table=COMMANDS)
    assert "no variable has values at 4 different times" in session.refused("SMOOTH 1")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SMOOTH SPLINE 30", "EXCESS OF 9 JOINTS"),
        ("SMOOTH HERMITE 11", "EXCESS OF 1 JOINT: values at 25 different times determine 10 at most"),
        ("SMOOTH HERMITE 4 3.1 3.2 3.3 3.4", "SINGULAR PROBLEM--REDISTRIBUTE JOINTS OR REMOVE SOME JOINTS"),
        ("SMOOTH SPLINE 2 4 40", "joint 40 is not between the first and the last observation"),
        ("SMOOTH SPLINE 1 .5", "joint 0.5 is not between"),
        ("SMOOTH SPLINE 2 4 4", "joint 4 is there twice"),
        ("SMOOTH CUBIC", "not on the menu"),
        ("SMOOTH SPLINE 2 4", "the input ends where an answer is needed: ENTER JOINT POSITION 2 OF 2"),
        ("SMOOTH SPLINE some", "enter a whole number from 0 on"),
    ],
)
def test_a_script_fails_on_joints_that_will_not_do(session, line, message):
    assert message in session.refused(line)
    assert message in session.failing(Script(line.split(), SCRIPT))


def test_at_a_terminal_they_are_asked_for_again(session):
    typist = session.typed("SMOOTH", "", "30", "2 4 40", "5 3.1 3.2 3.3 3.4 3.45", "1", "6", "?", "0", "Y")
    assert typist.n_left == 0
    assert joints(session) == {"y1": [6], "y2": []}
    assert session.entries == ["SMOOTH SPLINE 1 6 0 Y"]
    for message in ("EXCESS OF 9", "joint 40", "SINGULAR PROBLEM"):
        assert message in session.errors
    question = "ENTER NUMBER OF JOINTS AND JOINT POSITIONS FOR STATE VARIABLE y"
    assert [text for text in typist.questions if text.startswith(question)] == [question + "1"] * 4 + [
        question + "2"
    ] * 2
    assert "AUTO (or A)" in session.output


def test_abandoned_in_the_middle_it_changes_nothing(session):
    session.typed("SMOOTH", "1", "2 4", Abandoned("abandoned"))
    assert session.env.smoothing is None
    assert session.entries == []


def test_it_needs_observations(begin):
    session = begin(data=None, table=COMMANDS)
    assert "there are no observations" in session.refused("SMOOTH")


# ---- RESMOOTH


@pytest.mark.parametrize(
    ("line", "expected", "entry"),
    [
        ("RESMOOTH y1 4.4 5", [5, 8], "RESMOOTH y1 4 5 N"),
        ("RESMOOTH 1 7 9.5 N", [4, 9.5], "RESMOOTH y1 8 9.5 N"),
        ("RESMOOTH y1 4 10", [8, 10], "RESMOOTH y1 4 10 N"),  # past the other
        ("RESMOOTH Y1 8 REMOVE", [4], "RESMOOTH y1 8 REMOVE N"),
        ("RESMOOTH y1 9 r", [4], "RESMOOTH y1 8 REMOVE N"),
        ("RESMOOTH y1 ADD 6", [4, 6, 8], "RESMOOTH y1 ADD 6 N"),
        ("RESMOOTH y1 NEW 3 2 5 9", [2, 5, 9], "RESMOOTH y1 NEW 3 2 5 9 N"),
    ],
)
def test_one_joint_is_changed_without_retyping(session, line, expected, entry):
    session(SMOOTHED)
    before = session.env.smoothing
    said = session(line)
    assert joints(session) == {"y1": expected, "y2": [7, 10.5]}
    assert session.entries[-1] == entry
    assert session.env.smoothing.curves["y2"] is before.curves["y2"]
    data = session.env.observations
    other = LSQUnivariateSpline(data.times, data.values[:, 0], expected)
    assert_allclose(session.env.smoothing.curves["y1"](data.times), other(data.times), atol=1e-9)
    rows = table_of(said)
    for row, curve in (("y1 before", before.curves["y1"]), ("y1 now", other)):
        residuals = data.values[:, 0] - curve(data.times)
        assert rows[row][2] == pytest.approx(np.sqrt((residuals**2).mean()), rel=1e-6)
    assert "y2" not in said.split("\n", 1)[1]


def test_card_form_and_default_variable(session):
    session(SMOOTHED, "RESMOOTH", "y2", "7", "6.5", "Y")
    assert joints(session)["y2"] == [6.5, 10.5]
    typist = session.typed("RESMOOTH", "", "ADD", "6", "")
    assert typist.n_left == 0
    assert joints(session)["y1"] == [4, 6, 8]


def test_automatic_again_for_one_variable(session, begin):
    session(SMOOTHED, "RESMOOTH y2 NEW AUTO")
    assert joints(session)["y1"] == [4, 8]
    other = begin(table=COMMANDS)
    other.commands(*session.entries)
    assert "AUTO" not in session.entries[-1]
    assert joints(other) == joints(session)


def test_hermite_stays_hermite(session):
    session("SMOOTH HERMITE 1 6 0", "RESMOOTH y1 6 5")
    assert session.env.smoothing.kind == "hermite"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("RESMOOTH y1 4 40", "joint 40 is not between"),
        ("RESMOOTH y1 4 8", "joint 8 is there twice"),
        ("RESMOOTH y1 ADD 8", "joint 8 is there twice"),
        ("RESMOOTH y3 4 5", "is no smoothed variable"),
        ("RESMOOTH y1 half 5", "not a number"),
        ("RESMOOTH y1 4 away", "not a number"),
    ],
)
def test_changes_that_will_not_do_are_refused(session, line, message):
    assert message in session.refused(SMOOTHED, line)


def test_at_a_terminal_a_change_is_asked_for_again(session):
    session(SMOOTHED)
    typist = session.typed("RESMOOTH", "y1", "4 8", "4", "5", "N")
    assert typist.n_left == 0
    assert session.entries[-1] == "RESMOOTH y1 4 5 N"


def test_without_joints_there_is_none_to_move(session):
    assert "y1 has no joints; ADD" in session.refused("SMOOTH SPLINE 0 0", "RESMOOTH y1 4 5")
    session("RESMOOTH y1 ADD 4")
    assert joints(session)["y1"] == [4]


def test_joints_are_drawn_and_written_down_as_if_entered(session, begin):
    def show(view):
        for key in ("right", "9", "enter", "a", "enter", "enter"):
            view = view.press(key)
        return view

    session.interpreter.console.show_view = show
    session(SMOOTHED)
    session.typed("RESMOOTH y1 DRAW")
    assert joints(session)["y1"] == [4, 9, 10.75]
    assert session.entries[-1] == "RESMOOTH y1 NEW 3 4 9 10.75 N"
    session.typed("SMOOTH", "SPLINE", "DRAW", "2 7 10.5", "N")
    assert session.entries[-1].startswith("SMOOTH SPLINE ")
    assert session.entries[-1].endswith(" 2 7 10.5 N")
    again = begin(table=COMMANDS)
    again(*session.entries)
    assert joints(again) == joints(session)


def test_drawing_needs_a_screen_and_can_be_abandoned(session):
    assert "DRAW needs a terminal" in session.refused("SMOOTH SPLINE DRAW")
    assert "DRAW needs a terminal" in session.refused(SMOOTHED, "RESMOOTH y1 DRAW")
    session.interpreter.console.show_view = lambda view: view.press(">").press("escape")
    session.typed("RESMOOTH y1 DRAW")
    assert "abandoned" in session.errors
    assert joints(session) == FIRST


def test_it_needs_a_smoothing(session):
    assert "SMOOTH does it" in session.refused("RESMOOTH y1 4 5")


def test_undo_brings_the_curves_back(session):
    session(SMOOTHED, "RESMOOTH y1 4 5", "UNDO")
    assert joints(session) == FIRST
    session("UNDO")
    assert session.env.smoothing is None


def test_the_bundled_problems_can_be_smoothed_automatically(begin):
    for name in ("enzyme", "bellman", "barnes", "bard", "predator-prey-2"):
        session = begin(name, name, keeping=False, table=COMMANDS)
        session("SMOOTH HERMITE AUTO")
        assert set(joints(session)) == set(session.env.observations.names)
        assert model_of(name) is session.env.model


def test_each_variable_is_seen_with_its_curve_before_the_next_is_asked_for(session):
    typist = session.typed("SMOOTH", "1", "2", "4", "8", "1", "7", "N")
    said = session.output
    first, second = said.index("y1 observed"), said.index("y2 observed")
    assert "y2" not in said[: said.index("joints")].replace("predator", ""), "the very variable alone"
    assert first < second
    assert said.count("joints") >= 2
    assert said.count("y1 smoothed") == 2, "and all together at the end"
    assert [text for _, text in typist.asked if "FOR STATE VARIABLE y2" in text]
    assert session("SMOOTH SPLINE 2 4 8 1 7").count("y1 smoothed") == 1
