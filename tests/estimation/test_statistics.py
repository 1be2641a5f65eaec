"""Statistics of fits against textbook formulas of regression, independent computations and published tables."""

from functools import cache
from itertools import combinations
from math import comb, exp, sqrt

import numpy as np
import pytest
from conversation import data_of, model_of
from scipy.optimize import least_squares
from scipy.stats import chi2, f, t

from parfit.estimation.direct import Direct
from parfit.estimation.goodness import consistency, counted, has_known_errors, runs
from parfit.estimation.linearity import check_linearity
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.statistics import Lack, determine, statistics
from parfit.estimation.study import study
from parfit.estimation.verdicts import consistency as consistency_sentences
from parfit.estimation.verdicts import linearity, remarks, signs
from parfit.model.model import Model
from parfit.model.observations import make_observations
from parfit.model.simulation import Method, Simulator

ACCURATE = Method("gear", "bdf", 1e-8, 0.0, 1e3)
LINE = Model.from_text("par a=0, b=0\ny'=b\ninit y=a\ndone", "line")
PRODUCT = Model.from_text("par a=2, b=3, c=1\ny'=a*b*y0-c*y\ny0'=0*y0\ninit y=0, y0=1\ndone", "product")
X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])


def problem_of(model, data, method=ACCURATE, values=None, **more):
    map_ = ParameterMap(model.parameters, model.values if values is None else np.array(values), **more)
    return Direct(Simulator(model, data.sample_times(model.t0), method, map_.active), map_, data)


def study_of(model, data, percentile=95, **more):
    problem = problem_of(model, data, **more)
    evaluation = problem.evaluate(problem.parameters.start)
    assert evaluation.usable
    return study(problem, evaluation, percentile, np.zeros(len(model.states)))


def line_data(y=Y, **more):
    return make_observations(X, ["y"], np.array(y)[:, np.newaxis], **more)


def line_fit(weights=None):
    """Least squares by the normal equations."""
    w = np.ones(X.size) if weights is None else weights
    design = np.column_stack((np.ones(X.size), X)) * w[:, np.newaxis]
    return np.linalg.solve(design.T @ design, design.T @ (w * Y)), design


@cache
def published(model, data, logs=False, percentile=99):
    """The statistics at the optimum of one of Hemker's problems, found by scipy."""
    problem = problem_of(model_of(model), data_of(data, model))
    map_ = problem.parameters
    scaling = (Scaling.LOGARITHM,) * len(map_.names)
    # Logarithms lead to the optimum from everywhere; the statistics are then those of the parameters themselves.
    if all(map_.full > 0):
        problem = problem_of(model_of(model), problem.observations, scaling=scaling)
    evaluate = problem.evaluate
    found = least_squares(
        lambda p: evaluate(p).residuals,
        problem.parameters.start,
        lambda p: evaluate(p).jac,
        x_scale="jac",
        xtol=1e-12,
        ftol=1e-14,
        gtol=1e-14,
        max_nfev=500,
    )
    values = problem.parameters.expand(found.x)
    kept = {"scaling": scaling} if logs else {}
    return study_of(model_of(model), problem.observations, percentile, values=values, **kept)


# ---- a straight line, by the formulas of any textbook


def test_intervals_of_a_straight_line():
    (a, b), _ = line_fit()
    found = study_of(LINE, line_data(), values=[a, b]).statistics
    n, mean = X.size, X.mean()
    sxx = ((X - mean) ** 2).sum()
    s2 = ((Y - a - b * X) ** 2).sum() / (n - 2)
    se = np.sqrt([s2 * (1 / n + mean**2 / sxx), s2 / sxx])
    parts = found.intervals
    assert parts.sd == pytest.approx(sqrt(s2), rel=1e-6)
    assert parts.f_value == pytest.approx(6.944272, rel=1e-6)  # tables of F: 6.94 for 2 and 4 degrees of freedom
    covariance = [[se[0] ** 2, -mean * s2 / sxx], [-mean * s2 / sxx, se[1] ** 2]]
    np.testing.assert_allclose(parts.covariance, covariance, rtol=1e-6)
    np.testing.assert_allclose(parts.single, 2.776445 * se, rtol=1e-6)  # tables of t: 2.776 for 4 degrees
    np.testing.assert_allclose(parts.joint, np.sqrt(2 * 6.944272) * se, rtol=1e-6)
    held = np.sqrt(2 * 6.944272 * s2 / np.array([n, (X**2).sum()]))
    np.testing.assert_allclose(parts.conditional, held, rtol=1e-6)
    correlation = -mean * sqrt(n) / np.sqrt((X**2).sum())
    assert found.determination.correlation[0, 1] == pytest.approx(correlation, rel=1e-6)


