"""Continuation with break points: (3.5.1) against scipy, its limits, exact Jacobians, and the experiment of 3.5."""

import numpy as np
import pytest
from coarse import epidemic, epidemic_data
from contrived import at, contrived, exact, residuals, trapezoid
from numpy.testing import assert_allclose
from smoothed import check_jacobian, predator_prey

from parfit import Method, ParfitError, Simulator
from parfit.data.observations import make_observations
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.linear import solve_linear
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending
from parfit.estimation.problems.continuation import Broken, ContinuationFit, Steps
from parfit.estimation.problems.integral_fit import IntegralFit
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.curves import interpolating

GEAR = Method("gear", eps=1e-10, h_min=0.0)
METHODS = pytest.mark.parametrize("method", [Method("trapezoid"), GEAR], ids=["trapezoid", "gear"])
STEPS = {"trapezoid": trapezoid, "gear": exact}
P = (0.2, 0.05, 0.7, 0.12)  # harmless
EVERYWHERE = tuple(range(1, 24))
LN, ROOT, NO = Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE
MIXED = Broken(0.35, at(0.6, 1.6, 4.5, 9.5), (0.25, 0.8), (2.0, 0.5, 1.0, 0.0))


def contin(broken, p=P, method=None, case=None, **more):
    case = case or contrived()
    return ContinuationFit(case.model, case.parameters(p, **more), case.times, case.curves, broken, method)


# ---- what it is


@METHODS
@pytest.mark.parametrize(
    "broken",
    [
        Broken(1.0, EVERYWHERE, (0.0, 0.0), (1.0,) * 23),
        Broken(1.0),
        Broken(0.4),
        Broken(1.0, at(1, 5), (0.3, 0.9), (1.0, 3.0)),
        MIXED,
    ],
    ids=["one step at a time", "full", "gamma", "breaks", "both"],
)
def test_residuals_are_those_of_scipy(broken, method):
    found = contin(broken, method=method).evaluate(np.array(P))
    expected = residuals(
        P, STEPS[method.procedure], broken.gamma, broken.breaks, broken.alpha or (1, 1), broken.weights
    )
    assert found.status
    assert_allclose(found.residuals, expected, rtol=1e-6, atol=1e-7)


def test_with_break_points_everywhere_it_predicts_one_step_at_a_time():
    """No residual depends on more than the curves at the time before: written out for a single one."""
    case = contrived()
    found = contin(Broken(1.0, EVERYWHERE, (0.0, 0.0), (1.0,) * 23), method=GEAR).evaluate(np.array(P))
    s = np.array([case.curves[name](case.times) for name in ("y1", "y2")]).T
    p1, p2, p3, p4 = P
    end = exact(lambda t, y: [p1 * y[0] - p2 * y[0] * y[1], -p3 * y[1] + p4 * y[0] * y[1]], s[16], 6.0, 6.7)
    assert_allclose(found.residuals.reshape(-1, 2)[17], end - s[17], atol=1e-7)


@METHODS
def test_gamma_0_without_break_points_is_integral_fitting(method):
    case = predator_prey()
    parameters = case.parameters()
    expected = IntegralFit(case.model, parameters, case.times, case.curves, method).evaluate(parameters.point)
    found = contin(Broken(0.0), case.start, method, case).evaluate(parameters.point)
    assert_allclose(found.residuals, expected.residuals, rtol=1e-14)
    assert_allclose(found.jac, expected.jac, rtol=1e-14)


@METHODS
def test_gamma_1_without_break_points_is_the_direct_problem_on_smoothed_data(method):
    case = contrived()
    values = np.array([case.curves[name](case.times) for name in ("y1", "y2")]).T
    data, parameters = make_observations(case.times, ["y1", "y2"], values), case.parameters(P)
    expected = TrajectoryFit(Simulator(case.model, case.times, method), parameters, data).evaluate(np.array(P))
    found = contin(Broken(1.0), method=method).evaluate(np.array(P))
    assert_allclose(found.residuals, expected.residuals, rtol=1e-12, atol=1e-12)
    assert_allclose(found.jac, expected.jac, rtol=1e-12, atol=1e-12)


