"""Standard deviations that were estimated: their limits against the closed form, and both biases."""

import math

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.freedom import Freedom
from parfit.estimation.likelihood.estimates import likelihood, sd_limits
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.noise import Form, Noise, VariableNoise


def test_limits_of_a_standard_deviation():
    """Of 16 residuals: x = .392 and -.311, where 16 [x + (exp(-2x) - 1)/2] = 1.92."""
    low, high = sd_limits(16, 95.0)
    assert (low, high) == pytest.approx((-0.311, 0.392), abs=5e-4)
    for x in (low, high):
        assert 16 * (x + (math.exp(-2 * x) - 1) / 2) == pytest.approx(1.9207294, rel=1e-6)


def test_both_biases_are_told():
    data = make_observations(np.arange(10.0), ["a", "b"], np.ones((10, 2)))
    found = NoiseRows(Noise({name: VariableNoise(Form.ADDITIVE) for name in "ab"}), data)
    said = likelihood(found, np.tile([0.1, 0.3], 10), lambda name: (np.empty(0), None), Freedom(20, 4, 0))
    assert said.estimates[0].sd == pytest.approx(0.1)
    assert said.estimates[0].corrected == pytest.approx(0.1 * math.sqrt(20 / 16))
