"""The frame of a plot with its ticks, drawn by plotext."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

Ticks = tuple[tuple[float, ...], tuple[str, ...]]  # places in cells, and labels

ASCII_FRAME = str.maketrans("─│┌┐└┘┬┴├┤┼", "-|+++++++++")


@lru_cache(maxsize=8)  # because a picture that moves keeps its frame most of the time
def frame(
    width: int, height: int, n_cells: tuple[int, int], ticks: tuple[Ticks, Ticks], unicode: bool
) -> tuple[str, ...]:
    """The lines of an empty plot with frame and ticks, drawn by plotext in coordinates of cells."""
    import plotext

    # Its own terminal and figure: those of the module remember earlier plots and the size of the real terminal.
    figure = type(plotext.figure)(type(plotext.terminal)().limit(False, False))
    figure.plot_size(width, height).theme("colorless")
    for axis, n, (positions, labels) in zip("xy", n_cells, ticks, strict=True):
        ruler = figure.ruler(axis).alignment(lim="edge")
        ruler.lim(0, n)
        ruler.ticks(list(positions), list(labels))
    figure.draw(figure.signal([0.5], [0.5], marker=" "))  # without anything there would be no frame
    text: str = figure.build().string(colorless=True)
    return tuple((text if unicode else text.translate(ASCII_FRAME)).splitlines())


def filled(frame: Sequence[str], rows: Sequence[str], left: int) -> list[str]:
    """The rows of the canvas within the frame."""
    top, below = frame[0], frame[len(rows) + 1 :]
    sides = frame[1 : len(rows) + 1]
    return [top, *(side[: left + 1] + row + side[-1] for side, row in zip(sides, rows, strict=True)), *below]
