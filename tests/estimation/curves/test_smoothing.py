"""Smoothing curves against scipy's, the curves of the thesis, and joints chosen automatically."""

import numpy as np
import pytest
from conversation import data_of
from numpy.testing import assert_allclose
from scipy.interpolate import LSQUnivariateSpline, make_lsq_spline
from scipy.optimize import least_squares as minimise

from parfit.data.observations import make_observations
from parfit.errors import ParfitError
from parfit.estimation.curves.joints import MOST_POINTS, choose
from parfit.estimation.curves.smoothing import Points, excess, points_of, smooth, smooth_automatically

RNG = np.random.default_rng(11)
T = np.sort(RNG.uniform(0, 10, 50))
Y = np.cos(T) + 0.1 * RNG.standard_normal(50)
W = RNG.uniform(0.2, 3, 50)
JOINTS = [2.0, 5.0, 7.5]
FINE = np.linspace(T[0], T[-1], 301)


def points(t, y, weights=None):
    t = np.asarray(t, dtype=float)
    return Points(t, np.asarray(y, dtype=float), np.ones(t.size) if weights is None else np.asarray(weights))


# ---- curves with given joints


@pytest.mark.parametrize("weights", [None, W])
def test_a_spline_is_scipys(weights):
    found = smooth(points(T, Y, weights), JOINTS[::-1], "spline")  # joints in any order
    other = LSQUnivariateSpline(T, Y, JOINTS, weights)
    assert_allclose(found.curve(FINE), other(FINE), atol=1e-9)
    assert_allclose(found.curve(FINE, 1), other(FINE, 1), atol=1e-8)
    assert_allclose(found.joints, JOINTS)


@pytest.mark.parametrize("weights", [None, W])
def test_a_hermite_curve_is_scipys_with_double_knots(weights):
    found = smooth(points(T, Y, weights), JOINTS, "hermite")
    knots = np.r_[[T[0]] * 4, np.repeat(JOINTS, 2), [T[-1]] * 4]
    other = make_lsq_spline(T, Y, knots, 3, weights)
    assert_allclose(found.curve(FINE), other(FINE), atol=1e-9)
    assert_allclose(found.curve(FINE, 1), other(FINE, 1), atol=1e-8)


def test_residuals_are_values_minus_curve():
    found = smooth(points(T, Y), JOINTS, "spline")
    residuals = Y - LSQUnivariateSpline(T, Y, JOINTS)(T)
    assert_allclose(found.residuals, residuals, atol=1e-9)
    assert found.root_mean_square == pytest.approx(np.sqrt((residuals**2).mean()))
    k = np.argmax(np.abs(residuals))
    assert found.largest == pytest.approx((residuals[k], T[k]))


def test_replicates_count_each():
    t, y = np.repeat(np.arange(8.0), 2), RNG.standard_normal(16)
    means = y.reshape(8, 2).mean(axis=1)
    found = smooth(points(t, y), [3.5], "spline")
    assert_allclose(found.curve(FINE), smooth(points(np.arange(8.0), means), [3.5], "spline").curve(FINE), atol=1e-9)
    assert found.points.n_times == 8


def test_what_is_missing_or_weighs_nothing_is_left_out():
    values = np.column_stack([Y, Y])
    values[[4, 9], 0] = np.nan
    weights = np.ones((50, 2))
    weights[[7, 20], 1] = 0
    data = make_observations(T, ["a", "b"], values, weights)
    assert_allclose(points_of(data, "a").t, np.delete(T, [4, 9]))
    assert_allclose(points_of(data, "b").y, np.delete(Y, [7, 20]))


def test_outside_the_observations_the_end_cubics_continue():
    found = smooth(points(T, Y), JOINTS, "hermite").curve
    for low, high, t in ((T[0], JOINTS[0], -1.0), (JOINTS[-1], T[-1], 11.0)):
        inside = np.linspace(low, high, 9)[1:-1]
        piece = np.polynomial.Polynomial.fit(inside, found(inside), 3)
        assert found(t) == pytest.approx(piece(t), rel=1e-7)


# ---- joints that will not do


