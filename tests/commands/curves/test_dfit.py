"""DFIT: its questions and their forms, the published numbers, and what it refuses."""

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
from conversation import SCRIPT, assert_same, data_of
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import lsq_linear
from smoothed import GUESSES, equilibrium

from parfit.data.observations import make_observations
from parfit.estimation.problems.derivative_fit import DerivativeFit
from parfit.model.model import Model
from parfit.session.sources import Script

# Problem 4.2.1, exact observations, joints of 4.2, computed independently.
REGULAR = [0.86378, 0.04633, 1.20445, 0.19060, -0.07260, 0.11975]


# ---- published numbers


def test_the_stiff_problem(begin):
    """Section 3.2: 969.6, 1.113, -.1080 from (50, 5, .5); below what was computed from the printed table."""
    session = begin("enzyme", "enzyme")
    session(setting((50, 5, 0.5)), SMOOTH_ENZYME, f"DFIT 1 .01 {TIGHT}")
    assert session.env.values == pytest.approx([970.724, 1.11314, -0.107866], rel=2e-4)
    assert "DFIT, REGULAR: SUM OF SQUARES 1852.8" in session.report
    assert "SUM OF SQUARES OF THE FULL PROBLEM THERE" in session.report


def test_the_stiff_problem_with_a_square_root(begin):
    """Section 3.2: 969.6, 1.005, 9.33E-7, of which the last is only where iteration stopped; p3 cannot go below 0."""
    session = begin("enzyme", "enzyme")
    session(setting((50, 5, 0.5)), "SCALE p3 ROOT", SMOOTH_ENZYME, f"DFIT 1 .01 {TIGHT}")
    assert session.env.values[:2] == pytest.approx([970.72, 1.0053], rel=2e-4)
    assert 0 <= session.env.values[2] < 1e-4


@pytest.mark.parametrize("start", [(0, 0, 0, 0), (7, -50, 1e6, 3)])
def test_the_change_of_equilibrium_needs_no_starting_values(begin, start):
    """Section 3.2: -.0774, -.7995, 1.725, .09948, data from another integration."""
    case = equilibrium()
    session = begin(case.model, case.observations)
    said = session(setting(start), SMOOTH_EQUILIBRIUM, "DFIT 1")
    assert session.env.values == pytest.approx([-0.0774935, -0.800546, 1.725814, 0.0994478], rel=1e-5)
    assert "LINEAR PROBLEM" in said
    assert "SINGULAR VALUE REJECTION RATIO IS 1e-05, 0 REJECTED" in said
    assert session.entries[-1] == "DFIT REGULAR LINEAR"


def test_problem_421(both):
    both(f"DFIT 1 .01 {TIGHT}")
    assert both.env.values == pytest.approx(REGULAR, rel=1e-4, abs=5e-6)


@pytest.mark.of_1977
@pytest.mark.parametrize("guess", ["a", "b", "c"])
def test_guessed_observations_give_the_minimum_of_their_problem(begin, guess):
    """Section 4.4: no numbers are printed for these, so that the equations are put together in numpy here."""
    session = begin(data=only("predator-prey", "y1"))
    ready(session, guess)
    session(*[f"DFIT 2 .01 {TIGHT}"] * 3)
    t, curves = session.env.samples.times, session.env.smoothing.curves
    y1, y2 = curves["y1"](t), session.env.guesses["y2"].curve(t)
    d1, d2 = curves["y1"](t, 1), session.env.guesses["y2"].curve(t, 1)
    p = session.env.values
    satiation = 1 + p[4] * y1
    f = np.array(
        [
            p[0] * y1 - p[1] * y1 * y2 / satiation - p[5] * y1**2 - d1,
            -p[2] * y2 + p[3] * y1 * y2 / satiation - d2,
        ]
    )
    assert f"DFIT, USING GUESSED OBS: SUM OF SQUARES {np.sum(f**2):.6g}"[:-1] in session.report
    zero, eaten = np.zeros_like(t), y1 * y2 / satiation
    by = [
        (y1, zero),
        (-eaten, zero),
        (zero, -y2),
        (zero, eaten),
        (p[1] * eaten * y1 / satiation, -p[3] * eaten * y1 / satiation),
        (-(y1**2), zero),
    ]
    for column in by:
        cosine = np.vdot(column, f) / np.linalg.norm(column) / np.linalg.norm(f)
        assert abs(cosine) < 1e-4, "the residuals are perpendicular to every derivative"


