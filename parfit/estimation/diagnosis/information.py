"""Akaike's and Schwarz's criteria, by which models of the same data are compared: the smaller the better.

H. Akaike (1974); C. M. Hurvich and C.-L. Tsai (1989) for few observations; G. Schwarz (1978). Only differences mean
anything, between models of the same observations with the same weights.
"""

from __future__ import annotations

from math import inf, log

from parfit.dataclass import dataclass


@dataclass(frozen=True)
class Criteria:
    """The criteria of one fit; infinite AICc where there are too few observations for so many parameters."""

    aic: float
    aicc: float
    bic: float
    n_parameters: int  # that were estimated, the variance of the errors among them unless it was known


def criteria(
    sum_of_squares: float, n_observations: int, n_parameters: int, has_known_errors: bool, constant: float = 0.0
) -> Criteria | None:
    """From a weighted sum of squares; with errors that are not known their variance is a parameter too.

    A constant, which comes from the weights, matters only beside models whose errors are estimated otherwise. None
    where the variance cannot be estimated, because nothing is left unexplained.
    """
    n = n_observations
    if has_known_errors:
        deviance, k = sum_of_squares + constant, n_parameters
    elif sum_of_squares > 0.0 and n > 0:
        deviance, k = n * log(sum_of_squares / n) + constant, n_parameters + 1
    else:
        return None
    return of_deviance(deviance, n, k)


def of_deviance(deviance: float, n: int, k: int) -> Criteria:
    """From -2 log L, but for constants, n observations and k parameters."""
    aic = deviance + 2 * k
    left = n - k - 1
    aicc = aic + 2 * k * (k + 1) / left if left > 0 else inf
    return Criteria(aic, aicc, deviance + k * log(n) if n else aic, k)
