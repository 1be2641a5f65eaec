"""Names of variables, written into their lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from parfit.plotting.figure import Series
from parfit.plotting.style import Style
from parfit.plotting.tracing import Mask

LONGEST_NAME = 8  # of a variable, written into its line


def names(series: Sequence[Series], cells: Sequence[Mask], style: Style) -> Iterator[tuple[Series, int, int]]:
    """Where to write the name of each variable into its line: braille alone does not tell lines apart."""
    first = {one.number: one for one in reversed(series) if one.is_line and one.kind != "errors"}
    words = {name(one, style) for one in first.values()}
    if not style.unicode or len(words) < 2:
        return
    taken = np.zeros_like(cells[0])
    for number, one in sorted(first.items()):
        own = next(mask for other, mask in zip(series, cells, strict=True) if other is one)
        others = taken.copy()
        for other, mask in zip(series, cells, strict=True):
            if other.number != number or not other.is_line:
                others |= mask
        place = _clearest(own, others, len(name(one, style)))
        if place:
            row, column = place
            taken[row, column : column + len(name(one, style))] = True
            yield one, row, column


def name(series: Series, style: Style) -> str:
    """The variable, or the label of what belongs to none, in whole words if it has several."""
    text = style.text(series.variable or series.label)
    whole = text[: LONGEST_NAME + 1].rpartition(" ")[0]
    return text if len(text) <= LONGEST_NAME else whole or text[:LONGEST_NAME]


def _clearest(own: Mask, others: Mask, n: int) -> tuple[int, int] | None:
    """Row and column where n cells lie best on a line, with no other on them or beside them."""
    if not n or own.shape[1] < n + 2:
        return None
    free = ~sliding_window_view(others, n + 2, axis=1).any(axis=-1)
    covered = sliding_window_view(own[:, 1:-1], n, axis=1).sum(axis=-1)
    around = np.pad(free, ((1, 1), (0, 0)))
    off_centre = np.abs(np.linspace(-0.5, 0.5, free.shape[1]))
    score = np.where(free & (covered > 0), 3.0 * covered + around[:-2] + around[2:] - off_centre, 0)
    row, column = np.unravel_index(int(score.argmax()), score.shape)
    return (int(row), int(column) + 1) if score.max() else None
