"""IFIT: its questions and their forms, the published numbers, and what it refuses."""

import re

import numpy as np
import pytest
from coarse import (
    ACCURATE,
    EPIDEMIC,
    SMOOTH_ENZYME,
    SMOOTH_EQUILIBRIUM,
    SMOOTH_PREY,
    TIGHT,
    TWO,
    epidemic,
    epidemic_data,
    guess_line,
    only,
    ready,
    rounds_of,
    setting,
)
from conversation import SCRIPT, Typist, assert_same
from numpy.testing import assert_array_equal
from smoothed import equilibrium, lotka_volterra

from parfit.data.observations import make_observations
from parfit.estimation.problems.integral_fit import QuadratureFit
from parfit.model.model import Model
from parfit.session.sources import Script

# Computed independently: problem 4.2.1, and problem 4.4.1 with guesses (a) and (b).
REGULAR = [0.97337, 0.10221, 2.92482, 1.00676, 0.11072, 0.14482]
GUESSED = {
    "a": [1.05100, 0.051445, 1.13718, 0.170707, -0.082042, 0.150710],
    "b": [3.8842, 0.41875, 1.5395, 0.59743, 0.15030, 0.64778],
}


# ---- published numbers


@pytest.mark.of_1977
def test_the_stiff_problem(begin):
    """Section 3.3: 607.3 (which must be 60.73), .9901, .009281; below what was computed from the printed table."""
    session = begin("enzyme", "enzyme")
    session(setting((50, 5, 0.5)), SMOOTH_ENZYME, f"IFIT 1 .01 {TIGHT}")
    assert session.env.values == pytest.approx([60.9224, 0.990114, 0.00928196], rel=2e-4)
    [line] = [line for line in session.report.split("\n") if line.startswith("IFIT, REGULAR")]
    assert float(line.split()[-1]) == pytest.approx(2.73140, rel=2e-4)


@pytest.mark.of_1977
@pytest.mark.parametrize("start", [(0, 0, 0, 0), (7, -50, 1e6, 3)])
def test_the_change_of_equilibrium_needs_no_starting_values(begin, start):
    """Section 3.3: -.1006, -.9913, 2.569, .1004, data from another integration."""
    case = equilibrium()
    session = begin(case.model, case.observations)
    said = session(setting(start), SMOOTH_EQUILIBRIUM, "IFIT 1")
    assert session.env.values == pytest.approx([-0.1005416, -0.991223, 2.566795, 0.1004100], rel=1e-5)
    assert "LINEAR PROBLEM" in said
    assert session.entries[-1] == "IFIT REGULAR LINEAR"


@pytest.mark.of_1977
def test_problem_421(both):
    both(f"IFIT 1 .01 {TIGHT}")
    assert both.env.values == pytest.approx(REGULAR, rel=1e-4)


@pytest.mark.of_1977
@pytest.mark.parametrize("guess", GUESSED)
def test_problem_441_with_guesses(begin, guess):
    session = begin(data=only("predator-prey", "y1"))
    ready(session, guess)
    session(*["IFIT 2 .01 -1e-12 -1e-18"] * 2)  # scaled, without which Marquardt's method creeps along a valley
    assert session.env.values == pytest.approx(GUESSED[guess], rel=1e-3)


def test_guess_c_leads_to_where_fit_fails(begin):
    """Section 4.4: parameters from which the FIT method was unsuccessful due to instabilities."""
    session = begin(data=only("predator-prey", "y1"))
    ready(session, "c")
    session("IFIT 2", "FIT 1 .01 1e-9 1e-9")
    assert "could not be integrated at several trials in a row" in session.errors
    assert session.env.sum_of_squares > 100