def test_principal_axes_end_on_the_boundary_of_the_ellipsoid():
    (a, b), design = line_fit()
    parts = study_of(LINE, line_data(), values=[a, b]).statistics.intervals
    ends = parts.axes * parts.lengths[:, np.newaxis]
    normal = design.T @ design
    np.testing.assert_allclose(np.diag(ends @ normal @ ends.T), parts.radius**2, rtol=1e-6)
    assert ends[0] @ normal @ ends[1] == pytest.approx(0.0, abs=1e-6 * parts.radius**2)
    assert parts.lengths[0] < parts.lengths[1]
    assert parts.axes[0] @ parts.axes[1] == pytest.approx(0.0, abs=1e-12)


def test_a_linear_problem_is_found_to_be_linear():
    (a, b), _ = line_fit()
    found = study_of(LINE, line_data(), values=[a, b])
    assert len(found.boundary) == 8
    np.testing.assert_allclose([point.factor for point in found.boundary], 1.0, rtol=1e-5)
    assert "can be trusted" in linearity(found)[0]


def test_weights_and_missing_values_count_as_they_should():
    weights = np.array([1.0, 2.0, 0.5, 0.0, 1.5, 3.0])
    (a, b), design = line_fit(weights)
    values = np.column_stack((Y, np.full(X.size, np.nan)))
    data = make_observations(X, ["y", "z"], values, np.column_stack((weights, np.ones(X.size))))
    model = Model.from_text("par a=0, b=0\ny'=b\nz'=1\ninit y=a, z=0\ndone", "two")
    found = study_of(model, data, values=[a, b])
    assert found.statistics.n_observations == 5
    assert found.statistics.n_free == 3
    total = ((weights * (Y - a - b * X)) ** 2).sum()
    assert found.statistics.total == pytest.approx(total, rel=1e-6)
    covariance = total / 3 * np.linalg.inv(design.T @ design)
    np.testing.assert_allclose(found.statistics.intervals.covariance, covariance, rtol=1e-6)
    assert found.statistics.intervals.f_value == pytest.approx(f.ppf(0.95, 2, 3))
    assert np.isnan(found.residuals.weighted[3])
    assert np.isnan(found.residuals.standardized[3])
    leverages = np.diag(design @ np.linalg.inv(design.T @ design) @ design.T)
    expected = weights * (a + b * X - Y) / np.sqrt(total / 3 * np.where(weights > 0, 1 - leverages, np.nan))
    np.testing.assert_allclose(found.residuals.standardized, expected, rtol=1e-5)


def test_frozen_parameters_take_no_part():
    b = X @ (Y - 1.0) / (X @ X)
    found = study_of(LINE, line_data(), values=[1.0, b], frozen=frozenset([0])).statistics
    s2 = ((Y - 1.0 - b * X) ** 2).sum() / 5
    assert found.intervals.single[0] == pytest.approx(t.ppf(0.975, 5) * sqrt(s2 / (X @ X)), rel=1e-6)
    # One parameter: joint, conditional and single intervals are the same, because F(1, n) = t(n)^2.
    assert found.intervals.joint[0] == pytest.approx(found.intervals.single[0])
    assert found.intervals.conditional[0] == pytest.approx(found.intervals.single[0])


def test_intervals_of_scaled_parameters_are_transformed_back():
    model = Model.from_text("par a=1, b=1\ny'=b\ninit y=a\ndone")
    (a, b), _ = line_fit()
    scaling = (Scaling.SQUARE_ROOT, Scaling.LOGARITHM)
    found = study_of(model, line_data(), values=[a, b], scaling=scaling)
    plain = study_of(model, line_data(), values=[a, b]).statistics.intervals
    joint = found.statistics.intervals.joint
    np.testing.assert_allclose(joint, plain.joint / np.array([2 * sqrt(a), b]), rtol=1e-6)
    low, high = found.limits(joint)
    assert low[1] == pytest.approx(b * exp(-joint[1]))
    assert high[1] == pytest.approx(b * exp(joint[1]))
    assert high[0] == pytest.approx((sqrt(a) + joint[0]) ** 2)
    assert found.limits(np.array([10.0, 0.1]))[0][0] == 0.0
    assert found.names == ["sqrt a", "log b"]


