"""Priors against the densities of scipy: a row is the root of -2 log, and its slope is exact."""

import math

import pytest
from scipy.stats import laplace, norm

from parfit.errors import CommandError
from parfit.estimation.prior import Density, Prior, read_prior

CASES = [
    (Prior(Density.NORMAL, 2.0, 0.5), lambda x: norm.logpdf(x, 2.0, 0.5)),
    (Prior(Density.LOGNORMAL, 2.0, 0.5), lambda x: norm.logpdf(math.log(x), math.log(2.0), 0.5)),
    (Prior(Density.LAPLACE, 2.0, 0.5), lambda x: laplace.logpdf(x, 2.0, 0.5)),
    (Prior(Density.LOGLAPLACE, 2.0, 0.5), lambda x: laplace.logpdf(math.log(x), math.log(2.0), 0.5)),
]


@pytest.mark.parametrize(("prior", "density"), CASES)
@pytest.mark.parametrize("x", [0.3, 1.9, 2.6, 40.0])
def test_the_square_is_twice_the_fall_of_the_density(prior, density, x):
    row, slope = prior.row(x)
    assert row**2 == pytest.approx(2.0 * (density(2.0) - density(x)), rel=2e-3)
    assert math.copysign(1.0, row) == math.copysign(1.0, x - 2.0)
    step = 1e-6 * x
    assert slope == pytest.approx((prior.row(x + step)[0] - prior.row(x - step)[0]) / (2.0 * step), rel=1e-5)


def test_the_tip_has_a_slope():
    row, slope = Prior(Density.LAPLACE, 2.0, 0.5).row(2.0)
    assert row == 0.0
    assert math.isfinite(slope)


def test_words():
    assert read_prior(["normal", "2", ".5"]) == Prior(Density.NORMAL, 2.0, 0.5)
    assert str(read_prior(["UNIFORM", "1", "3"])) == "UNIFORM 1 3"
    assert Prior(Density.UNIFORM, 1.0, 3.0).limits == (1.0, 3.0)
    assert not Prior(Density.UNIFORM, 1.0, 3.0).is_felt


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "say what is known"),
        ("LOUD 1 2", "no prior"),
        ("NORMAL 1", "two numbers"),
        ("NORMAL 1 x", "two numbers"),
        ("NORMAL 1 -2", "must be positive"),
        ("NORMAL 1 0", "must be positive"),
        ("LOGNORMAL -1 2", "median must be positive"),
        ("UNIFORM 3 1", "lowest value first"),
    ],
)
def test_what_is_no_prior_is_refused(said, why):
    with pytest.raises(CommandError, match=why):
        read_prior(said.split())


@pytest.mark.parametrize("density", [each for each in Density if each is not Density.UNIFORM])
def test_a_center_so_far_from_a_value_is_as_far_from_it(density):
    moved = Prior(density, 3.0, 0.2).about(2.0, 1.5)
    assert moved.second == 0.2
    assert moved.distance(2.0) == pytest.approx(-1.5)
    assert math.isfinite(Prior(density, 3.0, 1e4).about(2.0, 1.5).first)
