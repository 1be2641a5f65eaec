"""How reliable parameters are, by the linear theory at the optimum (thesis, section 1.3; Hemker 1972, section 3).

All of it is in the scaled active parameters, in which the problem was fitted.
"""

from __future__ import annotations

from enum import Enum
from functools import cached_property

import numpy as np

from parfit.arrays import Array, Mask
from parfit.dataclass import dataclass
from parfit.estimation import quantiles
from parfit.estimation.diagnosis.minimum import SIGNIFICANT
from parfit.spectrum import Spectrum, decompose, directions, eliminated

# A parameter belongs to an undetermined combination if its share of it is larger: rounding divided by the above.
SHARE_TOLERANCE = 1e-4


class Lack(Enum):
    """Why there are no intervals."""

    FREEDOM = "no degrees of freedom are left for estimating the error of the observations"
    EXACT = "the fit is exact but for rounding, so the error of the observations cannot be estimated from it"
    INFLUENCE = "no active parameter has any influence on the observations"
    LOSS = "the parameters were fitted with a robust loss, and linear theory is of least squares"


@dataclass(frozen=True, eq=False)
class Determination:
    """Which parameters a Jacobian tells apart."""

    rank: int
    jac: Array  # J, (n_observations, n_active)
    unit_condition: float  # of J with columns of length 1, which no choice of units changes
    dead: Mask  # columns of zeros, (n_active,)
    determined: Mask  # (n_active,)
    null: Array  # changes that the residuals do not notice, (n_active - rank, n_active)
    lengths: Array  # of the columns of J, 1 where they are zeros, (n_active,)
    unit_inverse: Array  # (J'J)^-1 with columns of length 1, (n_active, n_active)
    left: Array  # orthonormal basis of the range of J, (n_observations, rank)
    share: float  # of a combination that is not determined, the least that makes a parameter belong to it

    @property
    def is_full(self) -> bool:
        return self.rank == self.dead.size

    @cached_property
    def spectrum(self) -> Spectrum:
        """Of J as it is, in the units of the parameters."""
        return decompose(self.jac)

    @property
    def condition(self) -> float:
        """Of J."""
        if not self.is_full:
            return np.inf
        return self.spectrum.condition if self.rank else 1.0

    @property
    def inverse(self) -> Array:
        """(J'J)^-1, eq. 1.3.16; of use where `determined`, (n_active, n_active)."""
        return self.unit_inverse / self.lengths / self.lengths[:, np.newaxis]

    @property
    def correlation(self) -> Array:
        """Eq. 1.3.18; of use where `determined`, (n_active, n_active)."""
        sizes = np.sqrt(np.diag(self.unit_inverse))
        sizes[sizes == 0.0] = 1.0
        return _exact_diagonal(self.unit_inverse / np.outer(sizes, sizes))


@dataclass(frozen=True, eq=False)
class Intervals:
    """Half-widths of intervals and the ellipsoid they belong to; infinite for what is not determined."""

    f_value: float
    sd: float  # standard error of the fit, s
    radius: float  # sqrt(epsilon) of eq. 1.3.13
    covariance: Array  # s^2 (J'J)^-1, eq. 1.3.17, (n_active, n_active)
    joint: Array  # eq. 1.3.15; Hemker's "independent" intervals, (n_active,)
    conditional: Array  # the other parameters held (Hemker 1972, eq. 3.4)
    single: Array  # of one parameter alone, by Student's t
    single_conditional: Array  # the same with the others held, which is never wider
    axes: Array  # unit vectors along the principal axes, a row each, the best determined first
    lengths: Array  # of the half axes, eq. 1.3.14


@dataclass(frozen=True, eq=False)
class Statistics:
    """What residuals and their Jacobian say at one point."""

    percentile: float
    n_observations: int  # that count
    n_active: int
    sum_of_squares: float
    reduction: float  # of F by a Gauss-Newton step, if the residuals were linear
    offset: float  # distance to the minimum then, in radii of the region, as everywhere (minimum.relative_offset)
    determination: Determination
    standardized: Array  # residuals over their standard errors, NaN where they have none, (n_observations,)
    intervals: Intervals | None
    lack: Lack | None
    n_by_priors: int = 0  # of what is determined, so much is so by priors rather than by the data

    @property
    def n_free(self) -> int:
        """Degrees of freedom of the residuals."""
        return self.n_observations + self.n_by_priors - self.determination.rank

    @property
    def is_centred(self) -> bool:
        """Whether the linear theory has its minimum here, too, as its regions assume; a bound may keep it away."""
        return self.offset <= SIGNIFICANT