@pytest.mark.parametrize(
    ("kind", "n", "expected"),
    [
        ("spline", 21, 0),
        ("spline", 22, 1),
        ("spline", 30, 9),
        ("hermite", 10, 0),
        ("hermite", 11, 1),
        ("hermite", 15, 5),
    ],
)
def test_excess_is_what_must_be_removed(kind, n, expected):
    """25 times; for Hermite 2*NJ+4 <= N_OBS as in the listing."""
    assert excess(25, n, kind) == expected


@pytest.mark.parametrize(
    ("joints", "kind", "message"),
    [
        (np.linspace(1, 9, 47), "spline", "EXCESS OF 1 JOINT: values at 50 different times determine 46 at most"),
        (np.linspace(1, 9, 26), "hermite", "EXCESS OF 3 JOINTS"),
        ([2, 11], "spline", "joint 11 is not between"),
        ([T[0]], "spline", "is not between"),
        ([3, 2, 3], "spline", "joint 3 is there twice"),
        (
            [5, 5.0001, 5.0002, 5.0003, 5.0004],
            "hermite",
            "SINGULAR PROBLEM--REDISTRIBUTE JOINTS OR REMOVE SOME JOINTS",
        ),
    ],
)
def test_joints_that_will_not_do_are_explained(joints, kind, message):
    with pytest.raises(ParfitError, match=message.replace("(", r"\(")):
        smooth(points(T, Y), joints, kind)


def test_weights_that_leave_nothing_to_go_by_are_singular():
    weights = np.where((T > 3) & (T < 7), 1e-25, 1.0)
    with pytest.raises(ParfitError, match=r"SINGULAR.*weights too unequal"):
        smooth(points(T, Y, weights), [4, 5, 6], "hermite")


def test_too_few_times_are_refused():
    with pytest.raises(ParfitError, match="3 different times are too few"):
        smooth(points([0, 1, 1, 2], [0, 1, 1, 2]), [], "spline")


# ---- the thesis


def test_the_joints_of_section_3_2_give_the_derivative_fit_of_the_thesis():
    """DFIT (970.724, 1.11314, -.107866), F = 1852.83: PUBLISHED figure 2; thesis 3.2: (969.6, 1.113, -.1080).

    The residuals include t = 0, before the first observation: only the continued first cubics give these numbers.
    The problem is linear in p2 and in p1, p1*(p2 + p3).
    """
    data = data_of("enzyme")
    first = smooth(points_of(data, "y1"), [10], "hermite").curve
    second = smooth(points_of(data, "y2"), [0.0007, 0.0014, 0.0016, 15], "hermite").curve
    t = np.append(0, data.times)
    y1, y2 = first(t), second(t)
    rate = (1 - y2) * y1
    (p2,), one, *_ = np.linalg.lstsq(y2[:, None], first(t, 1) + rate, rcond=None)
    (p1, product), two, *_ = np.linalg.lstsq(np.column_stack([rate, -y2]), second(t, 1), rcond=None)
    assert_allclose([p1, p2, product / p1 - p2], [970.724, 1.11314, -0.107866], rtol=2e-4)
    assert one[0] + two[0] == pytest.approx(1852.83, rel=2e-4)


def test_the_joints_of_section_4_2_give_the_derivative_fit():
    """DFIT (.86378, .04633, 1.20445, .19060, -.07260, .11975): PUBLISHED figure 5, splines of Figure 4.2.4."""
    data = data_of("predator-prey")
    first = smooth(points_of(data, "y1"), [4, 8], "spline").curve
    second = smooth(points_of(data, "y2"), [7, 10.5], "spline").curve
    t = np.append(0, data.times)
    y1, y2, slopes = first(t), second(t), np.concatenate([first(t, 1), second(t, 1)])

    def residuals(p):
        eaten = y1 * y2 / (1 + p[4] * y1)
        return np.concatenate([p[0] * y1 - p[1] * eaten - p[5] * y1**2, -p[2] * y2 + p[3] * eaten]) - slopes

    found = minimise(residuals, [1, 0.1, 3, 1, 0.1, 0.15], xtol=1e-14, ftol=1e-14, gtol=1e-14)
    assert_allclose(found.x, [0.86378, 0.04633, 1.20445, 0.19060, -0.07260, 0.11975], rtol=1e-4, atol=1e-5)


