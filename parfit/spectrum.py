"""Singular values, rank, null spaces and bases of matrices, and lengths of their columns: here and nowhere else."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array, Mask
from parfit.dataclass import dataclass
from parfit.kernel.linearized import RANK as KERNEL_RANK

RANK: float = KERNEL_RANK  # singular values this small next to the largest, with columns of length 1, are 0
MOST_TILT = 0.1
DEPENDENT = 1e-11  # of a column, next to the longest: what rounding leaves of one that depends on others
TIE = 1e-6  # entries that differ by less, relatively, are the same


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Singular values, descending, (..., n_columns), and the right singular vectors in the rows of v."""

    s: Array
    v: Array

    @property
    def condition(self) -> float:
        """The largest by the smallest; infinite where the smallest is 0 to rounding."""
        if not self.s.size or self.s[-1] <= self.s[0] * self.s.size * np.finfo(float).eps:
            return np.inf
        return float(self.s[0] / self.s[-1])


@dataclass(frozen=True, eq=False)
class Directions:
    """A Jacobian with columns of length 1: which changes of the parameters the residuals see, and which not.

    A change x of the parameters is d / lengths, where d is in the units of these columns.
    """

    lengths: Array  # of the columns, 1 where they are zeros, (n_active,)
    dead: Mask  # columns of zeros, (n_active,)
    rank: int
    u: Array  # orthonormal basis of the columns' space, (n_residuals, rank)
    s: Array  # all singular values, descending, (n_active,)
    v: Array  # right singular vectors in rows, those that are not seen behind `rank`, (n_active, n_active)
    tilt: float  # how far errors of the columns may turn what is not seen towards what is seen

    @property
    def null(self) -> Array:
        """Changes d that the residuals do not notice, (n_active - rank, n_active)."""
        return self.v[self.rank :]

    def leverage(self, rows: Array) -> float:
        """Which part of what is seen such rows (n, n_active) determine, if they are among the Jacobian's: the trace of
        their block of the hat matrix."""
        parts = (rows / self.lengths) @ self.v[: self.rank].T / self.s[: self.rank]
        return float((parts * parts).sum())

    def explained(self, vector: Array) -> Array:
        """The coordinates in `u` of what changes of the parameters can imitate of a vector (n_residuals,), (rank,)."""
        parts: Array = vector @ self.u
        return parts


def directions(jac: Array, precision: float = 0.0) -> Directions:
    """Of a finite Jacobian (n_residuals, n_active), whatever the units of its columns.

    `precision` is how well columns agree that should.
    """
    found = column_lengths(jac)
    dead = found == 0.0
    lengths = np.where(dead, 1.0, found)
    u, s, v = _svd(jac / lengths)
    rank = int(np.count_nonzero(believed(s, precision)))
    tilt = min(precision * float(s[0] / s[rank - 1]), MOST_TILT) if rank else 0.0
    return Directions(lengths, dead, rank, u[: len(jac), :rank], s, v, tilt)


def believed(s: Array, precision: float = 0.0) -> Mask:
    """Which singular values (n_active,) are more than rounding and the errors of an integration."""
    found: Mask = s > max(RANK, precision) * s.max(initial=0.0)
    return found


def decompose(matrix: Array) -> Spectrum:
    """Singular values and right vectors of a matrix, or of a stack of them, as many as it has columns."""
    _, s, v = _svd(matrix)
    return Spectrum(s, v)


def singular_values(matrix: Array) -> Array:
    """Of a matrix, or of a stack of them, descending, as many as the smaller of its dimensions."""
    values: Array = np.asarray(np.linalg.svd(matrix, compute_uv=False), dtype=np.float64)
    return values


def _svd(matrix: Array) -> tuple[Array, Array, Array]:
    """U, s and V', with rows of zeros where they are needed for as many singular values as columns."""
    *stack, n_rows, n_columns = matrix.shape
    missing = max(n_columns - n_rows, 0)
    if missing:
        matrix = np.pad(matrix, (*((0, 0) for _ in stack), (0, missing), (0, 0)))
    u, s, v = np.linalg.svd(matrix, full_matrices=False)
    return u, s, v


def orthonormal(columns: Array) -> Array:
    """An orthonormal basis of what independent columns span, of the same shape."""
    basis: Array = np.linalg.qr(columns)[0]
    return basis


def least_squares(matrix: Array, right: Array) -> tuple[Array, int]:
    """The shortest x for which |A x - b| is least, and the rank of A to rounding."""
    solution, _, rank, _ = np.linalg.lstsq(matrix, right, rcond=None)
    return np.asarray(solution, dtype=np.float64), int(rank)