# ---- published results (PUBLISHED.md, figure 10; the computed values were found without this program)


@pytest.mark.parametrize(
    ("model", "data", "logs", "values", "total", "widths"),
    [
        # Print (van Domselaar & Hemker 1975, section 8, problem 2): .45e-5, .27e-3; .54e-6, .19e-3; 22.0
        ("bellman", "bellman", False, (4.57043e-6, 2.78448e-4), 22.03094, (5.860e-7, 2.0397e-4)),
        # Problem 4: .86, 2.07, 1.81; .19, .35, .38; .164
        ("barnes", "barnes", False, (0.860941, 2.079029, 1.814944), 0.1644614, (0.2191, 0.3622, 0.3787)),
        # Problem 1, data B: .32e-3, .25e-3 (its own covariance says .17e-3), .23e-2
        ("escep", "escep-b", True, (999.9, 0.990005, 0.0099971), 1.410e-4**2, (3.354e-4, 1.677e-4, 2.306e-3)),
    ],
)
def test_published_intervals(model, data, logs, values, total, widths):
    found = published(model, data, logs)
    np.testing.assert_allclose(found.parameters.full, values, rtol=3e-5)
    assert found.statistics.total == pytest.approx(total, rel=1e-3)
    np.testing.assert_allclose(found.statistics.intervals.joint, widths, rtol=7e-4)
    assert found.statistics.is_minimum


def test_published_covariance_of_the_escep_problem():
    """Appendix II of the report of 1975: data B in logarithms, its last norm .1430776e-3 against 1.410e-4 here."""
    found = published("escep", "escep-b", True).statistics
    covariance = [[0.6949857e-8, 0.1407628e-8, -0.9129848e-8], [0, 0.1922119e-8, -0.1414245e-7], [0, 0, 0.2546094e-6]]
    ours = found.intervals.covariance
    np.testing.assert_allclose(np.triu(ours), covariance, rtol=0.45)  # the third parameter: see the next test
    np.testing.assert_allclose(ours[:2, :2][np.triu_indices(2)], [0.6949857e-8, 0.1407628e-8, 0.1922119e-8], rtol=0.1)
    correlation = found.determination.correlation
    printed = (0.3851320, -0.2170393, -0.6392889)
    np.testing.assert_allclose(correlation[np.tril_indices(3, -1)], printed, rtol=0.01)


@pytest.mark.parametrize(
    ("data", "f_value", "residue", "conditional", "joint", "correlation", "lengths"),
    [
        # Hemker 1972, section 6.1, tests 1 and 2, last iteration. Its derivative by p3 is about 22 % too large for a
        # cause unknown (PUBLISHED.md), so that what belongs to p3 is compared loosely.
        (
            "escep-a",
            4.28,
            0.57579e-7,
            (0.25607, 0.10540e-3, 0.37908e-5),
            (0.27126, 0.11175e-3, 0.37948e-5),
            (0.32962,),
            (0.37908e-5, 0.10551e-3, 0.27126),
        ),
        (
            "escep-b",
            4.94,
            0.40737e-7,
            (0.30329, 0.12604e-3, 0.15439e-4),
            (0.32990, 0.17410e-3, 0.20122e-4),
            (0.39160, -0.22146, -0.64056),
            (0.15394e-4, 0.16065e-3, 0.32990),
        ),
    ],
)
def test_tables_of_the_escep_problem(data, f_value, residue, conditional, joint, correlation, lengths):
    """The printed intervals belong to the estimated residue, a little below the computed one."""
    found = published("escep", data).statistics
    estimated = {"escep-a": 0.39239e-7, "escep-b": 0.22182e-7}[data]
    assert found.total < residue
    n_free = found.n_observations - 3
    scale = sqrt(3 * f_value * estimated / n_free) / found.intervals.radius
    for ours, printed, tolerance in (
        (found.intervals.conditional, conditional, (0.08, 0.08, 0.25)),
        (found.intervals.joint, joint, (0.08, 0.08, 0.25)),
        (found.intervals.lengths, lengths, (0.25, 0.08, 0.08)),
    ):
        assert (np.abs(scale * ours / np.array(printed) - 1) < np.array(tolerance)).all(), (scale * ours, printed)
    matrix = found.determination.correlation[np.tril_indices(3, -1)]
    np.testing.assert_allclose(matrix[: len(correlation)], correlation, rtol=0.03)


