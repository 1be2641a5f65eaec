"""Whether residuals could be errors of measurement: small next to the data, and in no order.

It decides whether a search is over, many times: so it is quick, and refuses good residuals less than once in 100.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.diagnosis.residual_tests import has_known_errors, runs

EXPLAINED = 0.25  # of the spread of the data: a solution that leaves more does not follow them
EXACT = 1e-16  # of the spread of the data: nothing is left
LEVEL = 0.005  # probability with which errors would follow each other as these do
HARDLY = 1e-4  # the same, of errors by a rare chance: residuals of a wrong solution mostly are in far better order
FEWEST = 6  # residuals of a variable whose order tells anything


def does_follow(residuals: Array, spread: float) -> bool:
    """Whether a solution with these weighted residuals has at least the course of the data."""
    return bool(residuals @ residuals <= EXPLAINED * spread)


def is_plausible(
    residuals: Array, observations: Observations, spread: float, n_active: int, level: float = LEVEL
) -> bool:
    """Whether a solution with these weighted residuals explains the data, (n_observations,)."""
    total = float(residuals @ residuals)
    if not np.isfinite(total):
        return False
    if total <= EXACT * spread:
        return True
    if has_known_errors(observations):
        return not _too_large(total, residuals.size - n_active, level)
    return does_follow(residuals, spread) and not is_ordered(residuals, observations, level)


def is_ordered(residuals: Array, observations: Observations, level: float = LEVEL) -> bool:
    """Whether neighbours in time resemble each other, in any variable, more than errors would."""
    table = np.full(observations.observed.shape, np.nan)
    table[observations.observed] = residuals
    columns = [column[np.isfinite(column)] for column in table.T]
    tested = [column for column in columns if np.count_nonzero(column) >= FEWEST]
    each = level / max(len(tested), 1)
    limit = NormalDist().inv_cdf(1.0 - each)
    return any(_correlation(column) > limit or _has_few_runs(column, each) for column in tested)


def _correlation(column: Array) -> float:
    """That of neighbours, in standard deviations of what errors would have."""
    return (float(column[1:] @ column[:-1]) / float(column @ column) + 1.0 / column.size) * sqrt(column.size)


def _has_few_runs(column: Array, level: float) -> bool:
    found = runs(column)
    return found is not None and found.n_runs < found.expected and found.p_value < 2.0 * level


def _too_large(chi_square: float, n_free: int, level: float) -> bool:
    """Whether errors have so large a chi-square less often than the level, by the cube root of Wilson & Hilferty."""
    if n_free <= 0:
        return False
    part = 2.0 / (9.0 * n_free)
    deviation: float = ((chi_square / n_free) ** (1.0 / 3.0) - (1.0 - part)) / sqrt(part)
    return deviation > NormalDist().inv_cdf(1.0 - level)
