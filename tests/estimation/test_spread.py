"""The spread of data, by hand and in any units."""

import numpy as np
import pytest

from parfit.estimation.spread import spread

VALUES = np.array([[1.0, 10.0], [2.0, np.nan], [6.0, 14.0]])
ONES = np.ones((3, 2))


def test_sums_of_squares_about_the_means():
    assert spread(VALUES, ONES) == pytest.approx((4 + 1 + 9) + (4 + 4))


@pytest.mark.parametrize(("factor", "offset"), [(1e-12, 0.0), (1.0, 1e5), (1e8, -1e9)])
def test_units_and_offsets_do_not_matter(factor, offset):
    assert spread(factor * VALUES + offset, ONES / factor) == pytest.approx(spread(VALUES, ONES), rel=1e-9)


def test_weights_count_in_the_mean_too():
    weights = np.array([[1.0], [2.0], [0.0]])
    about = np.array([1.0, 2.0]) - np.average([1.0, 2.0], weights=[1, 4])
    assert spread(VALUES[:, :1], weights) == pytest.approx(about[0] ** 2 + 4 * about[1] ** 2)


def test_what_has_no_spread_has_its_size():
    assert spread(np.full((3, 1), 7.1), ONES[:, :1]) == pytest.approx(3 * 7.1**2)
    assert spread(np.full((2, 2), np.nan), ONES[:2]) == 0.0