def test_tables_of_gears_problem():
    """Hemker 1972, section 6.3, last iteration; its F is given as 6.68 and its estimated residue used."""
    found = published("gear", "gear").statistics
    scale = sqrt(4 * 6.68 * 0.22372e-6 / 4) / found.intervals.radius
    parts = found.intervals
    np.testing.assert_allclose(scale * parts.conditional, (0.33630e-2, 0.29853e-2, 0.48538e-2, 0.59251e-2), rtol=0.04)
    np.testing.assert_allclose(scale * parts.joint, (0.22231e-1, 0.19927e-1, 0.39679e-1, 0.48069e-1), rtol=0.04)
    np.testing.assert_allclose(scale * parts.lengths, (0.21588e-2, 0.42503e-2, 0.27026e-1, 0.63429e-1), rtol=0.04)
    correlation = found.determination.correlation[np.tril_indices(4, -1)]
    # The lost exponents of the print are 0; three entries of its first column have lost more.
    np.testing.assert_allclose(correlation[[0, 2, 4, 5]], (0.98649, -0.38753, -0.36690, 0.99088), rtol=0.03)
    axes = [
        (-0.62932, 0.71268, 0.24003, -0.19606),
        (0.22108, -0.21815, 0.73575, -0.60184),
        (0.72729, 0.65077, 0.12218, 0.18064),
        (-0.16167, -0.14495, 0.62139, 0.75281),
    ]
    np.testing.assert_allclose(parts.axes, axes, atol=0.01)
    # (A'A)^-1 is printed as the covariance matrix.
    inverse = found.determination.inverse
    np.testing.assert_allclose(np.diag(inverse), (330.71, 265.70, 1053.5, 1546.1), rtol=0.09)


# ---- what cannot be determined


def product_data(n=8):
    times = np.arange(1.0, n + 1)
    y = 6.0 * (1 - np.exp(-times)) + 0.1 * np.array([1, -1, 1, 1, -1, 1, -1, -1])[:n]
    return make_observations(times, ["y"], y[:, np.newaxis])


def test_a_product_is_determined_but_not_its_factors():
    found = study_of(PRODUCT, product_data(), values=[2.0, 3.0, 1.0])
    what = found.statistics.determination
    assert what.rank == 2
    assert what.determined.tolist() == [False, False, True]
    assert np.isinf(what.condition)
    text = " ".join(remarks(found))
    assert "a and b are undetermined" in text
    assert "a changes by +1 % and b changes by -1 %" in text
    assert "hold for what is determined: c" in text
    # What is determined has the statistics of the problem in which one factor is frozen.
    frozen = study_of(PRODUCT, product_data(), values=[2.0, 3.0, 1.0], frozen=frozenset([1]))
    ours, theirs = found.statistics.intervals, frozen.statistics.intervals
    assert ours.joint[2] == pytest.approx(theirs.joint[1], rel=1e-6)
    assert ours.single[2] == pytest.approx(theirs.single[1], rel=1e-6)
    assert np.isinf(ours.joint[:2]).all()
    assert np.isfinite(ours.conditional).all()
    assert "not unique" in consistency_sentences(found)[1]


def test_a_parameter_without_influence_is_named():
    model = Model.from_text("par a=0, b=0, dead=5\ny'=b\nz'=dead\ninit y=a, z=0\ndone")
    (a, b), _ = line_fit()
    found = study_of(model, line_data(), values=[a, b, 5.0])
    assert "dead is undetermined: it has no influence" in " ".join(remarks(found))
    plain = study_of(LINE, line_data(), values=[a, b]).statistics.intervals
    np.testing.assert_allclose(found.statistics.intervals.joint[:2], plain.joint, rtol=1e-6)


def test_no_parameter_with_influence():
    model = Model.from_text("par p=1\ny'=1\nz'=p\ninit y=0, z=0\ndone")
    found = study_of(model, line_data())
    assert found.statistics.lack is Lack.INFLUENCE
    assert "no active parameter has any influence" in " ".join(remarks(found))
    assert linearity(found) == []


def test_two_dependent_pairs_are_told_separately():
    jac = np.random.default_rng(1).normal(size=(9, 2))[:, [0, 1, 0, 1, 0]] * [1, 2, 3, 4, 1e-6]
    found = determine(jac)
    assert found.rank == 2
    assert not found.determined.any()
    np.testing.assert_allclose(jac @ found.null.T, 0.0, atol=1e-12 * np.abs(jac).max() * np.abs(found.null).max())
    assert {tuple(np.flatnonzero(row) % 2) for row in found.null} == {(0, 0), (1, 1)}


