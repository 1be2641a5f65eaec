"""Tests of residuals: runs of their signs, and their size against known errors."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
from regression import LINE, X, Y, line_data, line_fit, study_of
from scipy.stats import chi2, norm

from parfit.estimation.diagnosis.residual_tests import consistency, counted, has_known_errors, runs
from parfit.text.diagnosis.verdicts import consistency as consistency_sentences
from parfit.text.diagnosis.verdicts import signs


def test_runs_are_counted_as_by_enumeration():
    """Every order of 4 + and 5 - signs is as likely."""
    orders = [np.isin(np.arange(9), chosen) for chosen in combinations(range(9), 4)]
    counts = np.array([1 + np.count_nonzero(np.diff(order)) for order in orders])
    for order, n_runs in zip(orders[::7], counts[::7], strict=True):
        found = runs(np.where(order, 1.0, -1.0))
        tail = min((counts <= n_runs).mean(), (counts >= n_runs).mean())
        assert found.n_runs == n_runs
        assert found.p_value == pytest.approx(min(1.0, 2 * tail))


def test_runs_of_published_example():
    """Two blocks of five: 2 of the 252 orders have two runs."""
    found = runs(np.array([1.0] * 5 + [-1.0] * 5))
    assert found.p_value == pytest.approx(2 * 2 / comb(10, 5))
    assert found.expected == pytest.approx(6.0)
    assert "follow a trend" in signs("y", found)
    assert "alternate" in signs("y", runs(np.array([1.0, -1.0] * 6)))
    assert "look random" in signs("y", runs(np.array([1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0])))


def test_runs_with_zeros_one_sign_and_nothing():
    assert runs(np.array([0.0, 1.0, 0.0, 2.0])).p_value == pytest.approx(0.5)
    assert "all 6 residuals are negative" in signs("y", runs(-np.ones(6)))
    assert "on one side" in signs("y", runs(-np.ones(6)))
    assert "may be chance" in signs("y", runs(np.ones(3)))
    assert runs(np.zeros(5)) is None
    assert "too few" in signs("y", runs(np.empty(0)))


def test_many_signs_are_judged_by_the_normal_distribution():
    """151 + and 150 - signs; mean and variance of Wald & Wolfowitz, with the correction for continuity."""
    for n_blocks, one_sided, step in ((130, norm.cdf, 0.5), (170, norm.sf, -0.5)):
        order = np.resize([1.0, -1.0], n_blocks)
        residuals = np.concatenate((np.ones(151 - n_blocks // 2), order, -np.ones(150 - n_blocks // 2)))
        found = runs(residuals)
        assert (found.n_positive, found.n_negative) == (151, 150)
        product = 2 * 151 * 150
        mean, spread = 1 + product / 301, sqrt(product * (product - 301) / (301**2 * 300))
        assert found.p_value == pytest.approx(2 * one_sided((found.n_runs + step - mean) / spread), rel=1e-6)


def test_the_normal_distribution_agrees_with_the_exact_one():
    found = runs(np.concatenate((np.ones(60), np.resize([1.0, -1.0], 80), -np.ones(60))))
    n, product = 200, 2 * found.n_positive * found.n_negative
    mean, spread = 1 + product / n, sqrt(product * (product - n) / (n**2 * (n - 1)))
    assert found.p_value == pytest.approx(2 * norm.cdf((found.n_runs + 0.5 - mean) / spread), rel=0.05)


def test_consistency_with_known_errors():
    assert consistency(18.307, 10).percentile == pytest.approx(95.0, abs=1e-3)  # tables of chi-square
    assert consistency(1.0, 0) is None
    sd = 0.2
    (a, b), _ = line_fit()
    total = ((Y - a - b * X) ** 2).sum()
    for factor, words in ((1.0, "is consistent with"), (0.1, "not consistent"), (20.0, "closer than the errors")):
        found = study_of(LINE, line_data(sds=factor * sd), values=[a, b])
        expected = 100 * chi2.cdf(total / (factor * sd) ** 2, 4)
        assert found.consistency.percentile == pytest.approx(expected, rel=1e-4)
        assert words in consistency_sentences(found)[0]


def test_errors_are_known_only_where_weights_are_their_reciprocals():
    assert not has_known_errors(line_data())
    assert has_known_errors(line_data(sds=0.5))
    assert not has_known_errors(line_data(sds=0.5, weights=1.0))
    sds = np.full((X.size, 1), 0.5)
    sds[2] = np.nan
    assert not has_known_errors(line_data(sds=sds))
    weights = np.where(np.isnan(sds), 0.0, 2.0)
    assert has_known_errors(line_data(sds=sds, weights=weights))
    assert counted(line_data(sds=sds, weights=weights)).sum() == 5
    found = study_of(LINE, line_data(), values=[1.0, 2.0])
    assert "are not known" in consistency_sentences(found)[0]