# ---- joints chosen automatically

CURVES = {
    "wave": np.sin,
    "jump": lambda t: np.tanh(3 * (t - 5)),
    "decay": lambda t: 5 * np.exp(-t),
    "damped": lambda t: 2 * np.sin(2 * t) * np.exp(-t / 8),
    "line": lambda t: 0.2 * t,
}


def errors_of_even_joints(t, y, true, kind, most):
    """The error of the curve with 0, 1, 2 ... evenly spaced joints: what could be had, were the truth known."""
    return [
        np.sqrt(np.mean((smooth(points(t, y), np.linspace(t[0], t[-1], n + 2)[1:-1], kind).curve(t) - true) ** 2))
        for n in range(most)
    ]


@pytest.mark.parametrize("kind", ["spline", "hermite"])
@pytest.mark.parametrize("name", CURVES)
def test_the_error_is_near_the_best_that_can_be_had(name, kind):
    """Four samples of noise: on the whole within 40 % of the best, and never as bad as the noise itself."""
    ratios, t = [], np.linspace(0.2, 10, 60)
    for seed in range(4):
        sd = 0.1
        true = CURVES[name](t)
        y = true + sd * np.random.default_rng(seed).standard_normal(t.size)
        found = smooth_automatically(points(t, y), kind)
        error = np.sqrt(np.mean((found.curve(t) - true) ** 2))
        assert error < 0.8 * sd
        ratios.append(error / min(errors_of_even_joints(t, y, true, kind, 14)))
    assert np.exp(np.mean(np.log(ratios))) < 1.4


@pytest.mark.parametrize("kind", ["spline", "hermite"])
def test_the_residuals_are_of_the_size_of_the_noise(kind):
    t = np.linspace(0, 10, 100)
    for sd in (0.01, 0.1, 0.3):
        y = np.sin(t) + sd * np.random.default_rng(3).standard_normal(100)
        assert smooth_automatically(points(t, y), kind).root_mean_square == pytest.approx(sd, rel=0.2)


def test_a_cubic_needs_none():
    t = np.linspace(0, 5, 20)
    assert choose(t, t**3 - 4 * t, np.ones(20), "spline").size == 0
    assert choose(t, np.full(20, 3.0), np.ones(20), "hermite").size == 0


def test_times_of_very_different_spacing_are_no_trouble():
    """The stiff problem: times from .0002 to 30, data to four decimals."""
    data = data_of("enzyme")
    assert smooth_automatically(points_of(data, "y2"), "hermite").root_mean_square < 2e-4
    assert smooth_automatically(points_of(data, "y1"), "spline").root_mean_square < 1e-4


def test_weights_say_what_is_noise():
    t = np.linspace(0, 10, 60)
    y = np.sin(t)
    y[::6] += np.where(np.arange(10) % 2, 1.0, -1.0)
    weights = np.ones(60)
    weights[::6] = 1e-4
    curve = smooth_automatically(points(t, y, weights), "spline").curve
    assert np.abs(curve(t) - np.sin(t)).max() < 0.01


@pytest.mark.parametrize("n", [4, 5, 6, 7])
@pytest.mark.parametrize("kind", ["spline", "hermite"])
def test_few_points_can_be_smoothed(n, kind):
    t = np.arange(float(n))
    assert np.isfinite(smooth_automatically(points(t, (-1) ** np.arange(n)), kind).curve(t)).all()


def test_many_points_are_averaged_before_the_search():
    t = np.linspace(0, 10, 20 * MOST_POINTS)
    y = np.sin(2 * t) + 0.3 * np.random.default_rng(2).standard_normal(t.size)
    found = smooth_automatically(points(t, y), "spline")
    assert np.sqrt(np.mean((found.curve(t) - np.sin(2 * t)) ** 2)) < 0.03
    assert set(found.joints) <= set(t)


def test_the_same_data_give_the_same_joints():
    first, second = (choose(T, Y, np.ones(50), "spline") for _ in range(2))
    np.testing.assert_array_equal(first, second)