def test_rank_does_not_depend_on_units():
    jac = np.random.default_rng(2).normal(size=(9, 3))
    plain, other = determine(jac), determine(jac * [1e12, 1.0, 1e-150])
    assert plain.rank == other.rank == 3
    assert other.unit_condition == pytest.approx(plain.unit_condition)
    np.testing.assert_allclose(other.correlation, plain.correlation, rtol=1e-9)


def test_a_root_of_zero_is_explained():
    model = Model.from_text("par a=0, b=0\ny'=b\ninit y=a\ndone")
    found = study_of(model, line_data(), values=[0.0, 2.1], scaling=(Scaling.SQUARE_ROOT, Scaling.NONE))
    assert "sqrt a is 0, where nothing responds to it" in " ".join(remarks(found))


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_observations(n):
    data = make_observations(X[:n], ["y"], Y[:n, np.newaxis])
    values = [1.1, 1.8] if n == 2 else [1.1, 0.0]
    found = study_of(LINE, data, values=values)
    assert found.statistics.lack is Lack.FREEDOM
    assert found.statistics.intervals is None
    assert found.statistics.is_minimum
    text = " ".join(remarks(found))
    assert "no degrees of freedom" in text
    assert ("fewer observations (1) than active parameters (2)" in text) == (n == 1)


def test_no_observation_counts():
    found = study_of(LINE, line_data(weights=0.0))
    assert "all weights are 0" in " ".join(remarks(found))


def test_an_exact_fit_has_no_intervals_but_correlations():
    found = study_of(LINE, line_data(1.0 + 2.0 * X), values=[1.0, 2.0])
    assert found.statistics.lack is Lack.EXACT
    assert "exact but for rounding" in " ".join(remarks(found))
    assert found.statistics.is_minimum
    expected = -X.mean() * sqrt(X.size) / np.sqrt((X**2).sum())
    assert found.statistics.determination.correlation[0, 1] == pytest.approx(expected, rel=1e-6)


def test_a_point_that_is_no_minimum_is_said_to_be_none():
    (a, b), _ = line_fit()
    found = study_of(LINE, line_data(), values=[a + 1.0, b])
    assert not found.statistics.is_minimum
    text = " ".join(remarks(found))
    least = ((Y - a - b * X) ** 2).sum()
    assert f"to about {least:.4g}"[:-1] in text
    assert "FIT should come first" in text
    assert found.boundary == ()


def test_offset_is_the_distance_in_radii():
    (a, b), _ = line_fit()
    conditional = study_of(LINE, line_data(), values=[a, b]).statistics.intervals.conditional
    for part in (0.05, 0.5):
        offset = study_of(LINE, line_data(), values=[a + part * conditional[0], b]).statistics.offset
        assert offset == pytest.approx(part, rel=1e-5)


def test_bounds_wide_intervals_and_correlations_are_remarked():
    rng = np.random.default_rng(3)
    times = np.linspace(10.0, 10.2, 9)
    y = 1.0 + 2.0 * times + rng.normal(0, 0.1, 9)
    data = make_observations(times, ["y"], y[:, np.newaxis])
    b, a = np.polyfit(times, y, 1)
    found = study_of(LINE, data, values=[a, b], lower=np.array([a, -100.0]))
    text = " ".join(remarks(found))
    assert "a lies on its bound" in text
    assert "hardly told apart (correlation -0.99" in text
    assert "the joint intervals of a and b are wider than the parameters themselves" in text.lower()


# ---- linearity


def test_rises_on_the_boundary_are_compared_with_the_linear_theory():
    """One parameter, residuals exp(p) - 1 and -.1 ... constant: F can be worked out by hand."""
    rest = np.array([0.1, -0.1, 0.1])

    def cost(p):
        return (exp(p[0]) - 1.0) ** 2 + float(rest @ rest)

    jac = np.array([[1.0], [0.0], [0.0], [0.0]])
    found = statistics(np.array([0.0, *rest]), jac, 95, 1.0)
    points = check_linearity(cost, np.zeros(1), np.zeros(1), found)
    radius = sqrt(f.ppf(0.95, 1, 3) * 0.03 / 3)
    assert [point.sign for point in points] == [1, -1]
    assert points[0].factor == pytest.approx((exp(radius) - 1) ** 2 / radius**2)
    assert points[1].factor == pytest.approx((exp(-radius) - 1) ** 2 / radius**2)


