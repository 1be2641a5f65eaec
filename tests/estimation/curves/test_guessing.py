"""Guessed observations: the interpolating spline, and changes of single points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.interpolate import CubicSpline

from parfit.errors import ParfitError
from parfit.estimation.curves.guessing import (
    added,
    edited,
    guessed_curve,
    moved,
    nearest,
    removed,
    require_ends,
    snapped,
)

SAMPLES = np.arange(0, 13.0, 0.5)
# Thesis, section 4.4, curves (b) and (c) of Figure 4.4.1, and section 6.4, experiment 5.
GUESSES = [
    ([0, 2.5, 8.75, 12.5], [8, 3, 5, 4]),
    ([0, 5, 8.75, 12.5], [8, 3, 5, 4]),
    ([0, 10, 20, 30, 50, 60, 72], [10, 10, 9, 6, 3, 2, 1]),
    ([0, 12.5], [1, 3]),
    ([0, 3, 12.5], [1, 3, 0]),
]
B = np.array(GUESSES[0][0]), np.array(GUESSES[0][1], dtype=float)


@pytest.mark.parametrize(("t", "y"), GUESSES)
def test_the_curve_is_the_spline_with_the_slopes_of_the_end_chords(t, y):
    first, last = (y[1] - y[0]) / (t[1] - t[0]), (y[-1] - y[-2]) / (t[-1] - t[-2])
    other = CubicSpline(t, y, bc_type=((1, first), (1, last)))
    fine = np.linspace(t[0], t[-1], 101)
    curve = guessed_curve(t, y)
    for derivative in (0, 1, 2):
        assert_allclose(curve(fine, derivative), other(fine, derivative), atol=1e-12)
    assert_allclose(curve(t), y, atol=1e-12)
    assert curve([t[0], t[-1]], 1) == pytest.approx([first, last])


def test_two_points_make_a_line():
    assert_allclose(guessed_curve([0, 4], [1, 3])([1, 2, 3]), [1.5, 2, 2.5])


def test_times_near_the_ends_are_the_ends():
    assert snapped(1e-7, SAMPLES) == 0.0
    assert snapped(12.500001, SAMPLES) == 12.5
    assert snapped(0.01, SAMPLES) == 0.01
    with pytest.raises(ParfitError, match=r"13 is not between the first and the last sample time, 0 and 12\.5"):
        snapped(13, SAMPLES)


def test_both_ends_must_be_there_and_no_time_twice():
    require_ends([12.5, 3, 0], SAMPLES)
    for times, message in (
        ([0, 3], "LAST 12.5 not among"),
        ([3, 12.5], "FIRST 0 not among"),
        ([3], "FIRST 0 and LAST 12.5"),
        ([0, 3, 3, 12.5], "only one point at t = 3"),
    ):
        with pytest.raises(ParfitError, match=message):
            require_ends(times, SAMPLES)


def test_single_points_change_and_the_rest_stays():
    assert nearest(B, 2.6) == 1
    with pytest.raises(ParfitError, match="no point near t = 5; the nearest is at 2"):
        nearest(B, 5)
    assert_array_equal(edited(B, 1, 3.5)[1], [8, 3.5, 5, 4])
    t, y = added(B, 7, 2)
    assert_array_equal(t, [0, 2.5, 7, 8.75, 12.5])
    assert_array_equal(y, [8, 3, 2, 5, 4])
    assert_array_equal(removed((t, y), 2)[0], B[0])
    t, y = moved(B, 1, 5.0)  # curve (b) becomes curve (c)
    assert_array_equal(t, GUESSES[1][0])
    assert_array_equal(y, GUESSES[1][1])
    t, y = moved(B, 1, 10.0)  # past its neighbour
    assert_array_equal(t, [0, 8.75, 10, 12.5])
    assert_array_equal(y, [8, 5, 3, 4])
    assert_array_equal(B[1], [8, 3, 5, 4])


@pytest.mark.parametrize("change", [lambda: removed(B, 0), lambda: removed(B, 3), lambda: moved(B, 0, 1.0)])
def test_the_ends_stay(change):
    with pytest.raises(ParfitError, match="must stay"):
        change()


def test_a_point_cannot_be_put_on_another():
    with pytest.raises(ParfitError, match=r"a point at t = 2\.5 already"):
        added(B, 2.5, 1)
    with pytest.raises(ParfitError, match=r"a point at t = 8\.75 already"):
        moved(B, 1, 8.75)
