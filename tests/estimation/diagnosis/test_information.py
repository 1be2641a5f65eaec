"""Criteria by their definitions from the likelihood of normal errors."""

import numpy as np
import pytest
from scipy.stats import norm

from parfit.estimation.diagnosis.information import criteria

RESIDUALS = np.array([0.3, -0.1, 0.4, -0.5, 0.2, 0.1, -0.3])


def test_differences_are_those_of_minus_twice_the_log_likelihood():
    n, f = RESIDUALS.size, float(RESIDUALS @ RESIDUALS)
    worse = 1.5 * RESIDUALS
    found = criteria(f, n, 2, has_known_errors=False)
    other = criteria(2.25 * f, n, 1, has_known_errors=False)
    likelihoods = [norm.logpdf(r, scale=np.sqrt(np.mean(r**2))).sum() for r in (RESIDUALS, worse)]
    assert found.aic - other.aic == pytest.approx(-2 * (likelihoods[0] - likelihoods[1]) + 2 * (3 - 2))
    assert found.bic - other.bic == pytest.approx(-2 * (likelihoods[0] - likelihoods[1]) + np.log(n))
    assert found.aicc - found.aic == pytest.approx(2 * 3 * 4 / (7 - 3 - 1))


def test_known_errors_are_not_estimated():
    found = criteria(8.0, 7, 2, has_known_errors=True)
    assert (found.aic, found.n_parameters) == (12.0, 2)


def test_what_cannot_be_had():
    assert criteria(0.0, 7, 2, has_known_errors=False) is None
    assert criteria(1.0, 4, 2, has_known_errors=False).aicc == np.inf
