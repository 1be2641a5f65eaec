"""In which order the states are eliminated, so that the factors of I - h g_y have few entries, and where these are."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Integers = NDArray[np.intc]
Fill = tuple[Integers, Integers]  # start of each row among the entries, column of each entry: L and U in one

MANY = 16  # from so many states on it is worth while to look for an order
# Work of a multiplication in LAPACK's dense factors, next to one in a sparse matrix or a band, as measured.
DENSE_WORK = 0.2
# A sparse matrix must save so much of the work, because its places must be looked up.
SAVED = 0.5
COLUMNS = 10  # right-hand sides that are solved for with each matrix, as a guess


def plan(n: int, entries: Collection[tuple[int, int]]) -> tuple[Integers, Fill | None]:
    """The states in the order to eliminate them, and where the factors are not zero, if a sparse matrix pays.

    `entries` are the (row, column) of g_y. The order is the one as written, reverse Cuthill-McKee's if that gives a
    narrower band, or one of minimum degree.
    """
    natural = np.arange(n, dtype=np.intc)
    if n < MANY:
        return natural, None
    i, j = np.array(sorted(entries) or [(0, 0)]).T
    band = _banded(n, i, j)
    place = np.argsort(band)
    width = 1 + 2 * int(np.abs(place[i] - place[j]).max())
    dense = DENSE_WORK * (n**3 / 3 + COLUMNS * n**2)
    least = min(dense, n * width * (width / 2 + 1.5 * COLUMNS)) if width < n / 2 else dense
    if SAVED * least < 2 * len(i) * COLUMNS:
        return band, None
    order = _of_minimum_degree(n, i, j)
    place = np.argsort(order)
    fill, work = _filled(n, place[i], place[j], SAVED * least)
    return (band, None) if fill is None or work > SAVED * least else (order, fill)


def _pattern(n: int, i: NDArray[np.intp], j: NDArray[np.intp]) -> csc_array:
    """A symmetric matrix with all the entries, and their mirror images, that has a dominant diagonal."""
    from scipy.sparse import csc_array

    both = np.concatenate((i, j, np.arange(n))), np.concatenate((j, i, np.arange(n)))
    return csc_array((np.concatenate((-np.ones(2 * i.size), np.full(n, 2.0 * n))), both), shape=(n, n))


def _banded(n: int, i: NDArray[np.intp], j: NDArray[np.intp]) -> Integers:
    """The order that gives the narrower band: as written, or by reverse Cuthill-McKee."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    found = reverse_cuthill_mckee(_pattern(n, i, j), symmetric_mode=True)
    place = np.argsort(found)
    narrower = np.abs(place[i] - place[j]).max() < np.abs(i - j).max()
    return (found if narrower else np.arange(n)).astype(np.intc)


def _of_minimum_degree(n: int, i: NDArray[np.intp], j: NDArray[np.intp]) -> Integers:
    from scipy.sparse.linalg import splu

    factors = splu(
        _pattern(n, i, j), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    return np.argsort(factors.perm_c).astype(np.intc)


def _filled(n: int, rows: NDArray[np.intp], columns: NDArray[np.intp], limit: float) -> tuple[Fill | None, float]:
    """The entries of L and U when rows are eliminated in turn with the diagonal as pivots, and the work of it.

    A row is a number whose bits say which columns are filled. None if the work exceeds the limit.
    """
    filled = [1 << i for i in range(n)]
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        filled[i] |= 1 << j
    work = 0.0
    upper: list[int] = []
    for i in range(n):
        row, k = filled[i], -1
        while True:
            left = row >> (k + 1)
            k += (left & -left).bit_length()  # the next entry; there is always the diagonal
            if k == i:
                break
            row |= upper[k]
            work += upper[k].bit_count()
        filled[i], above = row, row >> (i + 1) << (i + 1)
        upper.append(above)
        work += COLUMNS * row.bit_count()
        if work > limit:
            return None, work
    found = [_bits(row) for row in filled]
    start = np.concatenate(([0], np.cumsum([len(row) for row in found]))).astype(np.intc)
    return (start, np.concatenate(found).astype(np.intc)), work


def _bits(number: int) -> NDArray[np.intp]:
    """The places of the bits that are 1."""
    octets = np.frombuffer(number.to_bytes((number.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little"))
