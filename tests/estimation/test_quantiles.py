"""Quantiles, against scipy.stats."""

import pytest
from scipy.stats import chi2, f, norm, t

from parfit.estimation.quantiles import chi_square, fisher, normal, student


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_quantiles_are_those_of_scipy(level):
    assert normal(level) == pytest.approx(norm.ppf(level), rel=1e-12, abs=1e-12)
    for n in (1, 3, 40):
        assert student(level, n) == pytest.approx(t.ppf(level, n), rel=1e-9, abs=1e-12)
        assert chi_square(level, n) == pytest.approx(chi2.ppf(level, n), rel=1e-9)
        assert fisher(level, 3, n) == pytest.approx(f.ppf(level, 3, n), rel=1e-9)
