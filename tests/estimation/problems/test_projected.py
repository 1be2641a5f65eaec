"""Parameters that are solved for: the same minimum as all of them searched for, and exact gradients."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.errors import StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.optimizers import bounded
from parfit.estimation.problems.projected import Projected
from parfit.estimation.strategies.fit import Request, fit
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

T = np.linspace(0.5, 6.0, 14)
RNG = np.random.default_rng(4)
TEXT = "par k=.5, scale=1, offset=0\nx'=-k*x\ninit x=1\naux y=scale*x+offset\n{}done"
V = 7.0 * np.exp(-0.8 * T) + 2.0 + 0.1 * RNG.normal(size=T.size)
TIGHT = Options(method=Method("gear", eps=1e-12))


def made(line="linear scale, offset\n", noise=None, values=V, text=TEXT):
    data = make_observations(T, ["y"], values[:, np.newaxis])
    env = Environment.of(Model.from_text(text.format(line), "scaled"), data, options=TIGHT)
    return env.with_noise(Noise({} if noise is None else {"y": VariableNoise(noise)}))


def projected(env, names=("scale", "offset")):
    return Projected(env.with_frozen(names).problem(), env.problem())


def reduced(k):
    """F with the best factor and offset, for complex k: without a conjugate, so that complex steps have the slope."""
    columns = np.column_stack((np.exp(-k * T), np.ones(T.size)))
    best = np.linalg.solve(columns.T @ columns, columns.T @ V)
    rest = V - columns @ best
    return rest @ rest, best


@pytest.mark.parametrize("k", [0.2, 0.8, 1.7])
def test_the_gradient_is_that_of_the_reduced_problem(k):
    at = projected(made()).evaluate(np.array([k]))
    total, best = reduced(k)
    assert at.sum_of_squares == pytest.approx(total, rel=1e-8)
    assert at.trajectory.parameters[1:] == pytest.approx(best, rel=1e-6)
    slope = reduced(complex(k, 1e-30))[0].imag / 1e-30
    assert 2.0 * at.gradient[0] == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize("noise", [None, Form.ADDITIVE, Form.RELATIVE, Form.LAPLACE])
def test_the_minimum_is_the_same(noise):
    solved = fit(made(noise=noise))
    searched = fit(made("", noise=noise))
    assert solved.judgement.is_minimum
    assert solved.reached.evaluation.sum_of_squares == pytest.approx(
        searched.reached.evaluation.sum_of_squares, rel=1e-4 if noise is Form.LAPLACE else 1e-8
    )
    if noise is not Form.LAPLACE:
        assert solved.env.values == pytest.approx(searched.env.values, rel=1e-4)
        assert solved.errors.values == pytest.approx(searched.errors.values, rel=1e-3)
    assert solved.problem.parameters.active == (0, 1, 2)


def test_the_gradient_is_exact_with_noise_models():
    problem, step = projected(made(noise=Form.RELATIVE)), 1e-5
    at = problem.evaluate(np.array([0.6]))
    sides = [problem.evaluate(np.array([0.6 + d])).sum_of_squares for d in (step, -step)]
    assert 2.0 * at.gradient[0] == pytest.approx((sides[0] - sides[1]) / (2.0 * step), rel=1e-6)


def test_starts_of_what_is_solved_for_do_not_matter():
    far = made().with_values([0.5, 1e6, -1e5])
    assert fit(far).env.values == pytest.approx(fit(made()).env.values, rel=1e-6)


def test_bounds_are_respected():
    env = made().with_bounds([-np.inf, 0.0, 2.5], [np.inf, 6.0, 4.0])
    solved = fit(env)
    searched = fit(made("").with_bounds([-np.inf, 0.0, 2.5], [np.inf, 6.0, 4.0]))
    assert solved.env.values == pytest.approx(searched.env.values, rel=1e-4)
    assert solved.env.values[1:] == pytest.approx([6.0, 2.5])


def test_a_factor_may_have_errors_of_logarithms_but_no_offset():
    text = "par k=.5, scale=1\nx'=-k*x\ninit x=1\naux y=scale*x\n{}done"
    values = 7.0 * np.exp(-0.8 * T) * np.exp(0.1 * RNG.normal(size=T.size))
    solved = fit(made("linear scale\n", Form.LOGNORMAL, values, text))
    line = np.polyfit(T, np.log(values), 1)
    assert solved.env.values == pytest.approx([-line[0], np.exp(line[1])], rel=1e-4)
    with pytest.raises(StateError, match="no offset"):
        fit(made(noise=Form.LOGNORMAL))


def test_nothing_else_may_depend_on_them():
    with pytest.raises(StateError, match="solution depends on k"):
        fit(made("linear k\n"))
    with pytest.raises(StateError, match="not linear in all of them"):
        fit(made("linear scale, offset\n", text=TEXT.replace("scale*x+offset", "scale*(x+offset)")))


def test_where_all_are_linear_they_are_searched_for():
    env = made().with_frozen(["k"])
    total, best = reduced(0.5)
    found = fit(env, Request())
    assert found.env.values[1:] == pytest.approx(best, rel=1e-6)
    assert found.reached.evaluation.sum_of_squares == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize("loss", ["huber", "soft_l1", "cauchy"])
def test_a_robust_loss_is_not_minimized_by_what_makes_squares_least(loss):
    """Against scipy, with two outliers: there all parameters are searched for."""
    values = V.copy()
    values[[2, 9]] += 1.5
    found = fit(made(values=values), Request(bounded.Settings(loss=loss, loss_scale=0.1)))
    exact = least_squares(
        lambda p: p[1] * np.exp(-p[0] * T) + p[2] - values, [0.5, 1.0, 0.0], loss=loss, f_scale=0.1, xtol=1e-12
    )
    assert found.env.values == pytest.approx(exact.x, rel=1e-4)
    assert found.total == pytest.approx(2.0 * exact.cost, rel=1e-6)
    assert found.judgement.is_minimum