@pytest.mark.of_1977
def test_iterating_by_integration(prey):
    """Section 4.4: iterations 0 and 1 differ substantially, 1 and 2 are essentially identical (2.2 % and 72 %)."""
    prey("IFIT 3 .01 1e-9 1e-15 2 N")
    rounds = rounds_of(prey)
    assert rounds.shape == (4, 6)
    assert_array_equal(rounds[0], TWO)
    changes = np.abs(np.diff(rounds, axis=0) / rounds[:-1]).max(axis=1)
    assert changes[1] == pytest.approx(0.72, abs=0.01)
    assert changes[2] <= 0.022


# ---- forms


@pytest.mark.of_1977
@pytest.mark.parametrize(
    "lines",
    [
        [f"IFIT 1 .01 {TIGHT}"],
        [f"ifit regular 0.01 {TIGHT}"],
        ["IFIT", "1", ".01", *TIGHT.split()],
        ["IFIT", "REG", f".01 {TIGHT}"],
    ],
    ids=" / ".join,
)
def test_all_forms_of_the_regular_option(both, begin, lines):
    both(*lines)
    assert both.env.values == pytest.approx(REGULAR, rel=1e-4)
    assert both.entries[-1] == "IFIT REGULAR 0.01 1e-12 1e-18"
    other = begin()
    other.commands(*both.entries)
    assert_same(both.env, other.env)


@pytest.mark.of_1977
@pytest.mark.parametrize(
    ("lines", "entry"),
    [
        (["IFIT 2"], "IFIT GUESSED 0.01 1e-06 1e-15"),
        (["IFIT", "guessed", ".01 1e-6 1e-15"], "IFIT GUESSED 0.01 1e-06 1e-15"),
        (["IFIT 3"], "IFIT SUBSYSTEMS 0.01 1e-06 1e-15 N"),
        (["IFIT", "3", ".01 1e-6 1e-6", "N"], "IFIT SUBSYSTEMS 0.01 1e-06 1e-06 N"),
        (
            ["IFIT", "3", ".01 1e-6 1e-6", "Y", ".1 1e-6 1e-6", "N"],
            "IFIT SUBSYSTEMS 0.01 1e-06 1e-06 Y 0.1 1e-06 1e-06 N",
        ),
        (["ifit sub .01 1e-6 1e-6 2 1 0"], "IFIT SUBSYSTEMS 0.01 1e-06 1e-06 2 1 0"),
        (["IFIT 4"], "IFIT ITERATED Y 0.01 0.01 1e-06 1e-15 N N"),
        (
            ["IFIT", "4", "N", ".01", ".01 1e-6 1e-6", "N", "Y", ".01 1e-6 1e-6", "Y", ".001", "N", "N"],
            "IFIT ITERATED N 0.01 0.01 1e-06 1e-06 N Y 0.01 1e-06 1e-06 Y 0.001 N N",
        ),
    ],
    ids=str,
)
def test_forms_with_guesses(prey, begin, lines, entry):
    prey(*lines)
    assert prey.entries[-1] == entry
    other = begin(data=only("predator-prey", "y1"))
    other.commands(*prey.entries)
    assert_same(prey.env, other.env)
    assert_array_equal(other.env.guesses["y2"].y, prey.env.guesses["y2"].y)
    assert_array_equal(rounds_of(other), rounds_of(prey))


@pytest.mark.of_1977
def test_the_questions_at_a_terminal(prey):
    typist = prey.typed("IFIT", "3", "", "", "", "Y", "", "", "", "3", "N")
    assert typist.n_left == 0
    lam = "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE"
    again = "IS ANOTHER ITERATION DESIRED? Y OR N"
    one_round = [lam, "RELATIVE TOLERANCE", "ABSOLUTE TOLERANCE", again]
    assert typist.questions == ["ENTER METHOD", *one_round, *one_round, again]
    assert len(prey.env.iterates) == 1 + 2 + 3
    assert prey.entries[-1] == "IFIT SUBSYSTEMS 0.01 1e-06 1e-15 Y 0.01 1e-06 1e-15 3 N"