@pytest.mark.of_1977
def test_alpha_1_and_weights_1_change_nothing():
    free = contin(Broken(0.6)).evaluate(np.array(P))
    broken = contin(Broken(0.6, at(1, 5), (1.0, 1.0), (1.0, 1.0))).evaluate(np.array(P))
    assert_allclose(broken.residuals, free.residuals, rtol=1e-9)
    assert_allclose(broken.jac, free.jac, rtol=1e-9, atol=1e-9)


@METHODS
@pytest.mark.parametrize("scaling", [(), (LN, NO, ROOT, LN)], ids=["plain", "scaled"])
@pytest.mark.parametrize("broken", [MIXED, Broken(1.0, EVERYWHERE, (0.5, 0.1), (1.0,) * 23), Broken(0.9)], ids=str)
def test_jacobian(broken, method, scaling):
    parameters = contrived().parameters(P, scaling=scaling)
    problem = contin(broken, method=method, scaling=scaling)
    check_jacobian(problem, parameters.point, 1e-6)


@pytest.mark.of_1977
def test_jacobian_with_initial_values_to_be_fitted_and_a_frozen_parameter():
    """p5 and p6 of problem 4.2.1 are such that the residual at the initial time and all up to a reset count."""
    case = predator_prey()
    parameters = case.parameters(case.model.values, frozen=frozenset({1}))
    problem = contin(
        Broken(0.5, (4, 15), (0.4, 0.7), (1.0, 2.0)), case.model.values, None, case, frozen=frozenset({1})
    )
    assert problem.evaluate(parameters.point).jac.shape == (2 * case.times.size, 5)
    check_jacobian(problem, parameters.point)


# ---- aux quantities, states that were not observed


def epidemic_fit(names, broken):
    data = epidemic_data(*names)
    model = epidemic()
    curves = {name: interpolating(data.times, data.values[:, k], "spline") for k, name in enumerate(names)}
    parameters = ParameterMap(model.parameters, np.array([0.3, 0.7, 0.6]))
    return ContinuationFit(model, parameters, data.sample_times(0.0), curves, broken, GEAR), parameters


def test_an_aux_quantity_is_compared_too_just_before_the_reset():
    """sick = e + i, and so are curve and residuals: splines through sums are sums of splines."""
    broken = Broken(0.7, (6, 12), (0.5, 0.2, 0.9), (2.0, 3.0))
    problem, parameters = epidemic_fit(("s", "e", "i", "sick"), broken)
    found = problem.evaluate(parameters.point)
    s, e, i, sick = found.residuals.reshape(-1, 4).T
    assert_allclose(sick, e + i, atol=1e-9)
    assert np.abs(s).max() > 0.1
    check_jacobian(problem, parameters.point)


def test_a_state_that_was_not_observed_goes_on_as_it_came():
    """With (s, i) drawn back and e not; against solutions with e carried on by hand."""
    broken = Broken(1.0, (8,), (0.0, 1.0, 0.0), (1.0,))
    problem, parameters = epidemic_fit(("s", "i"), broken)
    times, columns, status = problem.solution(parameters.point)
    assert status
    assert sorted(columns) == ["i", "s"]
    model, p = epidemic(), parameters.full
    first = Simulator(model, times[:9], GEAR)(p)
    reset = np.array([columns["s"][10], first.y[-1, 1], columns["i"][10]])
    rest = Simulator(model, times[10:], GEAR, begin=times[10])(p, y_start=reset)
    assert_allclose(columns["i"][10:], rest.column("i"), rtol=1e-9)
    assert_allclose(columns["s"][10], epidemic_data("s").values[7, 0], rtol=1e-12)
    check_jacobian(problem, parameters.point)


# ---- pieces, failures, refusals


