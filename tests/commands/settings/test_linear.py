"""LINEAR: what it sets, what DFIT and IFIT make of it, and problems whose linear solution is not unique."""

import numpy as np
import pytest
from coarse import SMOOTH, SMOOTH_EQUILIBRIUM, SMOOTH_PREY, TIGHT, guess_line, only, setting
from conversation import assert_same
from smoothed import equilibrium, lotka_volterra

from parfit.data.observations import make_observations
from parfit.model.model import Model

DERIVATIVE = [-0.0774935, -0.800546, 1.725814, 0.0994478]  # section 3.2, computed independently
INTEGRAL = [-0.1005416, -0.991223, 2.566795, 0.1004100]  # section 3.3


@pytest.fixture
def linear(begin):
    """The change of equilibrium (3.2.11), in which all parameters are linear, from values that are far away."""
    case = equilibrium()
    session = begin(case.model, case.observations)
    session(setting((5, 5, 5, 5)), SMOOTH_EQUILIBRIUM)
    return session


@pytest.mark.parametrize(
    ("lines", "value", "entry"),
    [
        (["LINEAR 1"], True, "LINEAR YES"),
        (["LINEAR", "1"], True, "LINEAR YES"),
        (["linear yes"], True, "LINEAR YES"),
        (["LINEAR 1", "LINEAR 0"], False, "LINEAR NO"),
        (["LINEAR", "no"], False, "LINEAR NO"),
        (["LINEAR 0", "LINEAR AUTO"], None, "LINEAR AUTO"),
        (["LINEAR 1", "LINEAR 2"], None, "LINEAR AUTO"),
    ],
    ids=str,
)
def test_forms(session, begin, lines, value, entry):
    assert session.env.linear is None, "the program decides"
    session(*lines)
    assert session.env.linear is value
    assert session.entries[-1] == entry
    other = begin()
    other.commands(*session.entries)
    assert other.env.linear is value


def test_what_will_not_do(session):
    assert "'3' is not on the menu; enter 1 or YES, 0 or NO, 2 or AUTO" in session.refused("LINEAR 3")
    assert "ENTER 0 TO REMOVE LINEARITY SETTING" in session("HELP LINEAR linearity")
    assert "more than the command can use" in session.refused("LINEAR 1 1")


def test_it_is_undone(session):
    session("LINEAR 1", "UNDO")
    assert session.env.linear is None


@pytest.mark.of_1977
@pytest.mark.parametrize(("command", "expected"), [("DFIT", DERIVATIVE), ("IFIT", INTEGRAL)])
def test_every_setting_finds_the_same(linear, begin, command, expected):
    asked = {
        "LINEAR 1": (["[REGULAR]: "], f"{command} REGULAR"),
        "LINEAR AUTO": (["[REGULAR]: ", "[LINEAR]: "], f"{command} REGULAR LINEAR"),
        "LINEAR 0": (["[REGULAR]: ", "[0.01]: ", "[1e-06]: ", "[1e-15]: "], f"{command} REGULAR 0.01 1e-06 1e-15"),
    }
    for setting_line, (prompts, entry) in asked.items():
        linear(setting((5, 5, 5, 5)), setting_line)
        typist = linear.typed(command, *[""] * len(prompts))
        assert typist.prompts == prompts
        assert linear.entries[-1] == entry
        assert linear.env.values == pytest.approx(expected, rel=1e-5 if setting_line != "LINEAR 0" else 2e-3)
    other = begin(linear.env.model, linear.env.observations)
    other.commands(*linear.entries)
    assert_same(linear.env, other.env)


@pytest.mark.of_1977
@pytest.mark.parametrize("command", ["DFIT", "IFIT"])
def test_lambda_may_be_given_for_a_linear_problem(linear, command):
    """Cards of 1977, whose option 1 knew no linear problems."""
    expected = {"DFIT": DERIVATIVE, "IFIT": INTEGRAL}[command]
    linear(command, "1", f".01 {TIGHT}")
    assert linear.env.values == pytest.approx(expected, rel=1e-5)
    assert linear.entries[-1] == f"{command} REGULAR 0.01 1e-12 1e-18"


@pytest.mark.parametrize("line", ["DFIT 1", "IFIT 1"])
def test_a_problem_that_is_not_linear_is_refused(session, line):
    session(SMOOTH["predator-prey"], "LINEAR 1")
    message = session.refused(line)
    assert "the problem is not linear in the active parameters; LINEAR 0 takes that back" in message
    session("FREEZE p5", line)
    assert "LINEAR PROBLEM" in session.output


@pytest.mark.parametrize("line", ["DFIT 1", "DFIT 2", "DFIT 3", "IFIT 2", "IFIT 3", "IFIT 4"])
def test_so_it_is_with_guesses(begin, line):
    session = begin(data=only("predator-prey", "y1"))
    session(SMOOTH_PREY, guess_line("b"), "LINEAR 1")
    assert "not linear in the active parameters" in session.refused(line)
    if line == "DFIT 1":
        assert "not linear" in session.refused("FREEZE p5", line), "y2 is integrated, and p3 moves it"
        return
    session("FREEZE p5", line)
    assert "LINEAR PROBLEM" in session.output


def test_a_scaled_parameter_is_refused(linear):
    linear("LINEAR 1", "SCALE p4 LOG")
    assert "not linear" in linear.refused("DFIT 1")


@pytest.mark.parametrize("line", ["DFIT 3 Y .01", "IFIT 3", "IFIT 4 Y .01"])
def test_no_starting_values_are_needed(begin, line):
    """Section 3.4: an initial guess at the parameter values was not required."""
    case, found = lotka_volterra(), []
    for start in ((0, 0, 0, 0), (1e4, -3, 8, 1e-6)):
        session = begin(case.model, case.observations)
        session(setting(start), "SMOOTH SPLINE 5 2 3 5 9 16", "CREOBS 4 0 5 10 20 2 14 6 1", "LINEAR 1", line)
        found.append(session.env.values)
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    assert found[0] == pytest.approx([0.15, 0.03, 0.8, 0.1], rel=0.5), "coarse, but near"


# ---- what the curves do not determine


def test_of_many_solutions_that_nearest_to_the_start_is_taken(begin):
    """x' = -(a+b) x: the curve determines a + b only. The singular values are those of two equal columns."""
    model = Model.from_text("par a=1, b=9\nx'=-a*x-b*x\ninit x=1\ndone", "double")
    t = np.arange(1, 17) / 8
    session = begin(model, make_observations(t, ["x"], np.exp(-1.3 * t)[:, np.newaxis]))
    said = session("SMOOTH SPLINE AUTO", "DFIT 1")
    assert "1e-05, 1 REJECTED" in said
    assert "not determined by the curves: a combination of a, b; of all solutions that nearest to the start" in said
    assert session.env.values.sum() == pytest.approx(1.3, rel=1e-2)
    assert session.env.values[1] - session.env.values[0] == pytest.approx(8.0, rel=1e-9), "which nothing determines"
    [line] = [line for line in said.split("\n") if line.startswith("LINEAR PROBLEM")]
    largest, smallest = map(float, line.split()[-2:])
    assert largest == pytest.approx(np.sqrt(2), rel=1e-5)
    assert smallest < 1e-10 * largest
