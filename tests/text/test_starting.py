"""What AUTO says of other minima: which of them chance could have put below the best."""

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import f as fisher

from parfit.data.observations import make_observations
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.minima import Minimum
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.text.starting import belief, rivals

X = np.arange(8.0)
Y = 1.0 + 2.0 * X + 0.1 * np.array([1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 0.5, -0.5])
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\naux sd_y=.3\ndone", "line")
LEFT = float(np.linalg.lstsq(np.column_stack((np.ones_like(X), X)), Y)[1][0])
OF_CHANCE = 2.0 * fisher.ppf(0.95, 2, 6) / 6.0  # by which part F may rise where it tells the size of the errors


def found(noise=None, **more):
    env = Environment.of(LINE, make_observations(X, ["y"], Y[:, np.newaxis], **more))
    return auto(env if noise is None else env.with_noise(noise), Request(1.0))


def with_another(result, total):
    """The same with a minimum of such a sum of squares."""
    best = result.minima[0]
    object.__setattr__(result, "minima", (best, Minimum(total, best.searches)))
    return result


@pytest.mark.parametrize(("part", "expected"), [(0.99, 1), (1.01, 0)])
def test_errors_that_the_residuals_tell(part, expected):
    assert len(rivals(with_another(found(), LEFT * (1.0 + part * OF_CHANCE)))) == expected


@pytest.mark.parametrize(("part", "expected"), [(0.99, 1), (1.01, 0)])
def test_errors_that_are_known(part, expected):
    sds = np.full((8, 1), 0.3)
    chi_square = LEFT / 0.09 + part * chi2.ppf(0.95, 2)
    assert len(rivals(with_another(found(sds=sds), chi_square))) == expected


@pytest.mark.parametrize(("part", "expected"), [(0.99, 1), (1.01, 0)])
def test_errors_of_a_noise_model_that_knows_them(part, expected):
    """Its sum of squares is n exp(E / n), with E the deviance: chi-square, and what is the same for all."""
    result = found(Noise({"y": VariableNoise(Form.GIVEN, quantity="sd_y")}))
    total = result.minima[0].total * np.exp(part * chi2.ppf(0.95, 2) / 8)
    assert len(rivals(with_another(result, total))) == expected


def test_what_turned_negative_is_said():
    """A rate that began positive may be one that cannot be negative, whatever explains the data best."""
    falling = make_observations(X, ["y"], -Y[:, np.newaxis])
    said = belief(auto(Environment.of(LINE, falling), Request(1.0)))
    assert "a, b are negative, though they began positive; if they cannot be, BOUNDS a>0 b>0 and AUTO again." in said
    assert "negative" not in belief(found())
