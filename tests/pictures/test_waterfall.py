"""Where searches have ended, as a picture."""

import numpy as np

from parfit.pictures.waterfall import waterfall


def test_the_least_stands_first_and_what_led_nowhere_is_left_out():
    (series,) = waterfall([5.0, np.inf, 1.0, 3.0]).series
    assert series.x.tolist() == [1.0, 2.0, 3.0]
    assert series.y.tolist() == [1.0, 3.0, 5.0]


def test_sums_of_very_different_sizes_are_drawn_by_their_logarithms():
    assert waterfall([1.0, 1e6]).y_log
    assert not waterfall([1.0, 2.0]).y_log
    assert not waterfall([0.0, 1e6]).y_log