def test_curvature_and_failure_on_the_boundary_are_told():
    # Three observations of exp(k t) leave k so vague that exp(k t) is anything but linear.
    model = Model.from_text("par k=1\ny'=k*y\ninit y=1\ndone")
    data = make_observations([1.0, 2.0], ["y"], [[3.5], [6.9]])
    found = study_of(model, data, 99, values=[0.97])
    assert found.statistics.is_minimum
    text = " ".join(linearity(found))
    assert "axis 1 + (k +" in text
    assert "times more than by the linear theory" in text
    failing = Model.from_text("par k=1\ny'=-1/sqrt(k-.9)\ninit y=1/(1-k/2)\ndone")
    data = make_observations([0.0, 1e-4], ["y"], [[1.5], [2.5]])
    found = study_of(failing, data, 99, values=[1.0])
    assert "cannot be integrated" in " ".join(linearity(found))
    assert found.boundary[1].failed


# ---- residuals


def test_runs_are_counted_as_by_enumeration():
    """Every order of 4 + and 5 - signs is as likely."""
    orders = [np.isin(np.arange(9), chosen) for chosen in combinations(range(9), 4)]
    counts = np.array([1 + np.count_nonzero(np.diff(order)) for order in orders])
    for order, n_runs in zip(orders[::7], counts[::7], strict=True):
        found = runs(np.where(order, 1.0, -1.0))
        tail = min((counts <= n_runs).mean(), (counts >= n_runs).mean())
        assert found.n_runs == n_runs
        assert found.p_value == pytest.approx(min(1.0, 2 * tail))


def test_runs_of_published_example():
    """Two blocks of five: 2 of the 252 orders have two runs."""
    found = runs(np.array([1.0] * 5 + [-1.0] * 5))
    assert found.p_value == pytest.approx(2 * 2 / comb(10, 5))
    assert found.expected == pytest.approx(6.0)
    assert "follow a trend" in signs("y", found)
    assert "alternate" in signs("y", runs(np.array([1.0, -1.0] * 6)))
    assert "look random" in signs("y", runs(np.array([1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0])))


def test_runs_with_zeros_one_sign_and_nothing():
    assert runs(np.array([0.0, 1.0, 0.0, 2.0])).p_value == pytest.approx(0.5)
    assert "all 6 residuals are negative" in signs("y", runs(-np.ones(6)))
    assert "on one side" in signs("y", runs(-np.ones(6)))
    assert "may be chance" in signs("y", runs(np.ones(3)))
    assert runs(np.zeros(5)) is None
    assert "too few" in signs("y", runs(np.empty(0)))


def test_many_signs_are_judged_by_the_normal_distribution():
    rng = np.random.default_rng(4)
    short, long = rng.normal(size=200), rng.normal(size=201)
    exact = runs(np.append(short, []))
    normal = runs(long)
    n, product = 201, 2 * normal.n_positive * normal.n_negative
    z = (normal.n_runs - 1 - product / n) / sqrt(product * (product - n) / n**2 / (n - 1))
    assert normal.p_value == pytest.approx(2 * t.sf(abs(z), 1e9), abs=0.08)  # but for the continuity
    assert 0.0 < exact.p_value <= 1.0


def test_consistency_with_known_errors():
    assert consistency(18.307, 10).percentile == pytest.approx(95.0, abs=1e-3)  # tables of chi-square
    assert consistency(1.0, 0) is None
    sd = 0.2
    (a, b), _ = line_fit()
    total = ((Y - a - b * X) ** 2).sum()
    for factor, words in ((1.0, "is consistent with"), (0.1, "not consistent"), (20.0, "closer than the errors")):
        found = study_of(LINE, line_data(sds=factor * sd), values=[a, b])
        expected = 100 * chi2.cdf(total / (factor * sd) ** 2, 4)
        assert found.consistency.percentile == pytest.approx(expected, rel=1e-4)
        assert words in consistency_sentences(found)[0]


def test_errors_are_known_only_where_weights_are_their_reciprocals():
    assert not has_known_errors(line_data())
    assert has_known_errors(line_data(sds=0.5))
    assert not has_known_errors(line_data(sds=0.5, weights=1.0))
    sds = np.full((X.size, 1), 0.5)
    sds[2] = np.nan
    assert not has_known_errors(line_data(sds=sds))
    weights = np.where(np.isnan(sds), 0.0, 2.0)
    assert has_known_errors(line_data(sds=sds, weights=weights))
    assert counted(line_data(sds=sds, weights=weights)).sum() == 5
    found = study_of(LINE, line_data(), values=[1.0, 2.0])
    assert "are not known" in consistency_sentences(found)[0]
