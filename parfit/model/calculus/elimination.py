"""In which order the states are eliminated, so that the factors of I - h g_y have few entries, and where these are."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parfit.dataclass import dataclass

if TYPE_CHECKING:
    from scipy.sparse import csc_array

Integers = NDArray[np.intc]
Fill = tuple[Integers, Integers]  # start of each row among the entries, column of each entry: L and U in one

MANY = 16  # from so many states on it is worth while to look for an order
FEW = 8  # below so many states no matrix is sparse
# With fewer than MANY states a sparse matrix must have this part of the work of a dense one, which has fast loops.
SMALL_PART = 0.25
# Work of a multiplication in LAPACK's dense factors, next to one in a sparse matrix or a band, as measured.
DENSE_WORK = 0.2
COLUMN_WORK = 60.0  # of LAPACK for every column of a band, as measured: it calls functions that are made for long ones
# A sparse matrix must save so much of the work, because its places must be looked up.
SAVED = 0.5
# Incomplete factors must save so much of the entries, because they do not solve at once.
OUTLINED = 0.5
COLUMNS = 10  # right-hand sides that are solved for with each matrix, as a guess


@dataclass(frozen=True, eq=False)
class Plan:
    """The states in the order to eliminate them, and where the factors are not zero, if a sparse matrix pays.

    The outline is where incomplete factors are not zero, if these have much fewer entries.
    """

    order: Integers
    fill: Fill | None = None
    outline: Fill | None = None


def plan(n: int, entries: Collection[tuple[int, int]]) -> Plan:
    """How to solve linear systems with I - h g_y.

    `entries` are the (row, column) of g_y. The order is the one as written, reverse Cuthill-McKee's if that gives a
    narrower band, or one of minimum degree.
    """
    natural = np.arange(n, dtype=np.intc)
    i, j = np.array(sorted(entries) or [(0, 0)]).T
    if n < MANY:
        few = _filled(n, i, j, SMALL_PART * (n**3 / 3 + COLUMNS * n**2)) if n >= FEW else None
        return Plan(natural, None if few is None else _as_fill(few))
    band = _banded(n, i, j)
    place = np.argsort(band)
    width = 1 + 2 * int(np.abs(place[i] - place[j]).max())
    dense = DENSE_WORK * (n**3 / 3 + COLUMNS * n**2)
    least = min(dense, n * width * (width / 2 + 1.5 * COLUMNS)) if width < n / 2 else dense
    if SAVED * least < 2 * len(i) * COLUMNS:  # no order has much less work than that of the band
        narrow = _filled(n, place[i], place[j], SAVED * (least + COLUMN_WORK * n))
        return Plan(band, None if narrow is None else _as_fill(narrow))
    order = _of_minimum_degree(n, i, j)
    place = np.argsort(order)
    filled = _filled(n, place[i], place[j], SAVED * least)
    if filled is None:
        return Plan(band)
    outlined = _outlined(n, place[i], place[j])
    worth = _n_bits(outlined) < OUTLINED * _n_bits(filled)
    return Plan(order, _as_fill(filled), _as_fill(outlined) if worth else None)


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


def _by_rows(n: int, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> list[int]:
    """A row as a number whose bits say which columns are filled, the diagonal always."""
    filled = [1 << i for i in range(n)]
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        filled[i] |= 1 << j
    return filled


def _filled(n: int, rows: NDArray[np.intp], columns: NDArray[np.intp], limit: float) -> list[int] | None:
    """The entries of L and U when rows are eliminated in turn with the diagonal as pivots.

    None if the work exceeds the limit.
    """
    filled = _by_rows(n, rows, columns)
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
            return None
    return filled


def _outlined(n: int, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> list[int]:
    """The entries of incomplete factors: fill-in of the matrix' entries, and of these and its entries.

    (Levels of fill 0 to 2: Saad, Iterative Methods for Sparse Linear Systems, 2003, section 10.3.3.)
    """
    first, second, third = (_by_rows(n, rows, columns) for _ in range(3))
    for i in range(n):
        below = (1 << i) - 1
        k = -1
        while left := (second[i] & below) >> (k + 1):
            k += (left & -left).bit_length()
            above = -1 << (k + 1)
            if first[i] >> k & 1:
                second[i] |= first[k] & above
                third[i] |= second[k] & above
            third[i] |= first[k] & above
        third[i] |= second[i]
    return third


def _n_bits(rows: list[int]) -> int:
    return sum(row.bit_count() for row in rows)


def _as_fill(rows: list[int]) -> Fill:
    found = [_bits(row) for row in rows]
    start = np.concatenate(([0], np.cumsum([len(row) for row in found]))).astype(np.intc)
    return start, np.concatenate(found).astype(np.intc)


def _bits(number: int) -> NDArray[np.intp]:
    """The places of the bits that are 1."""
    octets = np.frombuffer(number.to_bytes((number.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little"))