def test_unobserved_states_are_integrated_along(begin):
    """Section 3.2: from their own equations, the observed one held at its curve."""
    session = begin(epidemic(), epidemic_data("i"))
    session(ACCURATE, "SMOOTH SPLINE AUTO", setting((0.5, 0.5, 1), "bag"), f"DFIT 1 .01 {TIGHT}")
    assert session.env.values == pytest.approx(EPIDEMIC, rel=0.01)
    assert session.env.sum_of_squares < 1e-3
    assert session.entries[-1].startswith("DFIT REGULAR 0.01"), "what is integrated makes it nonlinear"


# ---- forms


@pytest.mark.parametrize(
    "lines",
    [
        [f"DFIT 1 .01 {TIGHT}"],
        [f"dfit regular 0.01 {TIGHT}"],
        [f"DFIT REG, .01, {TIGHT.replace(' ', ', ')}"],
        ["DFIT", "1", ".01", *TIGHT.split()],
        ["DFIT", "1", f".01 {TIGHT}"],  # the cards of 1977: all three on one
        ["DFIT", f"1 .01 {TIGHT}"],
    ],
    ids=" / ".join,
)
def test_all_forms_of_the_regular_option(both, begin, lines):
    both(*lines)
    assert both.env.values == pytest.approx(REGULAR, rel=1e-4, abs=5e-6)
    assert both.entries[-1] == "DFIT REGULAR 0.01 1e-12 1e-18"
    other = begin()
    other.commands(*both.entries)
    assert_same(both.env, other.env)