def solved(matrix: Array, right: Array) -> Array | None:
    """The X for which |A X - B| is least, for a matrix of at least as many rows as columns, each of a size about 1.

    None if the columns are dependent, to rounding, or something is no number.
    """
    if not np.isfinite(matrix).all():
        return None
    q, r = np.linalg.qr(matrix)
    diagonal = np.abs(np.diag(r))
    if not (diagonal > DEPENDENT * diagonal.max(initial=0.0)).all():
        return None
    found: Array = np.linalg.solve(r, q.T @ right)
    return found


def shortest_solutions(matrices: Array, right: Array, cutoff: float) -> Array:
    """The same for a stack of matrices (k, n, m) and vectors (k, n), with what rank means; NaN where it fails."""
    try:
        inverse = np.linalg.pinv(matrices, rcond=cutoff)
    except np.linalg.LinAlgError:
        return np.full((len(matrices), matrices.shape[2]), np.nan)
    found: Array = (inverse @ right[..., np.newaxis])[..., 0]
    return found


def pseudo_inverse(matrix: Array, cutoff: float) -> Array:
    """Of a matrix (n, m), with what rank means; NaN where it fails."""
    if not matrix.shape[1]:
        return np.zeros((0, matrix.shape[0]))
    try:
        found = _inverse_of_full_rank(matrix, cutoff) if len(matrix) >= matrix.shape[1] else None
        return np.asarray(np.linalg.pinv(matrix, rcond=cutoff), dtype=np.float64) if found is None else found
    except np.linalg.LinAlgError:
        return np.full(matrix.shape[::-1], np.nan)


def _inverse_of_full_rank(matrix: Array, cutoff: float) -> Array | None:
    """The pseudo-inverse without singular values, which take longer; None where one of them may count as 0."""
    basis, columns = np.linalg.qr(matrix)
    inverse = inverse_of(columns, cutoff)
    return None if inverse is None else inverse @ basis.T


def inverse_of(matrix: Array, cutoff: float) -> Array | None:
    """Of a square matrix; None if its smallest singular value may be less than so small a part of the largest."""
    try:
        inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    smallest, largest = 1.0 / np.linalg.norm(inverse), np.linalg.norm(matrix)  # at least, and at most
    return inverse if smallest > cutoff * largest else None


def eliminated(rows: Array) -> Array:
    """Another basis of the space of some rows (k, m), with the zeros that elimination gives, so that it can be read.

    The largest entry of each row is 1, in a column where the others have 0.
    """
    rows = rows.copy()
    pivots: list[int] = []
    for i in range(len(rows)):
        free = np.abs(rows[i:])
        free[:, pivots] = 0.0
        # The first of those that are the largest but for rounding, so that rounding does not decide.
        at, pivot = divmod(int((free >= (1.0 - TIE) * free.max()).argmax()), free.shape[1])
        rows[[i, i + at]] = rows[[i + at, i]]
        rows[i] /= rows[i, pivot]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, pivot], rows[i])
        pivots.append(pivot)
    return rows


def column_lengths(columns: Array) -> Array:
    """Of the columns, however large or small their numbers are."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    lengths: Array = safe * np.sqrt(((columns / safe) ** 2).sum(axis=0))
    return lengths


def condensed(rows: Array) -> Array:
    """As many rows as columns with the same products: R of R'R = A'A, (n_columns, n_columns)."""
    upper = np.asarray(np.linalg.qr(rows, mode="r"), dtype=np.float64)
    missing = rows.shape[1] - len(upper)
    return np.pad(upper, ((0, missing), (0, 0))) if missing else upper


def within_bounds(columns: Array, vector: Array, limits: tuple[Array, Array]) -> Array:
    """The change x (n_columns,), the smallest of several, that makes |A x + b| least between its limits."""
    found = directions(columns)
    x: Array = -(found.v[: found.rank].T @ (found.explained(vector) / found.s[: found.rank])) / found.lengths
    if ((x >= limits[0]) & (x <= limits[1])).all():
        return x
    from scipy.optimize import lsq_linear  # late, because it takes long to import

    low, high = limits
    fixed = ~(low < high)  # of which nothing is to be decided
    x = np.clip(np.zeros_like(x), low, high)
    if not fixed.all():
        x[~fixed] = lsq_linear(columns[:, ~fixed], -vector, (low[~fixed], high[~fixed]), method="bvls").x
    return x
