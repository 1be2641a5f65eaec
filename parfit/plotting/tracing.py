"""Which dots lie on a line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array

Mask = NDArray[np.bool_]  # (n_rows, n_columns) of the canvas, from the bottom left: what a series covers

CHUNK = 4096  # segments of a line at a time, which bounds the memory


def trace(x: Array, y: Array, shape: tuple[int, int], drawn: int, period: int) -> Mask:
    """The dots on the lines between consecutive places (in dots), of which `drawn` in each period are covered.

    With drawn = 0 only the places themselves are covered.
    """
    mask = np.zeros(shape, dtype=np.bool_)
    column, row = (np.where(np.isnan(v), -1, v).astype(np.intp) for v in (x, y))
    # Of neighbours on the same dot (and of neighbouring gaps) one is enough.
    fresh = np.ones(len(x), dtype=np.bool_)
    fresh[1:] = (np.diff(column) != 0) | (np.diff(row) != 0)
    x, y, column, row = x[fresh], y[fresh], column[fresh], row[fresh]
    known = column >= 0
    ends = np.concatenate([[False], known, [False]])
    alone = known & ~ends[:-2] & ~ends[2:]
    shown = known if drawn in (0, period) else alone
    mask[row[shown], column[shown]] = True
    if drawn:
        for rows, columns in _between(x, y, drawn, period):
            mask[rows, columns] = True
    return mask


def _between(x: Array, y: Array, drawn: int, period: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows and columns of the dots between consecutive places, less the gaps of dashes; in pieces."""
    length = np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y)))
    start = np.concatenate([[0.0], np.cumsum(np.nan_to_num(length))])
    segments = np.flatnonzero(np.isfinite(length))
    for first in range(0, len(segments), CHUNK):
        some = segments[first : first + CHUNK]
        n_dots = np.ceil(length[some]).astype(np.intp) + 1
        which = np.repeat(some, n_dots)
        k = np.arange(len(which)) - np.repeat(np.cumsum(n_dots) - n_dots, n_dots)
        part = k / np.repeat(np.maximum(n_dots - 1, 1), n_dots)
        covered = (start[which] + part * length[which]) % period < drawn
        which, part = which[covered], part[covered]
        rows, columns = (v[which] + part * (v[which + 1] - v[which]) for v in (y, x))
        yield rows.astype(np.intp), columns.astype(np.intp)
