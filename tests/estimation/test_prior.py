"""Priors against the densities of scipy: a row is the root of -2 log, and its slope is exact."""

import math
from itertools import pairwise

import pytest
from scipy.stats import cauchy, expon, gamma, laplace, norm, rayleigh

from parfit.errors import CommandError
from parfit.estimation.prior import Density, Prior, read_prior

CASES = [
    (Prior(Density.NORMAL, 2.0, 0.5), lambda x: norm.logpdf(x, 2.0, 0.5)),
    (Prior(Density.LOGNORMAL, 2.0, 0.5), lambda x: norm.logpdf(math.log(x), math.log(2.0), 0.5)),
    (Prior(Density.LAPLACE, 2.0, 0.5), lambda x: laplace.logpdf(x, 2.0, 0.5)),
    (Prior(Density.LOGLAPLACE, 2.0, 0.5), lambda x: laplace.logpdf(math.log(x), math.log(2.0), 0.5)),
    (Prior(Density.CAUCHY, 2.0, 0.5), lambda x: cauchy.logpdf(x, 2.0, 0.5)),
    (Prior(Density.GAMMA, 5.0, 0.5), lambda x: gamma.logpdf(x, 5.0, scale=0.5)),
    (Prior(Density.RAYLEIGH, 0.1, 1.9), lambda x: rayleigh.logpdf(x, 0.1, 1.9)),
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
        ("GAMMA .5 1", "shape must be at least 1"),
    ],
)
def test_what_is_no_prior_is_refused(said, why):
    with pytest.raises(CommandError, match=why):
        read_prior(said.split())


@pytest.mark.parametrize("x", [1e-3, 0.3, 2.0])
def test_gamma_of_shape_1_is_exponential(x):
    prior = Prior(Density.GAMMA, 1.0, 0.5)
    row, slope = prior.row(x)
    assert row**2 == pytest.approx(
        2.0 * (expon.logpdf(0.0, scale=0.5) - expon.logpdf(x, scale=0.5)), rel=0.1 * 1e-3 / x
    )
    assert slope == pytest.approx((prior.row(1.001 * x)[0] - prior.row(0.999 * x)[0]) / (0.002 * x), rel=1e-4)
    assert prior.center == 0.0


@pytest.mark.parametrize("prior", [Prior(Density.GAMMA, 5.0, 0.5), Prior(Density.RAYLEIGH, 0.1, 1.9)])
def test_where_a_density_ends_it_is_nothing_and_at_its_top_it_is_smooth(prior):
    assert prior.center == pytest.approx(2.0)
    assert math.isnan(prior.row(prior.limits[0] - 1e-9)[0])
    rows = [prior.row(2.0 + 1e-6 * k)[0] for k in range(-400, 401)]
    assert rows[400] == pytest.approx(0.0, abs=1e-12)
    slopes = [(b - a) / 1e-6 for a, b in pairwise(rows)]
    assert slopes == pytest.approx([prior.row(2.0)[1]] * 800, rel=1e-3), "however near"


@pytest.mark.parametrize("prior", [Prior(Density.GAMMA, 5.0, 0.5), Prior(Density.RAYLEIGH, 0.1, 1.9)])
@pytest.mark.parametrize("distance", [-1.5, 0.0, 1.5])
def test_where_a_density_ends_another_scale_moves_its_center(prior, distance):
    moved = prior.about(3.0, distance)
    assert moved.first == prior.first
    assert moved.distance(3.0) == pytest.approx(-distance, abs=1e-8)
    exponential = Prior(Density.GAMMA, 1.0, 0.5)
    assert exponential.about(3.0, distance) == exponential


@pytest.mark.parametrize("density", [each for each in Density if not each.has_end and each is not Density.UNIFORM])
def test_a_center_so_far_from_a_value_is_as_far_from_it(density):
    moved = Prior(density, 3.0, 0.2).about(2.0, 1.5)
    assert moved.second == 0.2
    assert moved.distance(2.0) == pytest.approx(-1.5)
    assert math.isfinite(Prior(density, 3.0, 1e4).about(2.0, 1.5).first)
