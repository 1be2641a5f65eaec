"""What a fit with unknown errors has found out about them: standard deviations with limits, and the likelihood."""

from __future__ import annotations

import math

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.freedom import Freedom
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.likelihood.shapes import Column
from parfit.estimation.noise import Form

CONSTANT = 1.0 + math.log(2.0 * math.pi)  # of an observation, in -2 log L


@dataclass(frozen=True)
class Estimate:
    """The standard deviation of one group: by maximum likelihood, and corrected for the parameters."""

    group: str
    form: Form
    n: int
    sd: float
    corrected: float
    low: float
    high: float
    of: tuple[str, ...] = ()  # the variables of the group


@dataclass(frozen=True)
class Likelihood:
    """What the data say of a point with unknown errors."""

    estimates: tuple[Estimate, ...]
    log_likelihood: float
    n: int
    k: int  # parameters, those of the errors among them
    penalty: float = 0.0  # -2 log of the priors, next to their largest values
    chi2: float = math.nan  # squares of residuals over standard deviations, if all of these are known
    is_weighted: bool = (
        False  # whether estimates are standard deviations of observations of weight 1, and others differ
    )

    @property
    def deviance(self) -> float:
        """-2 log L without n (1 + log 2 pi), which is the same for all models of the same data."""
        return -2.0 * self.log_likelihood - self.n * CONSTANT


def likelihood(rows: NoiseRows, f: Array, column: Column, counts: Freedom, level: float = 95.0) -> Likelihood:
    """From weighted residuals, and what is determined there."""
    n, found, penalty = rows.n, [], rows.penalty(column)
    for group, each in zip(rows.groups, rows.sums(f, column), strict=True):
        if not group.is_estimated:
            continue
        of_scale = group.form.is_laplace  # whose sum of squares falls with it, not with its square
        root = 1.0 if of_scale else 0.5
        sd, left = (each / group.power) ** root, counts.n_free
        corrected = sd * (n / left) ** root if left > 0 else math.nan
        low, high = (sd * math.exp(2.0 * root * end) for end in sd_limits(group.power, level))
        n_own, own = group.rows.size, rows.variables(group)
        found.append(Estimate(group.name, group.form, n_own, sd, corrected, low, high, own))
    log_likelihood = rows.log_weights - 0.5 * (rows.scale.deviance(rows.total(f, column)) - penalty + n * CONSTANT)
    k, chi2 = counts.rank + len(found), _chi2(rows, f, column)
    return Likelihood(tuple(found), log_likelihood, n, k, penalty, chi2, rows.is_weighted)


def _chi2(rows: NoiseRows, f: Array, column: Column) -> float:
    """Of Laplace errors the rows are roots of twice the sizes of residuals over scales, whose squares count here."""
    if any(group.is_estimated for group in rows.groups):
        return math.nan
    r = rows.scaled_residuals(f, column)
    parts = [r[group.rows] ** (4 if group.form.is_laplace else 2) for group in rows.groups]
    factors = [0.25 if group.form.is_laplace else 1.0 for group in rows.groups]
    return float(sum(factor * part.sum() for factor, part in zip(factors, parts, strict=True)))


def sd_limits(n: int, level: float) -> tuple[float, float]:
    """Logarithms of limits of a standard deviation by its estimate from n residuals: where the likelihood has fallen.

    Twice the fall is 2 n [x + (exp(-2x) - 1)/2] at x = log(sd/estimate), which is to be chi-square.
    """
    from scipy.optimize import brentq  # late, because both take long to import
    from scipy.stats import chi2

    half = 0.5 * float(chi2.ppf(level / 100.0, 1))

    def fall(x: float) -> float:
        return n * (x + 0.5 * math.expm1(-2.0 * x)) - half

    least = -1.0
    while fall(least) < 0.0:
        least *= 2.0
    return float(brentq(fall, least, 0.0, xtol=1e-13)), float(brentq(fall, 0.0, half / n + 1.0, xtol=1e-13))
