"""Blending: the model sees (1 - gamma_i) s_i(t) + gamma_i y_i, with s_i a curve."""

from functools import cache

import numpy as np
import pytest
from discrete import differences, trapezoidal
from parfit.kernel.system import Blending
from parfit.kernel.trapezoid import Trapezoid
from problems import PROBLEMS, Problem
from references import integrate, reference, slopes

from parfit import Blended, Method, Model, ParfitError, Simulator
from parfit.model.curves import interpolating, linear

PREY = next(problem for problem in PROBLEMS if problem.name == "predator-prey")
GRID = np.concatenate(([0.0], PREY.times))
P = np.array(PREY.p)
# Not quite the solution: a curve that the model disagrees with.
VALUES = np.vstack([[2.0, 8.0], reference(PREY).y]) * (1 + 0.1 * np.sin(3 * GRID))[:, None]
CURVES = [interpolating(GRID, VALUES[:, 0], "spline"), interpolating(GRID, VALUES[:, 1], "hermite")]
MIXTURES = [(0.3, 0.8), (0.0, 1.0), (1.0, 0.0), (0.5, 0.0), (0.95, 0.95)]
TRAPEZOID = Method("trapezoid")
GEARS = [Method("gear", formula, eps=1e-6, h_min=0.0) for formula in ("adams", "bdf", "auto")]
METHODS = [TRAPEZOID, *GEARS]
of_each_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.procedure} {m.formula}")


@cache
def values_at(t):
    """Of the curves; the trapezoidal rule asks for the same times again and again."""
    return [curve(t) for curve in CURVES]


@cache
def blended_problem(gamma) -> Problem:
    """The same mixture, in plain functions."""

    def rhs(t, y, p):
        on_curves = values_at(float(t)) if np.ndim(t) == 0 else [curve(np.real(t)) for curve in CURVES]
        seen = [(1 - g) * value + g * x for g, value, x in zip(gamma, on_curves, y, strict=True)]
        return PREY.rhs(t, seen, p)

    return Problem("blended", PREY.text, PREY.times, False, PREY.p, rhs, PREY.initial)


def simulate(gamma, method=TRAPEZOID, curves=CURVES, times=PREY.times, sensitivities=True):
    blended = None if gamma is None else Blended(np.array(gamma, dtype=float), curves)
    run = Simulator(PREY.model, times, method, blended=blended)(sensitivities=sensitivities)
    assert run.status, str(run.status)
    return run


def test_gamma_0_is_the_trapezoidal_quadrature_along_the_curves():
    run = simulate((0.0, 0.0))
    seen = np.array([curve(GRID) for curve in CURVES])
    g, _, g_p = slopes(PREY, GRID, seen, P)
    start = np.array([[0.0] * 6 + [1, 0], [0.0] * 7 + [1]])
    widths = np.diff(GRID)
    for k in range(1, GRID.size):
        area = np.sum((g[:, :k] + g[:, 1 : k + 1]) / 2 * widths[:k], axis=1)
        area_p = np.sum((g_p[..., :k] + g_p[..., 1 : k + 1]) / 2 * widths[:k], axis=2)
        assert run.y[k - 1] == pytest.approx(np.array([2.0, 8.0]) + area, rel=1e-12)
        assert run.s[k - 1] == pytest.approx(start + area_p, rel=1e-12, abs=1e-12)


def test_gamma_0_takes_no_iterations():
    """The equations no longer depend on the solution: one correction, its check, and the end of the step."""
    assert simulate((0.0, 0.0)).counts.evaluations <= 1 + 3 * len(PREY.times)


@of_each_method
@pytest.mark.parametrize("sensitivities", [False, True])
@pytest.mark.parametrize("curves", [CURVES, [None, None], [CURVES[0], None]])
def test_gamma_1_is_the_ordinary_solution_bit_for_bit(method, sensitivities, curves):
    blended = simulate((1.0, 1.0), method, curves, sensitivities=sensitivities)
    ordinary = simulate(None, method, sensitivities=sensitivities)
    assert np.array_equal(blended.y, ordinary.y)
    if sensitivities:
        assert np.array_equal(blended.s, ordinary.s)


@pytest.mark.parametrize("gamma", MIXTURES)
def test_a_mixture_has_its_own_discrete_solution_and_sensitivities(gamma):
    run, problem = simulate(gamma), blended_problem(gamma)
    y, s = trapezoidal(problem, P), differences(problem)
    assert np.all(np.abs(run.y - y) <= 1e-10 * np.abs(y).max(axis=0))
    rounding = 1e-12 * np.abs(y).max(axis=0)[:, None]  # what differences leave where a derivative is exactly 0
    assert np.all(np.abs(run.s - s) <= 1e-7 * np.abs(s).max(axis=0) + rounding)


@pytest.mark.parametrize("gamma", [(0.0, 0.0), *MIXTURES])
@pytest.mark.parametrize("method", GEARS, ids=lambda m: m.formula)
def test_gears_method_integrates_a_mixture(gamma, method):
    """The curves have breaks at the sample times, where the reference stops."""
    run, exact = simulate(gamma, method), reference(blended_problem(gamma))
    assert np.all(np.abs(run.y - exact.y) <= 200 * method.eps * exact.y_largest)
    assert np.all(np.abs(run.s - exact.s) <= 1000 * method.eps * exact.s_largest)


@of_each_method
@pytest.mark.parametrize("gamma", MIXTURES)
def test_asking_for_sensitivities_changes_not_one_bit_of_a_mixture(gamma, method):
    assert np.array_equal(simulate(gamma, method).y, simulate(gamma, method, sensitivities=False).y)


def test_a_mixture_depends_on_gamma_and_on_the_curves():
    middle = simulate((0.5, 0.5)).y
    assert np.max(np.abs(middle - simulate((0.6, 0.5)).y)) > 1e-3
    assert np.max(np.abs(middle - simulate((0.5, 0.6)).y)) > 1e-3
    straight = [linear(GRID, VALUES[:, 0] + 0.1), CURVES[1]]
    assert np.max(np.abs(middle - simulate((0.5, 0.5), curves=straight).y)) > 1e-3


def test_a_state_that_is_seen_in_part_needs_a_curve():
    with pytest.raises(ParfitError, match="a curve for every state"):
        simulate((0.5, 1.0), curves=[None, None])


def test_a_subsystem_follows_the_curve_of_the_other_state():
    """gamma 0 for an observed state, 1 for the other: with the exact curve the exact solution comes back."""
    fine = np.linspace(0, 12.5, 501)[1:]
    exact = integrate(Problem("fine", PREY.text, fine, False, PREY.p, PREY.rhs, PREY.initial))
    curve = interpolating(np.append(0.0, fine), np.append(2.0, exact.y[:, 0]), "spline")
    run = simulate((0.0, 1.0), GEARS[1], [curve, None], fine)
    assert np.all(np.abs(run.y[:, 1] - exact.y[:, 1]) <= 200e-6 * exact.y_largest[1])


def test_a_blending_must_be_that_of_its_model():
    one = Model.from_text("x'=-x\ndone").compiled(()).system
    with pytest.raises(ValueError, match="for every state"):
        Blending(one, [], [])
    other = Blending(one, [0.5], [(CURVES[0].breaks, CURVES[0].coefs)])
    with pytest.raises(ValueError, match="another model"):
        Trapezoid(PREY.model.compiled(()).system, GRID, other, 0)
