"""Coarse methods as a start for FIT: Table 4.3.1, section 4.4 and section 3.4 of the thesis, command by command."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from coarse import ACCURATE, ONE, SMOOTH, SMOOTH_PREY, THREE, TWO, guess_line, guessing, only, ready, setting
from conversation import data_of
from discrete import trapezoidal
from problems import PROBLEMS
from scipy.optimize import least_squares
from smoothed import lotka_volterra

pytestmark = pytest.mark.of_1977

# The thesis does not give its tolerances: tight ones here, and as many steps as they take. Unscaled.
FIT = "FIT 1 .01 1e-9 1e-9 2000"
CAREFUL = "FIT 1 1 1e-9 1e-9 2000"
INITIAL = {"predator-prey": (2.0, 8.0), "predator-prey-2": (24.0, 8.0), "predator-prey-3": (10.0, 10.0)}
TRUE = {"predator-prey": ONE, "predator-prey-2": TWO, "predator-prey-3": THREE}
C, L = "C", "L"  # convergence, local minimum


@cache
def optimum(data, names=("y1", "y2")):
    """The minimum of the trapezoidal rule with steps of .5 by numpy and scipy, from the true parameters."""
    [problem] = [each for each in PROBLEMS if each.name == "predator-prey"]
    here = replace(problem, initial=lambda p: INITIAL[data], times=0.5 * np.arange(1, 26))
    columns = [("y1", "y2").index(name) for name in names]
    values, start = data_of(data, "predator-prey").values[:, columns], np.array(TRUE[data])
    found = least_squares(
        lambda p: (trapezoidal(here, p)[:, columns] - values).ravel(),
        start,
        method="lm",
        x_scale=np.abs(start),
        xtol=1e-10,
        ftol=1e-10,
    )
    return found.x, 2 * found.cost


def test_the_optimum_is_that_of_the_first_computation():
    p, total = optimum("predator-prey")
    assert p == pytest.approx([0.99902, 0.09209, 2.71531, 0.82349, 0.06986, 0.14883], rel=1e-4)
    assert total == pytest.approx(0.0078589, rel=1e-4)


def letter(session, data, names=("y1", "y2")):
    """C at the optimum; L where FIT has ended at much larger residuals, of which it does not say that it is one."""
    p, least = optimum(data, names)
    total = session.env.sum_of_squares
    if total == pytest.approx(least, rel=1e-3):
        assert session.env.values == pytest.approx(p, rel=0.02)
        return C
    assert total > 500 * least
    assert "this is a minimum" not in session.output
    return L


# Table 4.3.1 (page 102): data, start, method, published letter.
TABLE = [
    ("predator-prey", TWO, "FIT", L),
    ("predator-prey", TWO, "DFIT", C),
    ("predator-prey", TWO, "IFIT", C),
    ("predator-prey", THREE, "FIT", C),
    ("predator-prey", THREE, "DFIT", C),
    ("predator-prey", THREE, "IFIT", C),
    ("predator-prey-2", ONE, "DFIT", C),
    ("predator-prey-2", ONE, "IFIT", C),
    ("predator-prey-2", THREE, "FIT", L),
    ("predator-prey-2", THREE, "DFIT", C),
    ("predator-prey-2", THREE, "IFIT", C),
    ("predator-prey-3", ONE, "FIT", C),
    ("predator-prey-3", ONE, "IFIT", C),
    ("predator-prey-3", TWO, "IFIT", C),
]


@pytest.mark.parametrize(("data", "start", "method", "published"), TABLE)
def test_table_431(begin, data, start, method, published):
    session = begin(data, data)
    session(setting(start))
    if method != "FIT":
        session(SMOOTH[data], f"{method} 1")
    session(FIT)
    assert letter(session, data) == published


@pytest.mark.parametrize("start", [ONE, TWO])
def test_table_431_where_the_published_local_minimum_is_none(begin, start):
    """DFIT+FIT of problem 4.2.3, L(4.3.3): F is about 10 at print, and a search that goes on leads to the optimum."""
    session = begin("predator-prey-3", "predator-prey-3")
    session(setting((1.028, 0.2255, 1.290, 0.7186, 0.5493, 0.1517)), "INTEG Y")
    assert session.env.sum_of_squares == pytest.approx(10.497, rel=1e-3)
    session(setting(start), SMOOTH["predator-prey-3"], "DFIT 1")
    assert session.env.values[4] > 0.6, "no peak at t = .5: the same way at first (section 4.3)"
    session(FIT)
    assert letter(session, "predator-prey-3") == C


def test_table_431_where_lambda_had_to_be_increased(begin):
    """FIT, problem 4.2.3 from (4.2.2): difficulties, and lambda had to be increased (section 4.3)."""
    session = begin("predator-prey-3", "predator-prey-3")
    session(setting(TWO), FIT)
    assert letter(session, "predator-prey-3") == L
    session(setting(TWO), CAREFUL)
    assert letter(session, "predator-prey-3") == C


def test_table_431_where_the_integration_blows_up(begin):
    """FIT, problem 4.2.2 from (4.2.1): lambda had to be adjusted to avoid points where the integration blows up.

    The trapezoidal rule cannot make its first step there; with Gear's method the optimum is that of exact solutions.
    DFIT and IFIT have no such difficulties, as the table above shows.
    """
    session = begin("predator-prey-2", "predator-prey-2")
    assert "cannot be integrated at the starting values" in session.refused(setting(ONE), FIT)
    session(ACCURATE, "FIT 1 100 1e-9 1e-9 500")
    assert session.env.values == pytest.approx(TWO, rel=1e-4)


# ---- section 4.4


@pytest.mark.parametrize(
    ("guess", "lines", "expected"),
    [
        ("a", ["DFIT 2"], C),
        ("a", ["IFIT 2"], C),
        ("b", ["DFIT 2"], C),  # published L: F = 4.075 there, and Marquardt's method only creeps
        ("b", ["IFIT 2"], C),
        ("c", ["IFIT 2"], L),  # "unsuccessful due to instabilities"
        ("b", ["DFIT 3 Y .01 .01 1e-6 1e-6 N 2 N"], C),
        ("b", ["IFIT 3 .01 1e-6 1e-6 2 N"], C),
        ("b", ["IFIT 4 Y .01 .01 1e-6 1e-6 N 2 N"], C),
        # The same as cards, with N for the initial value.
        ("b", ["IFIT", "4", "N", ".01", ".01 1e-6 1e-6", "N", "Y", ".01 1e-6 1e-6", "N", "N"], C),
    ],
)
def test_problem_441(begin, guess, lines, expected):
    """Guesses of Figure 4.4.1 (page 108), from the parameters of Figure 4.2.2."""
    session = begin(data=only("predator-prey", "y1"))
    ready(session, guess)
    session(*lines, FIT)
    assert letter(session, "predator-prey", ("y1",)) == expected


def test_problem_441_without_a_start(begin):
    """FIT alone ends far away (Figure 4.4.2)."""
    session = begin(data=only("predator-prey", "y1"))
    session(setting(TWO), FIT)
    assert letter(session, "predator-prey", ("y1",)) == L


def test_the_local_minimum_of_guess_b_is_none(begin):
    """.2507, -.3758, 1.676, 2.729, 1.698, .07026 (section 4.4) has F = 4.075, which falls."""
    session = begin(data=only("predator-prey", "y1"))
    session(setting((0.2507, -0.3758, 1.676, 2.729, 1.698, 0.07026)), "INTEG Y")
    assert session.env.sum_of_squares == pytest.approx(4.075, rel=1e-3)
    session("FIT 1")
    assert session.env.sum_of_squares < 4.075


def test_guess_c_moved_back_to_b_is_what_it_takes(begin):
    """Section 4.4: the change of one data point meant the difference between disaster and success."""
    session = begin(data=only("predator-prey", "y1"))
    session(setting(TWO), SMOOTH_PREY, guess_line("c"), "IFIT 3", "UNDO", "CREOBS MOVE 5 2.5", "IFIT 3", FIT)
    assert letter(session, "predator-prey", ("y1",)) == C


# ---- section 3.4


@pytest.mark.parametrize("height", [4, 14, 40])
@pytest.mark.parametrize("peak", [3, 4, 5, 6, 7, 8])
def test_lotka_volterra_from_three_points(begin, peak, height):
    """A peak somewhere, of any height (it is 14.4 at t = 5): iterated IFIT, then FIT to the optimum of the rule.

    Only the observations are used, and no starting values: these are such that FIT cannot begin.
    """
    case = lotka_volterra()
    session = begin(case.model, case.observations)
    session(setting((90, -90, -90, 90)), "SMOOTH SPLINE 5 2 3 5 9 16", guessing([0, peak, 20], [2, height, 1]))
    session("IFIT 4 Y .01 LINEAR N 4 N", "FIT 3")
    assert session.env.values == pytest.approx([0.1409, 0.0245, 0.8858, 0.1106], rel=2e-3)
    assert session.env.sum_of_squares == pytest.approx(0.01421062, rel=1e-5)


def test_lotka_volterra_cannot_begin_with_fit(begin):
    case = lotka_volterra()
    session = begin(case.model, case.observations)
    assert "cannot be integrated at the starting values" in session.refused(setting((90, -90, -90, 90)), "FIT 3")


def test_lotka_volterra_from_a_guess_that_knows_little(begin):
    """Second example: the guesses stay far below the maximum of 14.4, and FIT finds the optimum all the same."""
    case = lotka_volterra(second=True)
    session = begin(case.model, case.observations)
    session("SMOOTH SPLINE 4 1.25 2.5 5 9", guessing([0, 6, 12.5], [2, 4, 2]), "IFIT 4 Y .01 LINEAR N 4 N")
    assert session.env.guesses["y2"].y.max() < 8
    session("FIT 3")
    assert session.env.values == pytest.approx([0.1474, 0.0285, 0.8229, 0.1028], rel=2e-3)
