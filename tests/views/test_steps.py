"""Steps of a parameter in per cent."""

import math

import pytest

from parfit.estimation.parameters import Scaling
from parfit.views.steps import FIRST_PERCENT, PERCENTS, other_percent, size_of, stepped


def walk(value, n, percent=2.0, size=1.0, scaling=Scaling.NONE):
    for _ in range(abs(n)):
        value = stepped(value, size, percent, n // abs(n), scaling)
    return value


def test_straight_steps_are_per_cent_of_a_size_and_pass_through_0():
    assert walk(1.0, 3) == 1.06
    assert walk(1.0, 50, size=1.0, percent=2) == 2.0
    assert walk(1.0, -50) == 0.0
    assert walk(1.0, -51) == -0.02
    assert stepped(3.0, 3.0, 10.0, -10, Scaling.NONE) == 0.0
    assert stepped(0.0, 1.0, 5.0, 1, Scaling.NONE) == 0.05


def test_steps_of_a_logarithm_are_factors_and_stay_positive():
    up = walk(2.0, 7, percent=5, scaling=Scaling.LOGARITHM)
    assert up == pytest.approx(2.0 * 1.05**7, rel=1e-9)
    assert walk(up, -7, percent=5, scaling=Scaling.LOGARITHM) == pytest.approx(2.0, rel=1e-8)
    assert 0 < walk(1.0, -2000, percent=50, scaling=Scaling.LOGARITHM) < 1e-300
    assert math.log(walk(3.0, 1, 1, scaling=Scaling.LOGARITHM) / 3.0) == pytest.approx(math.log(1.01), rel=1e-7)


def test_steps_of_a_square_root_are_equal_in_the_root_and_end_at_0():
    roots = [math.sqrt(walk(4.0, n, 10, 4.0, Scaling.SQUARE_ROOT)) for n in (0, 1, 2, 3)]
    assert roots == pytest.approx([2.0, 2.2, 2.4, 2.6], rel=1e-9)
    assert walk(4.0, -12, 10, 4.0, Scaling.SQUARE_ROOT) == 0.0


def test_a_size_is_never_0():
    assert (size_of(0.5, 2.0), size_of(-3.0, 2.0), size_of(0.0, 0.0)) == (2.0, 3.0, 1.0)


def test_finer_and_coarser_end_at_the_finest_and_the_coarsest():
    assert PERCENTS[FIRST_PERCENT] == 2.0
    assert [PERCENTS[other_percent(FIRST_PERCENT, k)] for k in (-2, -1, 1, 2)] == [0.5, 1.0, 5.0, 10.0]
    assert (other_percent(0, -1), other_percent(len(PERCENTS) - 1, 1)) == (0, len(PERCENTS) - 1)