def statistics(
    residuals: Array,
    jac: Array,
    percentile: float,
    rounding: float,
    precision: float = 0.0,
    others: tuple[int, int] = (0, 0),
    n_by_priors: int = 0,
    variance: float | None = None,
) -> Statistics:
    """Statistics from the residuals of the observations that count, (n_observations,), and their Jacobian.

    Residuals whose norm is not above `rounding` are rounding errors; `precision` is that of the Jacobian. Of the
    rows so many `others` are no observations: priors, and rows of 0 that only add to J'J; priors determine so many
    parameters. A `variance` of the residuals is known beforehand, and not estimated from them.
    """
    found = determine(jac, precision)
    n, m = jac.shape[0] - sum(others), jac.shape[1]
    total = float(residuals @ residuals)
    reduction = float(np.sum((found.left.T @ residuals) ** 2))
    n_free = n + n_by_priors - found.rank
    lack = lack_of(found, n_free, np.sqrt(total), rounding) if variance is None else lack_of(found, 1, 1.0, 0.0)
    of_rows = (total / n_free if n_free > 0 else np.nan) if variance is None else variance
    intervals = None if lack else _intervals(found, of_rows, percentile, n_free if variance is None else None)
    offset = _offset(found, n_free, total, reduction, rounding)
    standardized = _standardized(residuals, found.left, 0.0 if intervals is None else intervals.sd)
    return Statistics(percentile, n, m, total, reduction, offset, found, standardized, intervals, lack, n_by_priors)


def determine(jac: Array, precision: float = 0.0) -> Determination:
    """The rank of a Jacobian, judged with columns of length 1, and what it leaves undetermined.

    Where every parameter is held there is no column, and nothing that could be undetermined.
    """
    found = directions(jac, precision)
    is_full = found.rank == jac.shape[1]
    roots = found.v[: found.rank].T / found.s[: found.rank]
    share = max(SHARE_TOLERANCE, found.tilt)
    null = eliminated(found.null)
    null[np.abs(null) < share] = 0.0
    return Determination(
        found.rank,
        jac,
        np.inf if not is_full else float(found.s[0] / found.s[-1]) if found.rank else 1.0,
        found.dead,
        np.sqrt((found.null**2).sum(axis=0)) < share,
        null / found.lengths,
        found.lengths,
        roots @ roots.T,
        found.u,
        share,
    )


def lack_of(found: Determination, n_free: int, norm: float, rounding: float) -> Lack | None:
    """Why there can be no intervals, of residuals of this norm; None if there can."""
    if n_free <= 0:
        return Lack.FREEDOM
    if found.rank == 0:
        return Lack.INFLUENCE
    return Lack.EXACT if norm <= rounding else None


def _intervals(found: Determination, variance: float, percentile: float, n_free: int | None) -> Intervals:
    """From the variance of the residuals, estimated with so many degrees of freedom or, with None, known."""
    m = found.rank
    level = percentile / 100.0
    f_value = quantiles.chi_square(level, m) / m if n_free is None else quantiles.fisher(level, m, n_free)
    sd, upper = float(np.sqrt(variance)), (1.0 + level) / 2.0
    radius = float(np.sqrt(m * f_value)) * sd
    roots = np.where(found.determined, np.sqrt(np.diag(found.unit_inverse)) / found.lengths, np.inf)
    held = np.where(found.dead, np.inf, 1.0 / found.lengths)
    axes, half = _axes(found.spectrum, found.rank, radius)
    alone = (quantiles.normal(upper) if n_free is None else quantiles.student(upper, n_free)) * sd
    widths = radius * roots, radius * held, alone * roots, alone * held
    return Intervals(f_value, sd, radius, sd**2 * found.inverse, *widths, axes, half)


def _axes(found: Spectrum, rank: int, radius: float) -> tuple[Array, Array]:
    """Principal axes of the ellipsoid that are not infinite, and half their lengths (eq. 1.3.14)."""
    axes = found.v[:rank]
    largest = axes[np.arange(rank), np.argmax(np.abs(axes), axis=1)]
    return axes * np.sign(largest)[:, np.newaxis], radius / found.s[:rank]


def _offset(found: Determination, n_free: int, total: float, reduction: float, rounding: float) -> float:
    """How far the minimum of the linearized problem is, as the relative offset of Bates and Watts has it."""
    if np.sqrt(reduction) <= rounding or found.rank == 0:
        return 0.0
    left = max(total - reduction, rounding**2)
    if n_free <= 0 or left == 0.0:
        return np.inf
    return float(np.sqrt((reduction / found.rank) / (left / n_free)))


def _standardized(residuals: Array, left: Array, sd: float) -> Array:
    """Residuals over s sqrt(1 - leverage); NaN where the fit must pass through the observation."""
    spread = sd * np.sqrt(np.clip(1.0 - (left**2).sum(axis=1), 0.0, None))
    result = np.full(residuals.size, np.nan)
    np.divide(residuals, spread, out=result, where=spread > 1e-6 * sd)
    return result


def _exact_diagonal(matrix: Array) -> Array:
    np.fill_diagonal(matrix, 1.0)
    return np.clip(matrix, -1.0, 1.0)