def test_the_solution_has_gaps_at_the_break_points():
    problem = contin(Broken(1.0, at(1, 5), (0.0, 0.5), (1.0, 1.0)))
    times, columns, status = problem.solution(np.array(P))
    assert status
    for y in columns.values():
        assert_allclose(times[np.isnan(y)], [1, 5])
    before, after = (times == 1).nonzero()[0][[0, 2]]
    curve = contrived().curves
    assert columns["y1"][after] == pytest.approx(float(curve["y1"](1.0)))
    assert columns["y1"][before] != pytest.approx(columns["y1"][after])
    last = (times == 5).nonzero()[0]
    assert columns["y2"][last[2]] == pytest.approx((columns["y2"][last[0]] + float(curve["y2"](5.0))) / 2)


def test_a_piece_that_cannot_be_integrated_says_where():
    """And what came before it can be looked at."""
    unstable = np.array([-0.6306, -0.1097, 0.5813, 0.1102])
    problem = contin(Broken(1.0, at(1.8, 4, 7.5), (0.0, 0.0), (1.0,) * 3), unstable, GEAR)
    found = problem.evaluate(unstable)
    assert not found.usable
    assert found.sum_of_squares == np.inf
    assert 6.0 < found.status.time < 7.5
    times, columns, status = problem.solution(unstable)
    assert status.time == found.status.time
    assert np.isfinite(columns["y1"][times < 4]).any()
    assert np.isnan(columns["y1"][-1])
    assert times[-1] == 7.5


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Broken(1.5), "between 0 and 1, not 1.5"),
        (Broken(float("nan")), "between 0 and 1"),
        (Broken(1.0, (0,), (0.0, 0.0), (1.0,)), "leave out the first and the last"),
        (Broken(1.0, (24,), (0.0, 0.0), (1.0,)), "leave out the first and the last"),
        (Broken(1.0, (5, 3), (0.0, 0.0), (1.0, 1.0)), "must increase"),
        (Broken(1.0, (3,), (0.0,), (1.0,)), "every state needs one continuation parameter"),
        (Broken(1.0, (3,), (0.0, 2.0), (1.0,)), "every state needs one continuation parameter"),
        (Broken(1.0, (3,), (0.0, 0.0), ()), "every break point needs one weight"),
        (Broken(1.0, (3,), (0.0, 0.0), (-1.0,)), "finite and not negative"),
    ],
)
def test_refusals(broken, message):
    with pytest.raises(ParfitError, match=message):
        contin(broken)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Broken(0.99), "y2: not observed, and a continuation parameter below 1"),
        (Broken(1.0, (3,), (0.0, 0.5), (1.0,)), "y2 was not observed: its continuation parameter .* must be 1"),
    ],
)
def test_refusals_of_what_was_not_observed(broken, message):
    with pytest.raises(ParfitError, match=message):
        contin(broken, case=contrived().only("y1"))


# ---- steps of gamma


def walked(values, works, reached=0.0):
    """The values that were tried, those that failed with a minus sign, and what was given up."""
    steps, tried = Steps(values, reached), []
    while steps.value is not None:
        gamma = steps.value
        fine = works(steps.reached, gamma)
        tried.append(gamma if fine else -gamma)
        if fine:
            steps.succeed()
        else:
            steps.fail()
    return tried, steps.given_up


def test_steps_that_all_succeed_are_those_asked_for():
    assert walked([0.2, 0.5, 1.0], lambda last, gamma: True) == ([0.2, 0.5, 1.0], None)


def test_a_step_that_fails_is_halved_and_doubled_again():
    tried, lost = walked([0.4, 0.8], lambda last, gamma: gamma - last <= 0.21 or gamma <= 0.4)
    assert (tried, lost) == ([0.4, -0.8, 0.6, 0.8], None)
    tried, lost = walked([0.8], lambda last, gamma: gamma - last <= (0.11 if last < 0.3 else 0.5))
    assert (tried, lost) == ([-0.8, -0.4, -0.2, 0.1, -0.3, 0.2, -0.4, 0.3, 0.5, 0.8], None)


