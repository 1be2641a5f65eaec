"""Whether residuals look like errors of measurement: their size against known errors, their signs in time."""

from __future__ import annotations

from math import comb, erfc, sqrt

import numpy as np

from parfit.arrays import Array, Mask
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.problem import Evaluation

MOST_EXACT = 200  # signs; for more, the normal distribution is as good


@dataclass(frozen=True)
class Runs:
    """The runs of signs among residuals in order of time (Wald & Wolfowitz 1940)."""

    n_positive: int
    n_negative: int
    n_runs: int
    expected: float
    p_value: float  # of as many or as few runs; of one sign only, where there is no other

    @property
    def is_one_sign(self) -> bool:
        return not self.n_positive or not self.n_negative


@dataclass(frozen=True)
class Consistency:
    """F as chi-square, where the weights are reciprocals of known standard deviations (eq. 1.3.9)."""

    chi_square: float
    n_free: int
    percentile: float  # of chi-square with so many degrees of freedom


def counted(observations: Observations) -> Mask:
    """Which residuals are observations: those with a weight, (n_residuals,)."""
    counting: Mask = observations.weights[observations.observed] > 0.0
    return counting


def rows_counted(at: Evaluation, observations: Observations) -> Mask:
    """The same of all rows of an evaluation, of which those that are no observations count, (n_rows,)."""
    return np.concatenate((counted(observations), np.ones(at.n_priors + at.n_bends, dtype=bool)))


def has_known_errors(observations: Observations, name: str | None = None) -> bool:
    """Whether every observation that counts has a standard deviation, and its reciprocal as weight; all or those of
    one variable."""
    if observations.sds is None:
        return False
    counting = observations.observed & (observations.weights > 0.0)
    if name is not None:
        counting &= np.array(observations.names) == name
    products = observations.weights[counting] * observations.sds[counting]
    return bool(products.size and np.allclose(products, 1.0, rtol=1e-6, atol=0.0))


def consistency(total: float, n_free: int) -> Consistency | None:
    """F against chi-square; None without degrees of freedom."""
    if n_free <= 0:
        return None
    from scipy.stats import chi2  # late, because it takes long to import

    return Consistency(total, n_free, 100.0 * float(chi2.cdf(total, n_free)))


def runs(residuals: Array) -> Runs | None:
    """The test of runs, residuals of 0 left out; None if there are fewer than two others."""
    positive = residuals[residuals != 0.0] > 0.0
    n, n_runs = positive.size, 1 + int(np.count_nonzero(np.diff(positive)))
    if n < 2:
        return None
    plus = int(np.count_nonzero(positive))
    minus = n - plus
    expected = 1.0 + 2.0 * plus * minus / n
    if not plus or not minus:
        return Runs(plus, minus, n_runs, expected, 2.0 * 0.5**n)
    tails = _exact_tails(plus, minus, n_runs) if n <= MOST_EXACT else _normal_tails(plus, minus, n_runs)
    return Runs(plus, minus, n_runs, expected, min(1.0, 2.0 * min(tails)))


def _exact_tails(plus: int, minus: int, n_runs: int) -> tuple[float, float]:
    """Probabilities of at most and of at least so many runs, every order being as likely."""
    ways = {r: _orders(plus, minus, r) for r in range(2, plus + minus + 1)}
    every = comb(plus + minus, plus)
    few = sum(number for r, number in ways.items() if r <= n_runs)
    many = sum(number for r, number in ways.items() if r >= n_runs)
    return few / every, many / every


def _orders(plus: int, minus: int, n_runs: int) -> int:
    """In how many orders there are so many runs."""
    half, odd = divmod(n_runs, 2)
    if not odd:
        return 2 * comb(plus - 1, half - 1) * comb(minus - 1, half - 1)
    return comb(plus - 1, half) * comb(minus - 1, half - 1) + comb(plus - 1, half - 1) * comb(minus - 1, half)


def _normal_tails(plus: int, minus: int, n_runs: int) -> tuple[float, float]:
    """The same by the normal distribution, corrected for continuity."""
    n, product = plus + minus, 2.0 * plus * minus
    mean, variance = 1.0 + product / n, product * (product - n) / (n * n * (n - 1.0))
    spread = sqrt(max(variance, 0.0))
    if not spread > 0.0:
        return 1.0, 1.0
    return _below((n_runs + 0.5 - mean) / spread), _below((mean - n_runs + 0.5) / spread)


def _below(deviation: float) -> float:
    """The normal distribution, as accurate as it is small; scipy.stats takes too long to import for one number."""
    return 0.5 * erfc(-deviation / sqrt(2.0))
