"""B-splines and piecewise polynomials, to the last bit those of scipy."""

import numpy as np
import pytest
from scipy.interpolate import BSpline, PPoly

from parfit.model.splines import basis, pieces, polynomial

ORDER = 4


def case(seed, multiplicity):
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(-3.0, 50.0, rng.integers(8, 60)))
    joints = np.sort(rng.choice(times[1:-1], rng.integers(0, 5), replace=False))
    ends = np.ones(ORDER)
    knots = np.concatenate([times[0] * ends, np.repeat(joints, multiplicity), times[-1] * ends])
    return times, knots, rng.normal(size=knots.size - ORDER)


@pytest.mark.parametrize("multiplicity", [1, 2])
@pytest.mark.parametrize("seed", range(20))
def test_they_are_those_of_scipy(seed, multiplicity):
    times, knots, coefs = case(seed, multiplicity)
    assert np.array_equal(basis(times, knots, ORDER), BSpline.design_matrix(times, knots, ORDER - 1).toarray())
    expected = PPoly.from_spline(BSpline(knots, coefs, ORDER - 1))
    real = np.diff(expected.x) > 0
    breaks, found = pieces(knots, coefs, ORDER)
    assert np.array_equal(breaks, np.append(expected.x[:-1][real], expected.x[-1]))
    assert np.array_equal(found, expected.c[:, real])


@pytest.mark.parametrize("derivative", range(6))
def test_values_and_derivatives_inside_at_the_breaks_and_beyond(derivative):
    _, knots, coefs = case(3, 2)
    breaks, found = pieces(knots, coefs, ORDER)
    t = np.concatenate([np.linspace(-20.0, 80.0, 41), breaks, [np.nan]]).reshape(2, -1)
    expected = PPoly(found, breaks)(t, nu=derivative)
    assert np.array_equal(polynomial(breaks, found, t, derivative), expected, equal_nan=True)
    assert polynomial(breaks, found, t[0, 3], derivative) == expected[0, 3]
