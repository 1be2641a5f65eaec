"""How far F may rise within a confidence interval."""

from __future__ import annotations

import numpy as np

from parfit.dataclass import dataclass
from parfit.estimation import quantiles


@dataclass(frozen=True)
class Threshold:
    """The rise of F at the ends of intervals, and what it stands on."""

    level: float  # per cent
    rise: float
    is_known: bool  # whether the errors of the observations are known, so that F is chi-square
    n_together: int  # parameters whose intervals hold at once; 1 for one at a time
    n_free: int  # degrees of freedom of the residuals
    fall: float = np.nan  # of the log likelihood there, where F is what the likelihood makes of it


def threshold(level: float, total: float, n_free: int, is_known: bool, n_together: int = 1) -> Threshold:
    """By chi-square where the errors are known, else by the F distribution with the error that the residuals have.

    `total` is F at the minimum, `n_free` its degrees of freedom.
    """
    part = level / 100.0
    if is_known:
        rise = quantiles.chi_square(part, n_together)
    elif n_free > 0:
        rise = n_together * quantiles.fisher(part, n_together, n_free) * total / n_free
    else:
        rise = np.nan
    return Threshold(level, rise, is_known, n_together, n_free)
