"""How reliable parameters are, by the linear theory at the optimum (thesis, section 1.3; Hemker 1972, section 3).

All of it is in the scaled active parameters, in which the problem was fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd

from parfit.estimation.optimum import RANK, SIGNIFICANT

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A parameter belongs to an undetermined combination if its share of it is larger: rounding divided by the above.
SHARE_TOLERANCE = 1e-4
# Residuals that are smaller next to the observations are rounding errors: no measurement is as good.
ROUNDING = 1e-10


class Lack(Enum):
    """Why there are no intervals."""

    FREEDOM = "no degrees of freedom are left for estimating the error of the observations"
    EXACT = "the fit is exact but for rounding, so the error of the observations cannot be estimated from it"
    INFLUENCE = "no active parameter has any influence on the observations"


@dataclass(frozen=True, eq=False)
class Determination:
    """Which parameters a Jacobian tells apart."""

    rank: int
    condition: float  # of J
    unit_condition: float  # of J with columns of length 1, which no choice of units changes
    dead: Mask  # columns of zeros, (n_active,)
    determined: Mask  # (n_active,)
    null: Array  # changes that the residuals do not notice, (n_active - rank, n_active)
    lengths: Array  # of the columns of J, 1 where they are zeros, (n_active,)
    unit_inverse: Array  # (J'J)^-1 with columns of length 1, (n_active, n_active)
    left: Array  # orthonormal basis of the range of J, (n_observations, rank)

    @property
    def is_full(self) -> bool:
        return self.rank == self.dead.size

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
    axes: Array  # unit vectors along the principal axes, a row each, the best determined first
    lengths: Array  # of the half axes, eq. 1.3.14


@dataclass(frozen=True, eq=False)
class Statistics:
    """What residuals and their Jacobian say at one point."""

    percentile: float
    n_observations: int  # that count
    n_active: int
    total: float  # F
    reduction: float  # of F by a Gauss-Newton step, if the residuals were linear
    offset: float  # distance to the minimum then, next to the radius of the region
    determination: Determination
    standardized: Array  # residuals over their standard errors, NaN where they have none, (n_observations,)
    intervals: Intervals | None
    lack: Lack | None

    @property
    def n_free(self) -> int:
        """Degrees of freedom of the residuals."""
        return self.n_observations - self.determination.rank

    @property
    def is_centred(self) -> bool:
        """Whether the linear theory has its minimum here, too, as its regions assume; a bound may keep it away."""
        return self.offset <= SIGNIFICANT


def statistics(residuals: Array, jac: Array, percentile: float, size: float) -> Statistics:
    """Statistics from the residuals of the observations that count, (n_observations,), and their Jacobian.

    `size` is the norm of the weighted observations, next to which residuals are or are not rounding errors.
    """
    found = determine(jac)
    n, m = jac.shape
    total = float(residuals @ residuals)
    reduction = float(np.sum((found.left.T @ residuals) ** 2))
    lack = _lack(found, n - found.rank, np.sqrt(total), size)
    intervals = None if lack else _intervals(found, jac, total, percentile)
    offset = _offset(found, n - found.rank, total, reduction, percentile, size)
    standardized = _standardized(residuals, found.left, 0.0 if intervals is None else intervals.sd)
    return Statistics(percentile, n, m, total, reduction, offset, found, standardized, intervals, lack)


def determine(jac: Array) -> Determination:
    """The rank of a Jacobian, judged with columns of length 1, and what it leaves undetermined."""
    n, m = jac.shape
    padded = np.vstack((jac, np.zeros((max(m - n, 0), m))))  # for a full set of right singular vectors
    largest = np.abs(padded).max(axis=0)
    dead = largest == 0.0
    largest[dead] = 1.0
    lengths = largest * np.linalg.norm(padded / largest, axis=0)  # without overflow
    lengths[dead] = 1.0
    u, s, vt = svd(padded / lengths, full_matrices=False)
    rank = int(np.count_nonzero(s > RANK * s[0]))
    roots = vt[:rank].T / s[:rank]
    null = vt[rank:]
    raw = svd(jac, compute_uv=False) if rank == m else np.array([np.inf, 1.0])
    return Determination(
        rank,
        float(raw[0] / raw[-1]) if raw[-1] > 0 else np.inf,
        float(s[0] / s[-1]) if rank == m else np.inf,
        dead,
        np.sqrt((null**2).sum(axis=0)) < SHARE_TOLERANCE,
        _sparse(null) / lengths,
        lengths,
        roots @ roots.T,
        u[:n, :rank],
    )


def _sparse(basis: Array) -> Array:
    """Another basis of the same space with the zeros that elimination gives, so that it can be read, (k, n_active)."""
    rows = basis.copy()
    for k in range(rows.shape[0]):
        i, j = divmod(int(np.argmax(np.abs(rows[k:]))), rows.shape[1])
        rows[[k, k + i]] = rows[[k + i, k]]
        rows[k] /= rows[k, j]
        others = np.arange(rows.shape[0]) != k
        rows[others] -= np.outer(rows[others, j], rows[k])
    rows[np.abs(rows) < SHARE_TOLERANCE] = 0.0
    return rows


def _lack(found: Determination, n_free: int, norm: float, size: float) -> Lack | None:
    if n_free <= 0:
        return Lack.FREEDOM
    if found.rank == 0:
        return Lack.INFLUENCE
    return Lack.EXACT if norm <= ROUNDING * size else None


def _intervals(found: Determination, jac: Array, total: float, percentile: float) -> Intervals:
    from scipy.stats import f, t  # late, because it takes long to import

    m, n_free = found.rank, jac.shape[0] - found.rank
    level = percentile / 100.0
    f_value, sd = float(f.ppf(level, m, n_free)), float(np.sqrt(total / n_free))
    radius = float(np.sqrt(m * f_value)) * sd
    roots = np.where(found.determined, np.sqrt(np.diag(found.unit_inverse)) / found.lengths, np.inf)
    conditional = np.where(found.dead, np.inf, radius / found.lengths)
    axes, half = _axes(jac, found.rank, radius)
    single = float(t.ppf((1.0 + level) / 2.0, n_free)) * sd * roots
    return Intervals(f_value, sd, radius, sd**2 * found.inverse, radius * roots, conditional, single, axes, half)


def _axes(jac: Array, rank: int, radius: float) -> tuple[Array, Array]:
    """Principal axes of the ellipsoid that are not infinite, and half their lengths (eq. 1.3.14)."""
    _, s, vt = svd(jac, full_matrices=False)
    axes = vt[:rank]
    largest = axes[np.arange(rank), np.argmax(np.abs(axes), axis=1)]
    return axes * np.sign(largest)[:, np.newaxis], radius / s[:rank]


def _offset(
    found: Determination, n_free: int, total: float, reduction: float, percentile: float, size: float
) -> float:
    """How far the minimum of the linearized problem is: 1 on the boundary of the region there.

    The region is that of the minimum, because F here would be too large for it. Compare Hemker (1972), section 5.1:
    converged if F falls by a small part of what it rises towards the boundary.
    """
    if np.sqrt(reduction) <= ROUNDING * size or found.rank == 0:
        return 0.0
    left = max(total - reduction, (ROUNDING * size) ** 2)
    if n_free <= 0:
        return np.inf
    from scipy.stats import f

    rise = found.rank * float(f.ppf(percentile / 100.0, found.rank, n_free)) * left / n_free
    return float(np.sqrt(reduction / rise)) if rise > 0 else np.inf


def _standardized(residuals: Array, left: Array, sd: float) -> Array:
    """Residuals over s sqrt(1 - leverage); NaN where the fit must pass through the observation."""
    spread = sd * np.sqrt(np.clip(1.0 - (left**2).sum(axis=1), 0.0, None))
    result = np.full(residuals.size, np.nan)
    np.divide(residuals, spread, out=result, where=spread > 1e-6 * sd)
    return result


def _exact_diagonal(matrix: Array) -> Array:
    np.fill_diagonal(matrix, 1.0)
    return np.clip(matrix, -1.0, 1.0)
