"""Linear combinations of the states that never change, such as the total amount in a closed chemical system."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.spectrum import decompose, eliminated

NEGLIGIBLE = 1e-11  # part of the largest singular value that counts as 0
SMALL = 1e-9  # rounding of coefficients


@dataclass(frozen=True, eq=False)
class Conserved:
    """coefs @ y = value for all times: coefs (n_states,), the smallest of them is 1."""

    coefs: Array
    value: float


@np.errstate(all="ignore")
def conserved(g: Array, initial: Array) -> tuple[Conserved, ...]:
    """The combinations c with c @ g = 0 at all points of a sample g (n_points, n_states), n_points >= n_states."""
    sample = g[np.isfinite(g).all(axis=1)]
    if not len(sample):  # of equations that are defined nowhere nothing is known
        return ()
    sizes = np.abs(sample).max(axis=0, initial=0.0)
    sizes[sizes == 0.0] = 1.0
    scaled = sample / sizes
    lengths = np.abs(scaled).max(axis=1)
    # Rows of one size, so that a few points with large rates do not hide what holds at the others.
    found = decompose(scaled[lengths > 0.0] / lengths[lengths > 0.0, np.newaxis])
    rows = eliminated(found.v[found.s <= NEGLIGIBLE * max(found.s[0], NEGLIGIBLE)])
    laws = [_simple(row / sizes) for row in np.where(np.abs(rows) <= SMALL, 0.0, rows)]
    laws.sort(key=lambda coefs: tuple(coefs == 0.0))
    return tuple(Conserved(coefs, float(coefs @ initial)) for coefs in laws)


def _simple(coefs: Array) -> Array:
    """The same combination, its first coefficient positive and its smallest 1; whole numbers if they are that."""
    known = coefs[coefs != 0.0]
    simple: Array = coefs / np.copysign(np.abs(known).min(), known[0])
    whole: Array = np.round(simple)
    return whole if np.allclose(simple, whole, rtol=SMALL, atol=0.0) else simple