def test_rounds_asked_for_by_a_number_ask_for_nothing_else(prey):
    """Neither lambda nor refinements nor whether to go on, until they are done; a refinement before them counts."""
    typist = prey.typed("IFIT", "4", "Y", ".01", ".01", "1e-6", "1e-6", "N", "3", "Y", "", "", "", "N", "N")
    assert typist.n_left == 0
    refinements = [text for text in typist.questions if text.startswith("IS A FURTHER REFINEMENT")]
    assert len(refinements) == 2, "in the first round, and in that after the three"
    assert len(prey.env.iterates) == 1 + 1 + 3 + 1
    assert "IFIT, ITERATED: SUM OF SQUARES" in prey.report


@pytest.fixture
def linear(begin):
    """Lotka and Volterra's problem, observed in the prey: linear whatever is guessed (section 3.4)."""
    case = lotka_volterra()
    session = begin(case.model, case.observations)
    session("SMOOTH SPLINE 5 2 3 5 9 16", "CREOBS 4 0 5 10 20 2 14 6 1")
    return session


@pytest.mark.of_1977
@pytest.mark.parametrize(
    "lines",
    [
        ["IFIT 4 Y 1e-6 LINEAR N 2 N"],
        ["IFIT", "4", "Y", "1e-6", "LIN", "N", "2", "N"],
        # The cards of 1977 without LINEAR, with lambda and tolerances: the same minima by iteration.
        ["IFIT", "4", "Y", "1e-6"] + [".01 1e-14 1e-18", "N", "Y"] * 2 + [".01 1e-14 1e-18", "N", "N"],
        # And with LINEAR, when nothing of the kind was asked.
        ["LINEAR", "1", "IFIT", "4", "Y", "1e-6", "N", "Y", "N", "Y", "N", "N"],
    ],
    ids=" / ".join,
)
def test_linear_problems_by_all_cards(linear, lines):
    linear(setting((1, 1, 1, 1)), *lines)
    expected = self_made_rounds(linear, 3)
    assert rounds_of(linear)[1:] == pytest.approx(expected, rel=1e-4)


def self_made_rounds(session, n):
    """The same in numpy: sums of trapezoids, and all of (3.4.1) as one dense linear problem."""
    case = lotka_volterra()
    t, h = case.times, np.diff(case.times)
    curve = session.env.smoothing.curves["y1"]
    x, slope = curve(t), curve(t, 1)
    c = session.env.iterates[0].guesses["y2"]
    found = []
    for _ in range(n):
        columns = [np.cumsum(h * (v[1:] + v[:-1]) / 2) for v in (x, -x * c, -c, x * c)]
        zero = np.zeros(h.size)
        matrix = np.block(
            [
                [columns[0][:, None], columns[1][:, None], zero[:, None], zero[:, None]],
                [zero[:, None], zero[:, None], columns[2][:, None], columns[3][:, None]],
            ]
        )
        p = np.linalg.lstsq(matrix, np.concatenate((x[1:] - 12, c[1:] - 2)), rcond=None)[0]
        found.append(p)
        start = x.copy()
        start[0] = 12
        rows, right = [], []
        for k in range(1, t.size):
            row = np.zeros(t.size)
            row[k] = -p[1] * x[k]
            rows.append(row)
            right.append(slope[k] - p[0] * x[k])
            row = np.zeros(t.size)
            row[k - 1 : k + 1] = (p[3] * start[k - 1 : k + 1] - p[2]) / 2
            row[k - 1] += 1 / h[k - 1]
            row[k] -= 1 / h[k - 1]
            rows.append(row)
            right.append(0)
        matrix, right = np.array(rows), np.array(right)
        rest = np.linalg.lstsq(matrix[:, 1:], right - matrix[:, 0] * c[0], rcond=None)[0]
        c = np.append(c[0], rest)
    return np.array(found)


