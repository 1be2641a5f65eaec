"""Bands of a straight line against its algebra, of an exponential against its own profile, and of fits drawn anew."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.errors import CommandError, NumericalError, StateError
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.prior import Density, Prior
from parfit.estimation.resampling import percentiles
from parfit.estimation.strategies.reliability.band import Basis, Request, band
from parfit.estimation.strategies.reliability.boot import Request as Boot
from parfit.estimation.strategies.reliability.boot import boot
from parfit.estimation.strategies.reliability.settling import settled
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import MANUAL, Method

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
DESIGN = np.column_stack((np.ones_like(X), X))
TIMES = np.array([0.0, 4.0, 8.0, 20.0])
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\naux twice=2*y\ndone", "line")


def line(method=None, **more):
    data = make_observations(X, ["y"], Y[:, np.newaxis], **more)
    return settled(Environment.of(LINE, data, options=Options(method=method or Method(eps=1e-11)))).env


def variances():
    rows = np.column_stack((np.ones_like(TIMES), TIMES))
    square = float(np.linalg.lstsq(DESIGN, Y)[1][0]) / 4
    return square * np.einsum("ij,jk,ik->i", rows, np.linalg.inv(DESIGN.T @ DESIGN), rows), square


def halves(env, basis, measured=False, name="y", percentile=95.0):
    found = band(env, Request([name], percentile, basis, measured, TIMES))
    at = np.searchsorted(found.times, TIMES)
    curve = found.curves[name]
    return np.array([(curve - found.limits.lower[name])[at], (found.limits.upper[name] - curve)[at]])


@pytest.mark.parametrize("basis", [Basis.LINEAR, Basis.PROFILES])
@pytest.mark.parametrize("measured", [False, True])
def test_a_line_between_and_beyond_the_observations(basis, measured):
    of_curve, of_observation = variances()
    exact = student.ppf(0.975, 4) * np.sqrt(of_curve + (of_observation if measured else 0.0))
    assert halves(line(), basis, measured) == pytest.approx(np.array([exact, exact]), rel=1e-4)


@pytest.mark.parametrize("wanted", [[0.4, 2.5, 60.0], [60.0]])
def test_profiles_hold_the_curve_at_all_times_that_are_wanted_and_where_observations_are_close(wanted):
    """A straight line that is followed for long: what few times far apart tell is not what is known of the others."""
    found = band(line(), Request(["y"], 95.0, Basis.PROFILES, times=np.array(wanted)))
    times = np.union1d(X, wanted)
    rows = np.column_stack((np.ones_like(times), times))
    square = float(np.linalg.lstsq(DESIGN, Y)[1][0]) / 4
    exact = square * np.einsum("ij,jk,ik->i", rows, np.linalg.inv(DESIGN.T @ DESIGN), rows)
    at = np.searchsorted(found.times, times)
    half = (found.limits.upper["y"] - found.curves["y"])[at]
    assert half == pytest.approx(student.ppf(0.975, 4) * np.sqrt(exact), rel=1e-3)


@pytest.mark.parametrize("basis", [Basis.LINEAR, Basis.PROFILES])
@pytest.mark.parametrize("prior", [None, Prior(Density.NORMAL, 1.5, 0.1)])
def test_known_errors_of_a_noise_model_are_not_scaled_by_the_residuals(basis, prior):
    model = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\naux sd_y=.7\ndone", "line")
    noise = Noise({"y": VariableNoise(Form.GIVEN, quantity="sd_y")}, {} if prior is None else {"a": prior})
    data = make_observations(X, ["y"], Y[:, np.newaxis])
    env = Environment.of(model, data, options=Options(method=Method(eps=1e-11))).with_noise(noise)
    rows = np.column_stack((np.ones_like(TIMES), TIMES))
    information = DESIGN.T @ DESIGN / 0.7**2 + np.diag([0.0 if prior is None else 100.0, 0.0])
    exact = norm.ppf(0.975) * np.sqrt(np.einsum("ij,jk,ik->i", rows, np.linalg.inv(information), rows))
    assert halves(settled(env).env, basis) == pytest.approx(np.array([exact, exact]), rel=1e-4)


def test_an_aux_quantity_has_a_band_but_no_errors_of_its_own():
    exact = 2.0 * student.ppf(0.975, 4) * np.sqrt(variances()[0])
    assert halves(line(), Basis.PROFILES, name="twice") == pytest.approx(np.array([exact, exact]), rel=1e-4)
    with pytest.raises(StateError, match="twice was not observed"):
        halves(line(), Basis.LINEAR, measured=True, name="twice")


def test_an_exponential_follows_its_profile_and_not_the_linear_theory():
    """One parameter: the band is the curve at the ends of its interval, which is where chi-square has its 95 %."""
    t, y = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.1, 0.1])
    sds = np.full((3, 1), 0.15)
    model = Model.from_text("par k=1\ny'=-k*y\ninit y=1\ndone")
    data = make_observations(t, ["y"], y[:, np.newaxis], 1.0 / sds, sds)
    env = settled(Environment.of(model, data, options=Options(method=Method(eps=1e-10)))).env
    k = float(env.values[0])

    def risen(value):
        return float((((np.exp(-value * t) - y) / 0.15) ** 2).sum())

    ends = [brentq(lambda v: risen(v) - risen(k) - chi2.ppf(0.95, 1), *pair) for pair in ((0.01, k), (k, 9.0))]
    found = band(env, Request(["y"], 95.0, Basis.PROFILES))
    assert found.limits.upper["y"] == pytest.approx(np.exp(-ends[0] * found.times), rel=1e-3)
    assert found.limits.lower["y"] == pytest.approx(np.exp(-ends[1] * found.times), rel=1e-3)
    linear = band(env, Request(["y"], 95.0))
    assert linear.limits.lower["y"].min() < 0.0 < found.limits.lower["y"].min()


@pytest.mark.parametrize("method", [Method(eps=1e-11), MANUAL])
@pytest.mark.parametrize("basis", [Basis.LINEAR, Basis.PROFILES])
@pytest.mark.parametrize("measured", [False, True])
def test_what_was_observed_at_rest_counts_and_the_band_is_that_of_the_way(method, basis, measured):
    """y = v g(t) is linear in v, and g is 1 at the end of time."""
    model = Model.from_text("par v=1\ny'=v-y\ndone")
    t, y = np.array([0.5, 1.0, 2.0, np.inf]), np.array([0.7, 1.3, 1.7, 2.1])
    data = make_observations(t, ["y"], y[:, np.newaxis])
    env = settled(Environment.of(model, data, options=Options(method=method))).env
    found = band(env, Request(["y"], 95.0, basis, measured))
    assert found.times.tolist() == [0.0, 0.5, 1.0, 2.0]
    g = found.curves["y"] / env.values[0]
    seen = np.append(g[1:], 1.0)
    square = float(np.linalg.lstsq(seen[:, np.newaxis], y)[1][0]) / 3
    width = student.ppf(0.975, 3) * np.sqrt(square * (g**2 / (seen @ seen) + measured))
    assert found.limits.upper["y"] - found.curves["y"] == pytest.approx(width, rel=1e-3, abs=1e-12)
    assert found.curves["y"] - found.limits.lower["y"] == pytest.approx(width, rel=1e-3, abs=1e-12)


def test_a_bootstrap_has_the_percentiles_of_its_curves():
    found = boot(line(), Boot(300))
    values = found.bootstrap.values
    curves = values[:, :1] + values[:, 1:] * TIMES
    low, high = percentiles(curves, 90.0)
    estimate = found.env.values[0] + found.env.values[1] * TIMES
    expected = np.array([estimate - low, high - estimate])
    assert halves(found.env, Basis.BOOT, percentile=90.0) == pytest.approx(expected, rel=1e-6)
    with pytest.raises(StateError, match="no bootstrap"):
        halves(line(), Basis.BOOT)


def test_what_the_data_do_not_determine_has_no_limit():
    model = Model.from_text("par a=1, b=2, c=3\ny'=b\nz'=c\ninit y=a, z=0\ndone")
    data = make_observations(X, ["y"], Y[:, np.newaxis])
    env = settled(Environment.of(model, data)).env
    found = band(env, Request(["y", "z"], 95.0, Basis.PROFILES))
    assert np.isfinite(found.limits.upper["y"]).all()
    assert np.isinf(found.limits.upper["z"][1:]).all()
    assert np.isinf(found.limits.lower["z"][1:]).all()


def test_what_cannot_be_is_refused():
    data = make_observations(X, ["y"], Y[:, np.newaxis])
    env = Environment.of(LINE, data)
    with pytest.raises(NumericalError, match="FIT goes there"):
        band(env, Request(["y"], 95.0, Basis.PROFILES))
    with pytest.raises(CommandError, match="before the model begins"):
        band(line(), Request(["y"], times=np.array([-1.0])))
    with pytest.raises(CommandError, match="trapezoidal rule"):
        band(line(MANUAL), Request(["y"], times=np.array([4.0])))
