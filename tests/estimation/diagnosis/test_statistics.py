"""Statistics of fits against the formulas of regression, and of problems that leave something undetermined."""

from math import exp, sqrt

import numpy as np
import pytest
from regression import LINE, X, Y, line_data, line_fit, study_of
from scipy.stats import f, t

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.statistics import Lack, determine
from parfit.estimation.parameters import Scaling
from parfit.model.model import Model
from parfit.text.diagnosis.verdicts import consistency, linearity, remarks

PRODUCT = Model.from_text("par a=2, b=3, c=1\ny'=a*b*y0-c*y\ny0'=0*y0\ninit y=0, y0=1\ndone", "product")


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
    held_alone = 2.776445 * np.sqrt(s2 / np.array([n, (X**2).sum()]))
    np.testing.assert_allclose(parts.single_conditional, held_alone, rtol=1e-6)
    assert (parts.single_conditional <= parts.single).all()
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
    assert "as the linear theory says" in linearity(found)[0]


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
    assert found.statistics.sum_of_squares == pytest.approx(total, rel=1e-6)
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
    assert "not unique" in consistency(found)[1]


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
    assert found.standing.minimal
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
    assert found.standing.minimal
    expected = -X.mean() * sqrt(X.size) / np.sqrt((X**2).sum())
    assert found.statistics.determination.correlation[0, 1] == pytest.approx(expected, rel=1e-6)


def test_a_point_that_is_no_minimum_is_said_to_be_none():
    (a, b), _ = line_fit()
    found = study_of(LINE, line_data(), values=[a + 1.0, b])
    assert not found.standing.minimal
    text = " ".join(remarks(found))
    least = ((Y - a - b * X) ** 2).sum()
    assert f"to about {least:.4g}"[:-1] in text
    assert "FIT should come first" in text
    assert found.boundary == ()


def test_offset_is_the_distance_in_radii():
    (a, b), _ = line_fit()
    found = study_of(LINE, line_data(), values=[a, b]).statistics.intervals
    radius = found.conditional[0] / np.sqrt(found.f_value)  # where F is 1, as Bates and Watts have it
    for part in (0.05, 0.5):
        offset = study_of(LINE, line_data(), values=[a + part * radius, b]).statistics.offset
        assert offset == pytest.approx(part, rel=1e-5)


def test_an_interval_that_is_wide_only_jointly():
    """Of two parameters the joint interval is wider by sqrt(2 F) / t."""
    rng = np.random.default_rng(4)
    y = 0.05 + 2.0 * X + rng.normal(0, 0.02, X.size)
    data = make_observations(X, ["y"], y[:, np.newaxis])
    b, a = np.polyfit(X, y, 1)
    found = study_of(LINE, data, values=[a, b])
    parts = found.statistics.intervals
    assert parts.single[0] < abs(a) < parts.joint[0]
    text = " ".join(remarks(found))
    assert "Together with all the others a is known less well: the joint interval is wider than the parameter" in text
    assert "almost open" not in text


def test_bounds_wide_intervals_and_correlations_are_remarked():
    rng = np.random.default_rng(3)
    times = np.linspace(10.0, 10.2, 9)
    y = 1.0 + 2.0 * times + rng.normal(0, 0.1, 9)
    data = make_observations(times, ["y"], y[:, np.newaxis])
    b, a = np.polyfit(times, y, 1)
    found = study_of(LINE, data, values=[a, b], lower=np.array([a, -100.0]))
    text = " ".join(remarks(found))
    assert "a lies on its bound" in text
    assert "Hardly told apart, by their correlation: a and b (-0.99" in text
    parts = found.statistics.intervals
    assert (parts.joint > np.abs([a, b])).all()
    assert (parts.single > np.abs([a, b])).all()
    assert (
        "The intervals of a and b are wider than the parameters themselves: the data leave them almost open." in text
    )
