"""Names of variables, written into their lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from parfit.model.naming import told_apart
from parfit.plotting.figure import Series
from parfit.plotting.style import Style
from parfit.plotting.tracing import Mask

LONGEST_NAME = 8  # of a variable, written into its line
LONGEST_PART = 5  # a name may be longer, up to one in so many columns


def names(series: Sequence[Series], cells: Sequence[Mask], style: Style) -> Iterator[tuple[Series, int, int, str]]:
    """Where to write the name of each variable into its line, and how: braille alone does not tell lines apart."""
    first = {one.number: one for one in reversed(series) if one.is_line and one.kind != "errors"}
    taken = np.zeros_like(cells[0]) if cells else np.zeros((0, 0), dtype=bool)
    words = written([first[number] for number in sorted(first)], style, taken.shape[1])
    if not style.unicode or len(set(words)) < 2:
        return
    for number, text in zip(sorted(first), words, strict=True):
        one = first[number]
        own = next(mask for other, mask in zip(series, cells, strict=True) if other is one)
        others = taken.copy()
        for other, mask in zip(series, cells, strict=True):
            if other.number != number or not other.is_line:
                others |= mask
        place = _clearest(own, others, len(text))
        if place:
            row, column = place
            taken[row, column : column + len(text)] = True
            yield one, row, column, text


def written(lines: Sequence[Series], style: Style, n_columns: int) -> list[str]:
    """The variables, or the labels of what belongs to none; no longer than there is room, but never alike."""
    longest = max(LONGEST_NAME, n_columns // LONGEST_PART)
    texts = [style.text(one.variable or one.label) for one in lines]
    cut = [_cut(text, longest) for text in texts]
    if len(set(cut)) == len(set(texts)):
        return cut
    known = list(dict.fromkeys(texts))
    told = dict(zip(known, told_apart(known, longest), strict=True))
    return [told[text] for text in texts]


def _cut(text: str, longest: int) -> str:
    """Whole words of a text, if it has several."""
    whole = text[: longest + 1].rpartition(" ")[0]
    return text if len(text) <= longest else whole or text[:longest]


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