@pytest.mark.of_1977
@pytest.mark.parametrize(
    ("lines", "entry"),
    [
        (["DFIT 2"], "DFIT GUESSED 0.01 1e-06 1e-15"),
        (["DFIT", "2", ".01 1e-6 1e-15"], "DFIT GUESSED 0.01 1e-06 1e-15"),
        (["dfit guess -1 -1e-6 -1e-15"], "DFIT GUESSED -1 -1e-06 -1e-15"),
        (["DFIT 3"], "DFIT ITERATED Y 0.01 0.01 1e-06 1e-15 N N"),
        (["DFIT", "3", "Y", ".01", ".01 1e-6 1e-15", "N", "N"], "DFIT ITERATED Y 0.01 0.01 1e-06 1e-15 N N"),
        (["DFIT iter N 1e-3"], "DFIT ITERATED N 0.001 0.01 1e-06 1e-15 N N"),
        (
            ["DFIT", "3", "Y", ".01", ".01 1e-6 1e-6", "Y", ".001", "N", "Y", ".1 1e-6 1e-6", "N", "N"],
            "DFIT ITERATED Y 0.01 0.01 1e-06 1e-06 Y 0.001 N Y 0.1 1e-06 1e-06 N N",
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
    typist = prey.typed("DFIT", "3", "", "", "", "", "", "Y", "", "N", "")
    assert typist.n_left == 0
    assert typist.questions == [
        "ENTER METHOD",
        "IS INITIAL VALUE OF GUESSED OBSERVATIONS FIXED? Y OR N",
        "ENTER RELATIVE TOLERANCE ON CHANGE IN ITERATES FOR TERMINATION OF SPARSE GAUSS NEWTON",
        "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE",
        "RELATIVE TOLERANCE",
        "ABSOLUTE TOLERANCE",
        "IS A FURTHER REFINEMENT OF THE GUESSED OBSERVATIONS DESIRED? Y OR N",
        "ENTER NEW TOLERANCE FOR SPARSE PROBLEM",
        "IS A FURTHER REFINEMENT OF THE GUESSED OBSERVATIONS DESIRED? Y OR N",
        "IS ANOTHER ITERATION DESIRED? Y OR N",
    ]
    assert typist.prompts == [
        "[REGULAR]: ",
        "[Y]: ",
        "[0.01]: ",
        "[0.01]: ",
        "[1e-06]: ",
        "[1e-15]: ",
        "[N]: ",
        "[0.001]: ",
        "[N]: ",
        "[N]: ",
    ]
    assert prey.entries[-1] == "DFIT ITERATED Y 0.01 0.01 1e-06 1e-15 Y 0.001 N N"


@pytest.mark.of_1977
def test_defaults_of_a_line_are_said(prey):
    assert "(lambda 0.01; relative tolerance 1e-06; absolute tolerance 1e-15)" in prey("DFIT 2")


# ---- rounds


def test_the_rounds_may_be_asked_for_one_by_one_at_once_or_by_commands(begin):
    """Appendix A, DFIT: the process may be restarted by issuing the same command."""
    ways = {
        "cards": ["DFIT", "3", "Y", "1e-4"] + [".01 1e-9 1e-15", "N", "Y"] * 3 + [".01 1e-9 1e-15", "N", "N"],
        "number": ["DFIT 3 Y 1e-4 .01 1e-9 1e-15 N 3 N"],
        "commands": ["DFIT 3 Y 1e-4 .01 1e-9 1e-15"] * 4,
    }
    found = {}
    for way, lines in ways.items():
        session = begin(data=only("predator-prey", "y1"))
        ready(session)
        session(*lines)
        found[way] = session.env
        assert len(session.env.iterates) == (2 if way == "commands" else 5)
    for way in ("number", "commands"):
        assert_allclose(found[way].values, found["cards"].values, rtol=1e-6)
        assert_allclose(found[way].guesses["y2"].y, found["cards"].guesses["y2"].y, rtol=1e-6)


def test_each_round_lowers_what_is_minimized(prey):
    """(3.4.1) is minimized by both halves of a round, but for the initial value of y1 (0.1 here)."""
    said = prey("DFIT 3 N 1e-5 .01 1e-9 1e-15 N 5 N")
    totals = [float(line.split()[-1]) for line in said.split("\n") if line.startswith("ITERATION ")]
    assert len(totals) == 6
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] < 0.3 * totals[0]


@pytest.mark.parametrize("fixed", [True, False])
def test_the_initial_value_of_the_guess(prey, fixed):
    prey(f"DFIT 3 {'NY'[fixed]} .01")
    assert bool(prey.env.guesses["y2"].y[0] == 8.0) is fixed


def test_a_refined_tolerance_holds_for_later_rounds(begin):
    """As in the listing (SPRGN), where TOL is read again and stays."""
    lines = {}
    for tol in (".5", "1e-9"):
        session = begin(SATIATED, SATIATED_DATA)
        session("SMOOTH SPLINE AUTO", SATIATED_GUESS)
        lines[tol] = session(f"DFIT 3 Y {tol} .01 1e-6 1e-6 N 1 N")
    session = begin(SATIATED, SATIATED_DATA)
    session("SMOOTH SPLINE AUTO", SATIATED_GUESS)
    refined = session("DFIT 3 Y .5 .01 1e-6 1e-6 Y 1e-9 N 1 N")
    works = [
        [int(line.split(" iteration")[0].split()[-1]) for line in said.split("\n") if line.startswith("SPARSE")]
        for said in (lines[".5"], lines["1e-9"], refined)
    ]
    assert works[0][1] == 1
    assert works[1][1] > 2
    assert len(works[2]) == 3
    assert works[2][2] == pytest.approx(works[1][1], abs=1)


SATIATED = Model.from_text(
    "par p1=1, p2=.4, p3=.8, p4=.1\ny1'=p1*y1-p2*y1*y2^2/(1+y2)\n"
    "y2'=-p3*y2+p4*y1*y2^3/(1+y2^2)\ninit y1=3, y2=2\ndone",
    "satiated",
)
SATIATED_DATA = make_observations(
    np.arange(1, 17) / 4, ["y1"], (3 + np.sin(np.arange(1, 17) / 4) + 0.1 * np.arange(1, 17))[:, np.newaxis]
)
SATIATED_GUESS = "CREOBS 3 0 2 4 2 1.5 3"


def test_guesses_after_the_rounds_are_reported_and_plotted(prey):
    said = prey("DFIT 3", "REPORT 6 12", "PLOT 1 2 3 4")
    assert "JOINTS FOR y1: 4 8" in said
    _, _, listed = said.partition("GUESSED OBSERVATIONS ON y2")
    rows = [line.split() for line in listed.split("\n")[2:28]]
    assert [float(row[0]) for row in rows] == [0.5 * k for k in range(26)]
    assert_allclose([float(row[1]) for row in rows], prey.env.guesses["y2"].y, rtol=1e-6)
    assert "y2 guessed" in said
    assert "INITIAL SUM OF SQUARES" in prey("REPORT 8")


# ---- what is not done


@pytest.mark.parametrize(
    ("before", "line", "message"),
    [
        ([], "DFIT 1", "the observations have not been smoothed; SMOOTH does it"),
        ([SMOOTH_PREY], "DFIT 2", "y2 was neither observed nor guessed; CREOBS guesses"),
        ([SMOOTH_PREY], "DFIT 3", "y2 was neither observed nor guessed; CREOBS guesses"),
        ([SMOOTH_PREY, "SAMPLE 2 60 .5"], "DFIT 1", "smoothed up to 12.5, but the sample times go to 30"),
        ([SMOOTH_PREY, "MODEL par p7=1"], "DFIT 1", "p7 has no effect on the slopes"),
        ([SMOOTH_PREY], "DFIT 4", "'4' is not on the menu; enter 1 or REGULAR, 2 or GUESSED, 3 or ITERATED"),
        ([SMOOTH_PREY], "DFIT 1 LINEAR", "not linear in the active parameters; enter a starting lambda"),
        ([SMOOTH_PREY], "DFIT 1 much", "'much' is not a number"),
        ([SMOOTH_PREY], "DFIT 1 .01 1e-6 1e-6 more", "'more' is more than the command can use"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 perhaps", "enter Y or N"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 Y 0", "'0' is not greater than 0"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 Y .01 .01 1e-6 1e-6 Y -1", "'-1' is not greater than 0"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 Y .01 .01 1e-6 1e-6 N 1001", "whole number from 0 to 1000"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 Y .01 .01 1e-6 1e-6 N some", "enter Y or N"),
        ([SMOOTH_PREY, guess_line("b")], "DFIT 3 Y .01 .01 1e-6 1e-6 N N more", "'more' is more than"),
    ],
)
def test_refusals(begin, before, line, message):
    session = begin(data=only("predator-prey", "y1"))
    if before:
        session(*before)
    assert message in session.refused(line)


def test_nothing_is_left_to_guess(both):
    for option in (2, 3):
        message = both.refused(f"DFIT {option}")
        assert "all states were observed, so that there is nothing to guess; use option 1" in message


def test_what_is_wrong_is_refused_before_anything_is_computed(both, monkeypatch):
    def evaluate(self, active):
        raise AssertionError("it was computed")

    monkeypatch.setattr(DerivativeFit, "evaluate", evaluate)
    assert "more than the command can use" in both.refused("DFIT 1 .01 1e-6 1e-6 5")


@pytest.mark.of_1977
def test_at_a_terminal_linear_is_asked_for_again(both):
    typist = both.typed("DFIT", "1", "LINEAR", ".01", "", "")
    assert typist.n_left == 0
    assert "not linear in the active parameters; enter a starting lambda" in both.errors
    assert both.entries[-1] == "DFIT REGULAR 0.01 1e-06 1e-15"


OPEN = Model.from_text(
    "par a=1, b=.5, c=3, d=1\nx'=-a*x+b*z\nz'=a*x-b*z\ninit x=c, z=0\naux twice=d*x\ndone", "open initial value"
)


@pytest.fixture
def opened(begin):
    t = np.arange(1, 13) / 4
    decay = np.exp(-1.5 * t)
    x = 1 + 2 * decay
    session = begin(OPEN, make_observations(t, ["x"], x[:, np.newaxis]))
    session("SMOOTH SPLINE AUTO")
    return session


def test_parameters_of_initial_values_must_be_frozen(opened):
    """Appendix A, DFIT: it cannot handle problems where parameters occur only in the initial conditions."""
    for lines in (["DFIT 1"], ["CREOBS 3 0 1 3 0 1.5 2", "DFIT 2"], ["DFIT 3"]):
        message = opened.refused(*lines)
        assert (
            "c occurs only in initial values, of which derivatives say nothing; FREEZE c first, or use IFIT" in message
        )
    message = opened.refused("FREEZE c", "DFIT 1")
    assert "d has no effect on the slopes of what was smoothed or guessed; FREEZE d first" in message
    opened("FREEZE c d", "DFIT 1")
    assert opened.env.values == pytest.approx([1, 0.5, 3, 1], rel=0.05)
    assert opened.env.values[2:].tolist() == [3, 1]


def test_a_frozen_parameter_stays(both):
    both("FREEZE p5", f"DFIT 1 .01 {TIGHT}")
    assert both.env.values[4] == 0.15
    assert "LINEAR PROBLEM" in both("DFIT 1"), "without p5 the equations are linear"
    again = both.env.values
    both(f"DFIT 1 .01 {TIGHT}")
    assert both.env.values == pytest.approx(again, rel=1e-6), "both ways lead to the same"


def test_bounds_are_kept(both):
    both("BOUNDS p5 0 NONE", f"DFIT 1 .01 {TIGHT}")
    bounded = both.env.values
    assert bounded[4] == pytest.approx(0, abs=1e-9), "it would be -.0726"
    both("BOUNDS p5 NONE NONE", "SET p5 0", "FREEZE p5", "DFIT 1 LINEAR")
    assert bounded == pytest.approx(both.env.values, rel=1e-3, abs=1e-6)


def test_bounds_move_the_solution_of_a_linear_problem(begin):
    case = equilibrium()
    session = begin(case.model, case.observations)
    session(SMOOTH_EQUILIBRIUM, "BOUNDS p1 0 NONE", "DFIT 1")
    assert "lies outside the BOUNDS" in session.output
    # The same linear problem within its bounds, by another method.
    env = session.env
    problem = DerivativeFit(env.model, env.parameters, env.samples.times, env.smoothing.curves)
    p = env.model.values.copy()
    at = problem.evaluate(p)
    best = lsq_linear(at.jac, at.jac @ p - at.residuals, ([0, -np.inf, -np.inf, -np.inf], np.inf)).x
    np.testing.assert_allclose(env.values, best, rtol=1e-4, atol=1e-6)


def test_a_scaled_parameter_makes_it_nonlinear(begin):
    case = equilibrium()
    session = begin(case.model, case.observations)
    session(setting((-0.1, -1, 2, 0.2)), SMOOTH_EQUILIBRIUM, "SCALE p4 LOG")
    assert "not linear" in session.refused("DFIT 1 LINEAR")
    session(f"DFIT 1 .01 {TIGHT}")
    assert session.env.values == pytest.approx([-0.0774935, -0.800546, 1.725814, 0.0994478], rel=1e-4)


def test_too_few_values_for_a_curve_count_as_not_observed(begin):
    """SMOOTH says that such a state can be guessed."""
    data = data_of("predator-prey")
    values = data.values.copy()
    values[3:, 1] = np.nan
    session = begin(data=make_observations(data.times, data.names, values))
    session(setting(TWO), SMOOTH_PREY)
    assert "if it is a state, CREOBS can guess it" in session.errors
    session(guess_line("b"), "DFIT 2")
    other = begin(data=only("predator-prey", "y1"))
    ready(other)
    other("DFIT 2")
    assert_array_equal(session.env.values, other.env.values)


def test_a_guess_for_other_times_is_not_continued(prey):
    data = only("predator-prey", "y1")
    longer = make_observations(data.times * 2, ["y1"], data.values)
    prey.interpreter.timeline = prey.interpreter.timeline.then(prey.env.with_observations(longer))
    message = prey.refused("SMOOTH SPLINE AUTO", "DFIT 2")
    assert "y2 was guessed from 0 to 12.5, but the sample times go from 0 to 25; guess it again" in message


# ---- failures


@pytest.mark.of_1977
def test_a_subsystem_that_cannot_be_integrated(begin):
    """Section 3.2: a part of a stable system may be unstable when it is integrated alone."""
    model = Model.from_text("par a=1, b=1\nx'=-a*x+z\nz'=b*z^2-x\ninit x=1, z=5\ndone", "unstable")
    t = np.arange(1, 9) / 2
    session = begin(model, make_observations(t, ["x"], np.exp(-t)[:, np.newaxis]))
    message = session.refused("SMOOTH SPLINE AUTO", "DFIT 1 .01 1e-6 1e-6")
    assert (
        "the problem cannot be computed at the starting values: the trapezoidal rule found no solution for z"
        in message
    )
    assert "CONTIN crosses such regions" in message


@pytest.mark.of_1977
def test_parameters_at_which_the_full_problem_fails_are_kept_with_a_warning(begin):
    """Guess (c) of section 4.4: parameters from which FIT is unsuccessful due to instabilities."""
    session = begin(data=only("predator-prey", "y1"))
    ready(session, "c")
    session("DFIT 2")
    assert "the full problem cannot be integrated at these parameters: " in session.errors
    assert "CONTIN crosses such regions" in session.errors
    assert session.env.values == pytest.approx([-3.0887, -0.4901, 0.2469, 0.0711, 0.1611, -0.4202], rel=2e-3)
    assert "the equations cannot be integrated at the starting values" in session.refused("FIT 1")


def test_sample_times_without_connection_to_the_observations(both):
    said = both("SAMPLE MESH 100 .1", "DFIT 1")
    assert "the full problem was not looked at" in said
    assert both.env.sum_of_squares is None
    assert both.env.values == pytest.approx(REGULAR, rel=0.6), "nearly the same curve"


def test_an_interrupt_changes_nothing(both, monkeypatch):
    evaluate, n = DerivativeFit.evaluate, 0

    def interrupted(self, active):
        nonlocal n
        n += 1
        if n == 4:
            raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(DerivativeFit, "evaluate", interrupted)
    message = both.failing(Script(["DFIT 1 .01 1e-12 1e-18"], SCRIPT))
    assert "interrupted; nothing was changed" in message
    assert n == 4


def test_an_interrupt_between_the_rounds_changes_nothing(prey):
    env = prey.env
    typist = prey.typed("DFIT", "3", "Y", ".01", ".01", "", "", "N", KeyboardInterrupt())
    assert typist.n_left == 0
    assert "interrupted; nothing was changed" in prey.errors
    assert_array_equal(prey.env.values, TWO)
    assert prey.env.guesses["y2"].t.tolist() == GUESSES["b"][0]
    assert prey.env is env


def test_it_is_undone_as_a_whole(prey):
    env = prey.env
    prey("DFIT 3 Y .01 .01 1e-6 1e-6 N 2 N", "UNDO")
    assert prey.env is env
    assert "no iterated method has been used yet" in prey.refused("PLOT ROUNDS")
    prey("REDO")
    assert len(prey.env.iterates) == 4
