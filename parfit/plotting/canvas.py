"""The character cells inside the frame of a plot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.plotting.figure import LINES, SYMBOLS, Series
from parfit.plotting.labels import names
from parfit.plotting.style import BRAILLE_DOTS, Style, coloured
from parfit.plotting.tracing import Mask, trace

BLANK, UNCOLOURED = ord(" "), -1
BRAILLE = 0x2800  # the character without dots; each dot is a bit of its code
BRAILLE_BITS = np.array([[0x40, 0x80], [0x04, 0x20], [0x02, 0x10], [0x01, 0x08]])  # from below, and from the left


class Canvas:
    """Character cells from the bottom left: what is in each, and the number of the variable that coloured it.

    They are filled here and not by plotext, which cannot draw dashes and takes a call for every dot.
    """

    def __init__(self, n_columns: int, n_rows: int, style: Style):
        self.n_columns, self.n_rows, self.style = n_columns, n_rows, style
        self._codes = np.full((n_rows, n_columns), BLANK, dtype=np.uint32)  # of Unicode
        self._numbers = np.full((n_rows, n_columns), UNCOLOURED, dtype=np.intp)

    def write(self, row: int, column: int, text: str, number: int = UNCOLOURED) -> None:
        self._codes[row, column : column + len(text)] = [ord(character) for character in text]
        self._numbers[row, column : column + len(text)] = number

    def mask(self, series: Series, x: Array, y: Array) -> Mask:
        """The dots that a series covers; points cover cells, not dots."""
        across, down = self.style.dots if series.is_line else (1, 1)
        shape = (self.n_rows * down, self.n_columns * across)
        drawn, period = self.style.dashes(series.kind) if series.is_line else (0, 1)
        return trace(x * across, y * down, shape, drawn, period)

    def cells(self, mask: Mask) -> Mask:
        """The cells in which any dot is covered."""
        down, across = mask.shape[0] // self.n_rows, mask.shape[1] // self.n_columns
        cells: Mask = mask.reshape(self.n_rows, down, self.n_columns, across).max(axis=(1, 3))
        return cells

    def stamp(self, mask: Mask, series: Series) -> None:
        """Draw a series; where lines meet in a cell, the dots of both are there."""
        cells = self.cells(mask)
        if series.is_line and self.style.unicode:
            dots = mask.reshape(self.n_rows, BRAILLE_DOTS[1], self.n_columns, BRAILLE_DOTS[0])
            codes = BRAILLE | np.einsum("idjk,dk->ij", dots, BRAILLE_BITS).astype(np.uint32)
            before = np.where(self._codes & BRAILLE == BRAILLE, self._codes, 0)
            self._codes = np.where(cells, codes | before, self._codes)
        else:
            self._codes[cells] = ord(self.style.mark(series))
        self._numbers[cells] = series.number

    def lines(self) -> list[str]:
        """The rows, the highest first, with their colours."""
        rows = [row.tobytes().decode("utf-32-le") for row in self._codes[::-1].astype("<u4")]
        return [self._coloured(*row) for row in zip(rows, self._numbers[::-1], strict=True)]

    def _coloured(self, text: str, numbers: NDArray[np.intp]) -> str:
        if not self.style.colour:
            return text
        ends = [*(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(text)]
        parts = [(text[start:end], int(numbers[start])) for start, end in zip([0, *ends], ends, strict=False)]
        return "".join(part if k == UNCOLOURED else coloured(part, k, self.style) for part, k in parts)


def draw_series(canvas: Canvas, series: Sequence[Series], placed: Sequence[tuple[Array, Array]]) -> None:
    """Lines first, points last, so that no line hides a point."""
    masks = [canvas.mask(one, *xy) for one, xy in zip(series, placed, strict=True)]
    for kind in (*LINES, *SYMBOLS):
        for one, mask in zip(series, masks, strict=True):
            if one.kind == kind:
                canvas.stamp(mask, one)
        if kind == LINES[-1]:
            for one, row, column, text in names(series, [canvas.cells(mask) for mask in masks], canvas.style):
                canvas.write(row, column, text, one.number)