def test_linear_is_what_a_linear_problem_is_offered(linear):
    typist = linear.typed("IFIT", "2", "")
    assert typist.prompts == ["[REGULAR]: ", "[LINEAR]: "]
    assert linear.entries[-1] == "IFIT GUESSED LINEAR"
    assert "(lambda LINEAR)" in linear("IFIT 2")


# ---- initial values


OPEN = Model.from_text("par a=1, b=1, c=1\nx'=-a*x+b*z\nz'=a*x-b*z\ninit x=c, z=0\ndone", "open initial value")


def test_parameters_of_initial_values_are_found(begin):
    """Section 3.3: IFIT can provide information on parameters which occur only in the initial conditions."""
    t = np.arange(1, 25) / 8
    x = 1 + 2 * np.exp(-1.5 * t)  # a = 1, b = .5, c = 3
    session = begin(OPEN, make_observations(t, ["x", "z"], np.stack((x, 3 - x), axis=1)))
    said = session(ACCURATE, "SMOOTH SPLINE AUTO AUTO", "IFIT 1")
    assert session.env.values == pytest.approx([1, 0.5, 3], rel=0.01)
    assert "LINEAR PROBLEM" in said


def test_an_initial_value_can_make_it_nonlinear(begin):
    """The equations are linear in a and b, but x(0) = c^2: derivative fitting would be linear, this is not."""
    text = "par a=1, b=1, c=1\nx'=-a*x+b*z\nz'=a*x-b*z\ninit x=c^2, z=0\ndone"
    t = np.arange(1, 25) / 8
    x = 1 + 2 * np.exp(-1.5 * t)
    session = begin(Model.from_text(text, "squared"), make_observations(t, ["x", "z"], np.stack((x, 3 - x), axis=1)))
    session("SMOOTH SPLINE AUTO AUTO")
    assert "not linear in the active parameters" in session.refused("IFIT 1 LINEAR")
    session(f"IFIT 1 .01 {TIGHT}")
    assert session.env.values == pytest.approx([1, 0.5, np.sqrt(3)], rel=0.01)


@pytest.mark.of_1977
def test_the_integrals_are_as_accurate_as_option_says(begin):
    """Against sums over a fine mesh in numpy; the trapezoidal rule on the sample times gives other parameters."""
    case = equilibrium()
    session = begin(case.model, case.observations)
    session(SMOOTH_EQUILIBRIUM, "IFIT 1")
    coarse = session.env.values
    session("OPTION PROCEDURE GEAR EPS 1e-9 HMIN 0", "IFIT 1")
    t, n = session.env.samples.times, 400
    fine = np.concatenate((np.linspace(t[:-1], t[1:], n, endpoint=False).T.ravel(), t[-1:]))
    y1, y2 = (session.env.smoothing.curves[name](fine) for name in ("y1", "y2"))

    def integral(values):
        areas = np.diff(fine) * (values[1:] + values[:-1]) / 2
        return np.append(0, np.cumsum(areas))[::n]

    columns = np.zeros((2, t.size, 4))
    columns[0, :, :3] = np.stack([integral(y1**k) for k in (3, 2, 1)], axis=1)
    columns[1, :, 3] = integral(y1)
    right = np.array([y1[::n] - 1.5 + integral(y2), y2[::n] - 1])
    expected = np.linalg.lstsq(columns.reshape(-1, 4), right.ravel(), rcond=None)[0]
    assert session.env.values == pytest.approx(expected, rel=1e-4)
    assert np.abs(coarse / expected - 1).max() > 1e-3


