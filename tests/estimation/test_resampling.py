"""Data drawn anew: the same for the same number, of the right size, with the residuals' own errors."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.resampling import Bootstrap, Kind, are_known, n_free, percentiles, resampler
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
DESIGN = np.column_stack((np.ones_like(X), X))


def environment(values=Y, text="par a=1, b=2\ny'=b\ninit y=a\ndone", **more):
    data = make_observations(X, ["y"], np.reshape(values, (-1, 1)), **more)
    return Environment.of(Model.from_text(text), data, options=Options(method=Method(eps=1e-11)))


def at_the_line(env):
    env = env.with_values(np.linalg.lstsq(DESIGN, env.observations.values[:, 0])[0])
    problem = env.problem()
    return problem, problem.evaluate(env.parameters.point)


def test_normal_errors_have_the_size_that_the_residuals_tell():
    problem, at = at_the_line(environment())
    found = resampler(problem, at, Kind.PARAMETRIC, 1)
    squares = float(np.linalg.lstsq(DESIGN, Y)[1][0])
    assert (n_free(problem, at), are_known(problem)) == (4, False)
    assert found.sds == pytest.approx(np.full(6, np.sqrt(squares / 4)), rel=1e-6)
    errors = np.array([(found.values(k) - found.computed) / found.sds for k in range(2000)])
    assert abs(errors.mean()) < 4 / np.sqrt(errors.size)
    assert errors.std() == pytest.approx(1.0, abs=4 / np.sqrt(2 * errors.size))
    assert abs(np.corrcoef(errors[:-1, 0], errors[1:, 0])[0, 1]) < 4 / np.sqrt(len(errors))


def test_known_errors_are_taken_as_they_are_and_what_does_not_count_is_not_drawn():
    sds = np.linspace(0.1, 0.6, 6)[:, np.newaxis]
    weights = 1.0 / sds
    weights[2] = 0.0
    problem, at = at_the_line(environment(weights=weights, sds=sds))
    found = resampler(problem, at, Kind.PARAMETRIC, 1)
    assert are_known(problem)
    assert found.sds == pytest.approx(np.where(weights[:, 0] > 0.0, sds[:, 0], 0.0))
    assert found.values(3)[2] == found.computed[2]


def test_residuals_are_enlarged_by_their_leverage_and_drawn():
    problem, at = at_the_line(environment())
    found = resampler(problem, at, Kind.RESIDUALS, 5)
    hat = DESIGN @ np.linalg.inv(DESIGN.T @ DESIGN) @ DESIGN.T
    enlarged = (Y - hat @ Y) / np.sqrt(1.0 - np.diag(hat))
    enlarged -= enlarged.mean()
    drawn = np.concatenate([found.values(k) - found.computed for k in range(200)])
    assert np.abs(drawn[:, np.newaxis] - enlarged).min(axis=1).max() < 1e-6
    assert all((np.abs(drawn - each) < 1e-6).mean() == pytest.approx(1 / 6, abs=0.05) for each in enlarged)


def test_variables_draw_their_own_residuals_unless_there_are_too_few():
    values = np.column_stack((Y, 100.0 * Y[::-1]))
    text = "par a=1, b=2\ny'=b\nz'=-b\ninit y=a, z=9\ndone"

    def pools(rows):
        data = make_observations(X[:rows], ["y", "z"], values[:rows])
        env = Environment.of(Model.from_text(text), data)
        problem = env.problem()
        found = resampler(problem, problem.evaluate(env.parameters.point), Kind.RESIDUALS, 1).pools
        return [pool.tolist() for pool in found]

    assert pools(6) == [list(range(0, 12, 2)), list(range(1, 12, 2))]
    assert pools(3) == [list(range(6))]


def test_a_number_and_a_seed_are_always_the_same_data():
    problem, at = at_the_line(environment())
    one, again, other = (resampler(problem, at, Kind.PARAMETRIC, seed) for seed in (1, 1, 2))
    assert one.values(7).tobytes() == again.values(7).tobytes()
    assert not np.allclose(one.values(7), one.values(8))
    assert not np.allclose(one.values(7), other.values(7))


@pytest.mark.parametrize("form", [Form.LOGNORMAL, Form.RELATIVE, Form.ADDITIVE, Form.LAPLACE])
def test_noise_models_have_their_own_errors(form):
    """A constant: its logarithm, or itself, has the standard deviation of the values, by n - 1."""
    env = environment(text="par a=5\ny'=0\ninit y=a\ndone").with_noise(Noise({"y": VariableNoise(form)}))
    if form is Form.LOGNORMAL:
        env = env.with_values([np.exp(np.log(Y).mean())])
        sd = np.log(Y).std(ddof=1)
    elif form is Form.LAPLACE:
        env = env.with_values([np.median(Y)])
        sd = np.abs(Y - np.median(Y)).sum() / (Y.size - 1)
    else:
        env = env.with_values([Y.mean()])
        sd = Y.std(ddof=1)
    problem = env.problem()
    found = resampler(problem, problem.evaluate(env.parameters.point), Kind.PARAMETRIC, 1)
    assert found.sds == pytest.approx(np.full(6, sd), rel=1e-6)
    if form is Form.LOGNORMAL:
        assert all((found.values(k) > 0.0).all() for k in range(50))
    drawn = np.concatenate([found.values(k) - found.computed for k in range(500)]) / sd
    if form is Form.LAPLACE:  # whose size is its own mean, and whose square has the mean 2
        assert (np.abs(drawn).mean(), (drawn**2).mean()) == pytest.approx((1.0, 2.0), rel=0.15)


def test_what_fits_tell():
    map_ = ParameterMap(("a", "b", "c"), np.array([1.0, 2.0, 3.0]), frozenset([2]), (Scaling.LOGARITHM,) * 3)
    points = np.column_stack((np.linspace(-1.0, 1.0, 99), np.full(99, np.log(2.0))))
    found = Bootstrap(Kind.PARAMETRIC, 1, 90.0, 100, map_, points)
    assert (found.names, found.n_failed) == (("a", "b"), 1)
    assert found.limits[:, 0] == pytest.approx(np.exp(np.quantile(points[:, 0], [0.05, 0.95], method="weibull")))
    assert found.errors[1] == pytest.approx(0.0, abs=1e-12)
    assert found.biases[0] == pytest.approx(np.exp(points[:, 0]).mean() - 1.0)
    assert found.at_bounds.tolist() == [0.0, 0.0]


def test_percentiles_of_whole_places_are_order_statistics():
    assert percentiles(np.arange(1.0, 200.0), 95.0) == pytest.approx([5.0, 195.0])
