"""Intervals hold the truth as often as they say: in so many data sets that chance rarely leads further astray.

Five hundred data sets each are counted by tests/benchmarks/coverage.py.
"""

import pytest
from covered import CASES, coverage
from scipy.stats import binom

N = 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_profiles_hold_the_truth(case):
    found = coverage(case, N)
    least, most = binom.ppf([0.001, 0.999], N, 0.95)
    assert found.n_failed == 0
    assert all(least <= each <= most for each in found.by_profile)
    if case.is_linear:
        assert all(least <= each <= most for each in found.by_theory)