def test_a_wall_is_given_up_after_four_halvings():
    tried, lost = walked([0.32, 0.64], lambda last, gamma: gamma <= 0.32)
    assert tried == pytest.approx([0.32, -0.64, -0.48, -0.4, -0.36, -0.34])
    assert lost == 0.64
    assert walked([0.0, 1.0], lambda last, gamma: False) == ([0.0], 0.0)
    assert walked([0.8], lambda last, gamma: False, 0.4) == (pytest.approx([-0.8, -0.6, -0.5, -0.45, -0.425]), 0.8)


@pytest.mark.parametrize("wall", np.linspace(0.01, 1.2, 40))
def test_steps_always_end(wall):
    tried, lost = walked([0.3, 1.0], lambda last, gamma: gamma <= wall)
    assert len(tried) <= 2 * 2 * 16
    assert (lost is None) == (wall >= 1.0)


# ---- the experiment of section 3.5


def fitted(broken, p, method=None):
    problem = contin(broken, p, method)
    settings = marquardt.Settings(max_iterations=100, max_errors=10)
    return marquardt.minimize(problem, np.array(p), settings, problem.parameters)


def broken_at(gamma, *times):
    return Broken(gamma, at(*times), (0.0, 0.0), (1.0,) * len(times))


def stable(p):
    return bool(Simulator(contrived().model, contrived().times)(p).status)


@pytest.fixture(scope="module")
def coarse():
    """IFIT's parameters, for which nothing needs to be known: the problem is linear."""
    case = contrived()
    p = solve_linear(IntegralFit(case.model, case.parameters(), case.times, case.curves), np.zeros(4)).p
    assert not stable(p)
    assert case.marquardt(p).ending is Ending.START
    return p


@pytest.mark.of_1977
def test_break_points_with_gamma_lead_to_the_optimum(coarse):
    """.6, 1.6, 4.5, 9.5 with gamma .2, alpha (0, 0), weights 1: stable, and Marquardt's method can go on."""
    found = fitted(broken_at(0.2, 0.6, 1.6, 4.5, 9.5), coarse)
    assert found.ending is Ending.CONVERGED
    assert stable(found.p)
    best, total = contrived().fit(found.p)
    assert total == pytest.approx(own_sum(best), rel=1e-8)
    away = 1 + 1e-5 * np.random.default_rng(1).standard_normal((30, 4))
    assert all(own_sum(best * factors) > total for factors in away), "it is a minimum"
    assert total == pytest.approx(45.0918, abs=1e-3)  # the least of 60 starts at random


def own_sum(p):
    """Sum of squares of the observations themselves, by the trapezoidal rule of the tests."""
    case = contrived()
    smooth = np.array([case.curves[name](case.times[1:]) for name in ("y1", "y2")]).T
    found = residuals(p, trapezoid).reshape(-1, 2)[1:] + smooth - case.observations.values
    return (found**2).sum()


@pytest.mark.of_1977
def test_gamma_alone_is_laborious_and_gets_stuck(coarse):
    """As in Table 3.5.1, which ends at .76 with 'very difficult to continue'."""
    p, failures, reached = coarse, 0, 0.0
    steps = Steps([0.3, 0.6, 0.8, 1.0])
    while steps.value is not None:
        found = fitted(Broken(steps.value), p)
        if found.ending in (Ending.START, Ending.ERRORS):
            failures += 1
            steps.fail()
        else:
            p, reached = found.p, steps.value
            assert not stable(p)
            steps.succeed()
    assert steps.given_up == 1.0
    assert 0.8 <= reached < 0.95
    assert failures >= 8


@pytest.mark.of_1977
@pytest.mark.parametrize(
    ("times", "works"), [((1.8, 4, 7.5), False), ((0.6, 1, 1.8, 4, 4.5, 6, 7.5, 10), True)], ids=["few", "enough"]
)
def test_break_points_alone_work_if_there_are_enough(coarse, times, works):
    found = fitted(broken_at(1.0, *times), coarse)
    assert (found.ending is Ending.CONVERGED) == works
    if not works:
        assert found.ending is Ending.START
        return
    assert stable(found.p)
    assert contrived().fit(found.p)[1] == pytest.approx(45.0918, abs=1e-3)
