"""The deviance as a sum of squares: an exponential, with a line beyond its knee."""

import math

import pytest

from parfit.estimation.likelihood.deviance import Scale


@pytest.mark.parametrize("scale", [Scale(20), Scale(20, 0.7), Scale(20, -8.0)])
@pytest.mark.parametrize("deviance", [-300.0, -1.0, 0.0, 13.9, 14.1, 500.0])
def test_there_and_back(scale, deviance):
    total = scale.total(deviance)
    assert scale.deviance(total) == pytest.approx(deviance, abs=1e-9)
    step = 1e-4
    slope = (math.log(scale.total(deviance + step)) - math.log(scale.total(deviance - step))) / (2.0 * step)
    assert scale.slope(total) == pytest.approx(slope, rel=1e-5)


def test_without_a_knee_it_is_the_exponential():
    assert Scale(4).total(4.0) == pytest.approx(4.0 * math.e)
    assert Scale(4).total(1e5) == math.inf
    assert Scale(4).total(math.nan) == math.inf


def test_beyond_the_knee_it_rises_with_chi_square():
    scale = Scale(10, 0.0)
    assert scale.total(3e6) - scale.total(2e6) == pytest.approx(1e6)
