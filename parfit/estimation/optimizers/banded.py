"""Normal equations of a least-squares problem in which every block of unknowns meets only its neighbours."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass

# A pivot that keeps less than this of its diagonal element is one of a singular matrix: the rest is rounding.
SINGULAR = 1e-13
RIDGE = 1e-8  # next to the diagonal, what is then added to it


@dataclass(frozen=True, eq=False)
class Blocks:
    """A Jacobian by blocks of k unknowns: rows of one block alone, and rows of one block and the next."""

    own: Array  # (n, rows, k)
    left: Array  # (n - 1, others, k), of the earlier block
    right: Array  # (n - 1, others, k), of the later block

    def transposed(self, alone: Array, joint: Array) -> Array:
        """J'f for residuals alone (n, rows) and joint (n - 1, others), as (n, k)."""
        product: Array = np.einsum("lri,lr->li", self.own, alone)
        product[:-1] += np.einsum("lri,lr->li", self.left, joint)
        product[1:] += np.einsum("lri,lr->li", self.right, joint)
        return product

    def normal(self, first: int) -> Array:
        """J'J from block `first` on as a lower band of 2k diagonals: band[d, j] = A[j + d, j]."""
        n, _, k = self.own.shape
        diagonal = _gram(self.own, self.own)
        diagonal[:-1] += _gram(self.left, self.left)
        diagonal[1:] += _gram(self.right, self.right)
        below = _gram(self.right, self.left)  # the block under each diagonal block
        band = np.zeros((2 * k, n, k))
        for i in range(k):
            for j in range(k):
                if i >= j:
                    band[i - j, :, j] = diagonal[:, i, j]
                band[k + i - j, :-1, j] = below[:, i, j]
        return band[:, first:].reshape(2 * k, -1)


def solve(band: Array, right: Array) -> tuple[Array, bool]:
    """Solve for blocks (n, k), and say whether the matrix is singular, so that its diagonal had to be raised."""
    found = _solved(band, right)
    if found is not None:
        return found, False
    ridged = band.copy()
    largest = float(band[0].max(initial=0.0))
    ridged[0] += RIDGE * np.where(band[0] > 0.0, band[0], largest or 1.0)
    found = _solved(ridged, right, singular=0.0)
    return (np.full_like(right, np.nan) if found is None else found), True


def _solved(band: Array, right: Array, singular: float = SINGULAR) -> Array | None:
    from scipy.linalg import cho_solve_banded, cholesky_banded

    if not np.isfinite(band.sum()):
        return None
    try:
        factor = cholesky_banded(band, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    if (factor[0] ** 2 <= singular * band[0]).any():
        return None
    found: Array = cho_solve_banded((factor, True), right.reshape(-1), check_finite=False).reshape(right.shape)
    return found


def _gram(a: Array, b: Array) -> Array:
    product: Array = np.einsum("lri,lrj->lij", a, b)
    return product