@pytest.mark.of_1977
def test_an_unknown_initial_value_of_the_guessed_state(begin):
    """Section 4.4: with y2(0) unknown problem 4.4.1 is singular, for the second equation is homogeneous in y2."""
    session = begin()
    text = "MODEL init y2=start"
    session("MODEL par start=8", text)
    session = begin(session.env.model, only("predator-prey", "y1"))
    session(SMOOTH_PREY, guess_line("b"))
    assert "start occurs only in initial values" in session.refused("DFIT 3")
    session("IFIT 4 N .01 .01 1e-6 1e-6 N 2 N", "INTEG Y")
    said = " ".join(session("PROBE Y").split())
    assert "p2 and start trade off: only p2*start is determined" in said
    assert "FREEZE p2 or FREEZE start at a known value" in said
    session("FIT 3 1e-10")
    assert session.env.sum_of_squares == pytest.approx(6.846106e-5, rel=1e-4), "that of the problem with 8"
    p2, start = session.env.values[[1, 6]]
    assert p2 * start == pytest.approx(8 * 0.09107515, rel=1e-3)
    said = " ".join(session("STATS FULL").split())
    assert "The parameters are not unique: the Jacobian has rank 6 for 7 active parameters" in said


def test_a_state_that_was_not_observed_is_integrated_along(begin):
    """The true values are those of the data, and the start is far away in all of them."""
    case = equilibrium()
    seen = make_observations(case.observations.times, ["y1"], case.observations.values[:, :1])
    session = begin(case.model, seen)
    session(setting((-2, -0.1, 40, 2)), "SMOOTH SPLINE AUTO", "IFIT 1 MORE")
    assert session.entries[-1] == "IFIT REGULAR MORE 1e-08 500"
    session("FIT MORE")
    assert session.env.values == pytest.approx([-0.1, -1.0, 2.4, 0.1], rel=1e-3)


def test_mores_method_ends_after_as_many_evaluations_as_it_may_make(both):
    both("SCALE ALL LOG", "IFIT 1 MORE 1e-8 3")
    assert "STOPPED" in both.errors
    assert "give the command again" in both.errors
    assert 1 <= len(both.env.details[0].tried) <= 3


# ---- what is not done


@pytest.mark.parametrize(
    ("before", "line", "message"),
    [
        ([], "IFIT 1", "the observations have not been smoothed; SMOOTH does it"),
        ([SMOOTH_PREY], "IFIT 2", "y2 was neither observed nor guessed; CREOBS guesses"),
        ([SMOOTH_PREY], "IFIT 3", "y2 was neither observed nor guessed; CREOBS guesses"),
        ([SMOOTH_PREY], "IFIT 4", "y2 was neither observed nor guessed; CREOBS guesses"),
        ([SMOOTH_PREY], "IFIT 5", "'5' is not on the menu; enter 1 or REGULAR, 2 or GUESSED, 3 or SUBSYSTEMS, 4 or"),
        (
            [SMOOTH_PREY, guess_line("b")],
            "IFIT 2 LINEAR",
            "not linear in the active parameters; enter a starting lambda",
        ),
        ([SMOOTH_PREY, guess_line("b")], "IFIT 2 .01 1e-6 1e-6 5", "'5' is more than the command can use"),
        ([SMOOTH_PREY, guess_line("b")], "IFIT 3 .01 1e-6 1e-6 -2", "enter Y or N"),
        ([SMOOTH_PREY, guess_line("b")], "IFIT 4 Y -.01", "'-.01' is not greater than 0"),
    ],
)
def test_refusals(begin, before, line, message):
    session = begin(data=only("predator-prey", "y1"))
    if before:
        session(*before)
    assert message in session.refused(line)


@pytest.mark.parametrize("option", [2, 3, 4])
def test_nothing_is_left_to_guess(both, option):
    assert "all states were observed, so that there is nothing to guess" in both.refused(f"IFIT {option}")


def test_what_is_wrong_is_refused_before_anything_is_computed(prey, monkeypatch):
    def evaluate(self, active):
        raise AssertionError("it was computed")

    monkeypatch.setattr(QuadratureFit, "evaluate", evaluate)
    assert "more than the command can use" in prey.refused("IFIT 2 .01 1e-6 1e-6 5")


