"""Standard errors of curves, against covariances worked out by hand from scipy's integrations."""

import numpy as np
import pytest
from conversation import data_of, model_of
from scipy.integrate import solve_ivp
from scipy.stats import f as fisher
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.bands import curve_errors
from parfit.estimation.diagnosis.statistics import Lack
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

ACCURATE = Method("gear", eps=1e-10, h_min=0.0)
P = np.array([1.05, 0.11, 2.8, 0.9, 0.08, 0.16])  # not at a minimum: the formulas hold anywhere
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\naux twice=2*y\ndone", "line")
X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])


def errors(model, data, map_, names, percentile=95.0, method=ACCURATE):
    simulator = Simulator(model, data.sample_times(model.t0), method, map_.active)
    problem = TrajectoryFit(simulator, map_, data)
    return curve_errors(problem.evaluate(map_.point), map_, data, percentile, names), simulator.times


def predator_prey(p, times):
    """The model of predator-prey.ode, written down again; (n_times, 2)."""

    def rates(_, y):
        eaten = y[0] * y[1] / (1 + p[4] * y[0])
        return [p[0] * y[0] - p[1] * eaten - p[5] * y[0] ** 2, -p[2] * y[1] + p[3] * eaten]

    found = solve_ivp(rates, (0.0, times[-1]), [2.0, 8.0], "LSODA", t_eval=times, rtol=1e-11, atol=1e-12)
    return found.y.T


def by_differences(p, times):
    """dy/dp by central differences, (n_times, 2, 6)."""
    steps = 1e-5 * np.abs(p)
    pairs = [(predator_prey(p + h, times), predator_prey(p - h, times)) for h in np.diag(steps)]
    return np.stack([(up - down) / (2 * h) for (up, down), h in zip(pairs, steps, strict=True)], axis=-1)


@pytest.fixture(scope="module")
def reference():
    data = data_of("predator-prey-noisy", "predator-prey")
    times = data.sample_times(0.0)
    return data, times, predator_prey(P, times), by_differences(P, times)


@pytest.mark.parametrize("frozen", [(), (1, 4)])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("percentile", [95.0, 80.0])
def test_errors_of_an_ode_are_those_worked_out_by_hand(reference, frozen, scaled, percentile):
    """Scaling of parameters changes nothing of what is known about the curve."""
    data, times, y, s = reference
    active = [k for k in range(6) if k not in frozen]
    at = np.searchsorted(times, data.times)
    residuals = (y[at] - data.values).ravel()
    jac = s[at][:, :, active].reshape(-1, len(active))
    n_free = residuals.size - len(active)
    covariance = residuals @ residuals / n_free * np.linalg.inv(jac.T @ jac)
    by_hand = np.sqrt(np.einsum("tij,jk,tik->ti", s[:, :, active], covariance, s[:, :, active]))

    scaling = (Scaling.LOGARITHM, Scaling.SQUARE_ROOT, *[Scaling.NONE] * 3, Scaling.LOGARITHM) if scaled else ()
    map_ = ParameterMap(model_of("predator-prey").parameters, P, frozenset(frozen), scaling)
    found, at_times = errors(model_of("predator-prey"), data, map_, ["y1", "y2"], percentile)
    np.testing.assert_array_equal(at_times, times)
    for i, name in enumerate(("y1", "y2")):
        np.testing.assert_allclose(found.errors[name], by_hand[:, i], rtol=1e-4, atol=1e-9)
    level = percentile / 100
    assert found.at_each_time == pytest.approx(student.ppf(0.5 + level / 2, n_free))
    assert found.as_a_whole == pytest.approx(np.sqrt(len(active) * fisher.ppf(level, len(active), n_free)))
    assert not found.statistics.is_centred


def test_a_straight_line_has_the_band_of_the_text_books():
    slope, start = np.polyfit(X, Y, 1)
    weights = np.full((6, 1), 3.0)  # equal weights change nothing
    data = make_observations(X, ["y"], Y[:, np.newaxis], weights)
    found, times = errors(LINE, data, ParameterMap(("a", "b"), np.array([start, slope])), ["y", "twice"])
    residuals = Y - start - slope * X
    s = np.sqrt(residuals @ residuals / 4)
    by_hand = s * np.sqrt(1 / 6 + (times - X.mean()) ** 2 / np.sum((X - X.mean()) ** 2))
    np.testing.assert_allclose(found.errors["y"], by_hand, rtol=1e-6)
    np.testing.assert_allclose(found.errors["twice"], 2 * by_hand, rtol=1e-6)
    assert found.statistics.is_centred


def test_an_observation_of_weight_0_counts_for_nothing():
    weights = np.ones((6, 1))
    weights[2] = 0.0
    values = np.array([1.5, 2.1])
    both = []
    for data in (
        make_observations(X, ["y"], Y[:, np.newaxis], weights),
        make_observations(np.delete(X, 2), ["y"], np.delete(Y, 2)[:, np.newaxis]),
    ):
        found, times = errors(LINE, data, ParameterMap(("a", "b"), values), ["y"])
        both.append(dict(zip(times.tolist(), found.errors["y"], strict=True)))
    for time, error in both[1].items():
        assert both[0][time] == pytest.approx(error, rel=1e-9)


def test_what_the_data_do_not_determine_is_unlimited():
    """y sees k1 + k2 only; z needs k1 alone, but for its start."""
    model = Model.from_text("par k1=.3, k2=.2\ny'=-(k1+k2)*y\nz'=k1*y\ninit y=10, z=1\ndone", "split")
    t = np.arange(1.0, 7.0)
    noise = np.array([0.1, -0.2, 0.15, 0.05, -0.1, 0.02])
    data = make_observations(t, ["y"], (10 * np.exp(-0.5 * t) + noise)[:, np.newaxis])
    found, times = errors(model, data, ParameterMap(("k1", "k2"), np.array([0.3, 0.2])), ["y", "z"])
    residuals, slope = noise, t * 10 * np.exp(-0.5 * t)  # of y by the sum
    s = np.sqrt(residuals @ residuals / 5)
    by_hand = s * times * 10 * np.exp(-0.5 * times) / np.sqrt(slope @ slope)
    np.testing.assert_allclose(found.errors["y"], by_hand, rtol=1e-5)
    assert found.errors["z"][0] == 0.0
    assert np.isinf(found.errors["z"][1:]).all()


@pytest.mark.parametrize(
    ("x", "y", "lack"), [(X[:2], Y[:2], Lack.FREEDOM), (X, 1.5 + 2.1 * X, Lack.EXACT)], ids=["freedom", "exact"]
)
def test_without_an_estimate_of_the_error_there_is_no_band(x, y, lack):
    found, _ = errors(LINE, make_observations(x, ["y"], y[:, np.newaxis]), ParameterMap(("a", "b"), [1.5, 2.1]), ["y"])
    assert found.lack is lack
    assert found.errors == {}
