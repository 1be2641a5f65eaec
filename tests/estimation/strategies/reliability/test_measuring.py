"""Where new observations would lie: as far beyond a curve as their errors reach, as noise models have it."""

import numpy as np
import pytest
from scipy.stats import laplace, norm
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.data.stacking import added
from parfit.errors import StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.strategies.reliability.measuring import ErrorSizes
from parfit.estimation.strategies.reliability.wanted import with_times
from parfit.model.model import Model
from parfit.session.environment import Environment

X, Y = np.arange(6.0), np.array([4.0, 5.0, 6.0, 5.5, 4.5, 5.0])
AT = np.array([0.5, 2.0, 9.0])
NAMED = ((1.0, "low.csv"), (3.0, "high.csv"))


def sizes(form=None, percentile=95.0, value=5.0, **more):
    data = make_observations(X, ["y"], Y[:, np.newaxis], **more)
    env = Environment.of(Model.from_text("par a=5\ny'=0\ninit y=a\ndone"), data).with_values([value])
    if form is not None:
        env = env.with_noise(Noise({"y": VariableNoise(form)}))
    problem = env.problem()
    return ErrorSizes(problem, problem.evaluate(env.parameters.point), percentile)


def test_errors_that_residuals_tell():
    reach = student.ppf(0.975, 5) * Y.std(ddof=1)
    curve = np.full(3, 5.0)
    assert sizes().beyond("y", AT, curve, curve + 0.3, 1.0) == pytest.approx(5.0 + np.hypot(reach, 0.3))
    assert sizes().beyond("y", AT, curve, curve - 0.3, -1.0) == pytest.approx(5.0 - np.hypot(reach, 0.3))


def test_known_errors_between_the_observations():
    sds = np.linspace(0.1, 0.6, 6)[:, np.newaxis]
    found = sizes(weights=1.0 / sds, sds=sds, percentile=90.0).beyond("y", AT, np.full(3, 5.0), np.full(3, 5.0), 1.0)
    assert found == pytest.approx(5.0 + norm.ppf(0.95) * np.array([0.15, 0.3, 0.6]))


def test_errors_of_logarithms_and_relative_ones_follow_the_curve():
    curve = np.array([1.0, 10.0, 100.0])
    reach = student.ppf(0.975, 5)
    sd = np.log(Y).std(ddof=1)
    found = sizes(Form.LOGNORMAL, value=float(np.exp(np.log(Y).mean()))).beyond("y", AT, curve, curve, -1.0)
    assert found == pytest.approx(curve * np.exp(-reach * sd), rel=1e-6)
    found = sizes(Form.RELATIVE).beyond("y", AT, curve, curve, 1.0)
    assert found == pytest.approx(curve * (1.0 + reach * Y.std(ddof=1) / 5.0), rel=1e-6)


@pytest.mark.parametrize(("form", "values"), [(Form.LAPLACE, Y), (Form.LOGLAPLACE, np.log(Y))])
def test_laplace_errors_reach_as_far_as_their_own_density_has_it(form, values):
    middle = float(np.median(values))
    scale = np.abs(values - middle).mean() * 6 / 5  # corrected for the one parameter
    curve = np.array([1.0, 10.0, 100.0])
    value = float(np.exp(middle)) if form is Form.LOGLAPLACE else middle
    found = sizes(form, value=value, percentile=90.0).beyond("y", AT, curve, curve, 1.0)
    reach = laplace.ppf(0.95, scale=scale)
    exact = curve * np.exp(reach) if form is Form.LOGLAPLACE else curve + reach
    assert found == pytest.approx(exact, rel=1e-3)


def test_errors_that_are_an_expression_follow_it_beyond_the_observations():
    model = Model.from_text("par a=8, k=.3\ny'=-k*y\ninit y=a\naux sd_y=.1+.05*y\ndone")
    data = make_observations(X, ["y"], (8.0 * np.exp(-0.3 * X))[:, np.newaxis])
    for form, wanted in ((Form.GIVEN, 1.0), (Form.RELATIVE, 8.0 * np.exp(-0.3 * 20.0))):
        env = Environment.of(model, data).with_noise(Noise({"y": VariableNoise(form, quantity="sd_y")}))
        problem = with_times(env, np.array([20.0])).problem()
        at = problem.evaluate(env.parameters.point)
        curve = at.trajectory.column("y")
        found = ErrorSizes(problem, at, 95.0, at.trajectory).beyond("y", at.trajectory.times, curve, curve, 1.0)
        sd = wanted * (0.1 + 0.05 * 8.0 * np.exp(-0.3 * 20.0))
        assert found[-1] - curve[-1] == pytest.approx(norm.ppf(0.975) * sd, rel=1e-4)


def test_an_experiment_that_was_not_observed_has_the_errors_of_the_others():
    low, high = (make_observations(X, ["y"], k * Y[:, np.newaxis], source=name) for k, name in NAMED)
    data = added(low, high)
    weights = data.weights.copy()
    weights[:, 1] = 0.0
    model = Model.from_text("par a=5\ny'=0\ninit y=a\ndone")
    env = Environment.of(model, added(low, high)).with_weights(weights)
    env = env.with_values([float(Y.mean())])
    problem = env.problem()
    found = ErrorSizes(problem, problem.evaluate(env.parameters.point), 95.0)
    reach = student.ppf(0.975, 5) * Y.std(ddof=1)
    curve = np.full(3, 7.0)
    assert found.beyond("y[high]", AT, curve, curve, 1.0) == pytest.approx(7.0 + reach)


def test_what_has_no_limit_stays_so_and_what_was_not_observed_is_refused():
    curve = np.full(3, 5.0)
    assert np.isinf(sizes().beyond("y", AT, curve, np.full(3, np.inf), 1.0)).all()
    with pytest.raises(StateError, match="z was not observed"):
        sizes().beyond("z", AT, curve, curve, 1.0)