@pytest.mark.of_1977
def test_frozen_bounded_and_scaled_parameters(both):
    both("FREEZE p5", "IFIT 1")
    assert both.env.values[4] == 0.15
    assert both.entries[-1] == "IFIT REGULAR LINEAR", "without p5 it is linear"
    linear = both.env.values
    both("SET p1 2", "SCALE p1 LOG p6 ROOT", f"IFIT 1 .01 {TIGHT}")
    assert both.env.values == pytest.approx(linear, rel=1e-5)
    both("SCALE 0", "UNFREEZE p5", "BOUNDS p5 .12 NONE", f"IFIT 1 .01 {TIGHT}")
    assert both.env.values[4] == pytest.approx(0.12), "it would be .1107"


# ---- failures


def test_subsystems_that_cannot_be_integrated(begin):
    """Section 3.4: this subsystem can be very unstable even when the whole has no stability problems."""
    model = Model.from_text("par a=1, b=1\nx'=-a*x+z\nz'=b*z^2-x\ninit x=1, z=.1\ndone", "unstable")
    t = np.arange(1, 13) / 2
    session = begin(model, make_observations(t, ["x"], (-1 - 3 * t)[:, np.newaxis]))
    message = session.refused("FREEZE b", "SMOOTH SPLINE 0", "CREOBS 3 0 3 6 .1 9 30", "IFIT 3")
    assert (
        "the equations of the guessed states cannot be integrated: the trapezoidal rule found no solution" in message
    )
    assert "try IFIT 4" in message
    said = session("IFIT 4")
    assert "SPARSE GAUSS NEWTON" in said


def test_guesses_at_which_the_equations_are_no_numbers(begin):
    model = Model.from_text("par a=1, b=1\nx'=-a*x+log(z)\nz'=-b*z\ninit x=1, z=1\ndone", "logarithm")
    t = np.arange(1, 13) / 2
    session = begin(model, make_observations(t, ["x"], np.exp(-t)[:, np.newaxis]))
    session("SMOOTH SPLINE AUTO", "CREOBS 2 0 6 1 -1")
    for line in ("IFIT 2", "IFIT 4", "DFIT 3"):
        message = session.refused(line)
        assert "the problem cannot be computed" in message
        assert "CONTIN crosses such regions" in message


def test_an_interrupt_changes_nothing(prey, monkeypatch):
    evaluate, n = QuadratureFit.evaluate, 0

    def interrupted(self, active):
        nonlocal n
        n += 1
        if n == 200:
            raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(QuadratureFit, "evaluate", interrupted)
    message = prey.failing(Script(["IFIT 4 Y .01 .01 1e-12 1e-18 N 50 N"], SCRIPT))
    assert "interrupted; nothing was changed" in message
    assert n == 200, "in the middle of the rounds"
    assert "ITERATION 1" in prey.output


def test_it_is_undone_as_a_whole(prey):
    env = prey.env
    prey("IFIT 3 .01 1e-6 1e-6 2", "UNDO")
    assert prey.env is env


# ---- more than two states, aux quantities


ROUGH = ["CREOBS s 4 0 3 6 12 10 5 2 1", "CREOBS e 4 0 3 6 12 0 4 1 0"]


@pytest.mark.of_1977
@pytest.mark.parametrize("names", [("i",), ("i", "sick")], ids=" ".join)
@pytest.mark.parametrize(
    "line", ["IFIT 2", "IFIT 3 LINEAR 5 N", "IFIT 4 Y .01 LINEAR N 5 N", "DFIT 3 Y .01 LINEAR N 5 N"]
)
def test_an_epidemic_of_which_only_the_ill_were_counted(begin, names, line):
    """From rough guesses at two states, whatever the starting values: near the truth, and FIT makes it exact.

    From the starting values themselves nothing can be integrated.
    """
    session = begin(epidemic(), epidemic_data(*names))
    bad = setting((-5, -3, -4), "bag")
    assert "cannot be integrated at the starting values" in session.refused(ACCURATE, bad, "FIT 3")
    session("SMOOTH SPLINE " + "AUTO " * len(names), *ROUGH, line)
    assert session.env.values == pytest.approx(EPIDEMIC, rel=0.45)
    if line.startswith("IFIT 4"):
        assert session.env.values == pytest.approx(EPIDEMIC, rel=0.15)
    session("FIT 3 1e-10")
    assert session.env.values == pytest.approx(EPIDEMIC, rel=1e-5)


def test_every_guessed_state_is_improved(begin):
    session = begin(epidemic(), epidemic_data("i"))
    session("SMOOTH SPLINE AUTO", *ROUGH, "IFIT 4 Y .01 LINEAR N 5 N")
    truth = epidemic_data("s", "e").values
    for k, name in enumerate(("s", "e")):
        before, after = (each.guesses[name][1:] for each in (session.env.iterates[0], session.env.iterates[-1]))
        assert np.linalg.norm(after - truth[:, k]) < 0.6 * np.linalg.norm(before - truth[:, k])
    assert sorted(session.env.guesses) == ["e", "s"]


# ---- weights


@pytest.mark.parametrize("line", ["IFIT REGULAR", "DFIT REGULAR", "CONTIN .5"])
def test_weights_count(begin, line):
    """Before, residuals of curves had no weights, and these changed nothing."""
    found = []
    for weight in ("WEIGHT 1", "WEIGHT 2 y2 0 ALL .001"):
        session = begin("predator-prey", "predator-prey-noisy")
        session(weight, "SMOOTH SPLINE AUTO", line)
        found.append(session.env.values)
    assert not np.allclose(*found, rtol=1e-3)


def test_states_of_very_different_sizes_with_standard_deviations(begin):
    """Bard's problem: IFIT with weights leads so near that FIT takes 5 or 6 steps to 42.77."""
    session = begin("bard", "bard")
    said = session("WEIGHT SD", "SMOOTH SPLINE AUTO", "IFIT REGULAR", "FIT MORE")
    assert "SUM OF SQUARES OF THE FULL PROBLEM THERE 63.17" in said
    assert re.search(r"SUM OF SQUARES OF THE RESIDUALS 42.77\d* \([456] steps", said)


def test_large_states_leave_small_ones_their_parameters(begin):
    """N' = r N about 1e6, V' = -d V about 1: d was rejected and set to 0; d is .4."""
    model = Model.from_text("par r=.1, d=.1\nN'=r*N\nV'=-d*V\ninit N=1e6, V=1\ndone\n", "two")
    t = np.arange(1, 21) / 4
    data = make_observations(t, ["N", "V"], np.stack([1e6 * np.exp(0.3 * t), np.exp(-0.4 * t)], axis=1))
    for line in ("IFIT REGULAR", "DFIT REGULAR"):
        session = begin(model, data)
        session("SMOOTH SPLINE AUTO", line)
        assert session.env.values == pytest.approx([0.3, 0.4], rel=1e-2)


@pytest.mark.of_1977
def test_the_guesses_are_shown_before_another_iteration_is_asked_for(begin):
    """Section 3.6: successive guesses while iterating; whoever is asked has to see what there is to judge."""
    session = begin(data="predator-prey-y1")
    session("SMOOTH 1 AUTO", "CREOBS 4 0 2.5 8.75 12.5 8 3 5 4")
    seen = []

    class Reader(Typist):
        def read(self, prompt, text=""):
            seen.append((text, session.output))
            return super().read(prompt, text)

    session.obey(Reader(["IFIT", "3", "", "", "", "Y", "", "", "", "N"]))  # three numbers for each search
    shown = [output.count("successive guesses") for text, output in seen if text.startswith("IS ANOTHER ITERATION")]
    assert shown == [1, 2]
