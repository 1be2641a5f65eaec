"""Where a table of iterations and a picture stand on a screen: beside each other, or one above the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

Picture = Callable[[int, int], str]  # of so many columns and lines

GAP = 2  # columns between table and picture
NARROWEST, LOWEST = 48, 8  # a picture; where a narrower one would be left, it goes below the table
LEAST_ROWS, MOST_ROWS = 3, 6  # of the table above a picture, with its headings
FLATTEST = 3  # a picture is at least a third as high as wide, if there is room, and not higher


def arranged(table: Sequence[str], picture: Picture | None, foot: Sequence[str], columns: int, lines: int) -> str:
    """Headings and the latest rows of a table with a picture, on a screen of a size; `foot` stands below both.

    The last line of the screen stays free, for the cursor, and the last column.
    """
    width, height = columns - 1, lines - 1 - len(foot)
    table = [row[:width] for row in table]  # which must not wrap
    if picture is None or width < NARROWEST or height < LEAST_ROWS + LOWEST:
        body = _latest(table, height)
    elif width - _width(table) - GAP >= NARROWEST:
        body = _beside(table, picture, width, min(height, columns // FLATTEST))
    else:
        above = _latest(table, max(min(MOST_ROWS, height - 2 * LOWEST), LEAST_ROWS))
        body = [*above, *picture(width, min(height - len(above), columns // FLATTEST)).split("\n")]
    return "\n".join([*body, *(line[:width] for line in foot)])


def _beside(table: Sequence[str], picture: Picture, width: int, height: int) -> list[str]:
    left = _width(table) + GAP
    rows = zip_longest(_latest(table, height), picture(width - left, height).split("\n"), fillvalue="")
    return [f"{row:{left}}{line}" for row, line in rows]


def _latest(table: Sequence[str], height: int) -> list[str]:
    """The headings, and as many of the last rows as there is room for."""
    n = min(max(height, 1), len(table)) - 1
    return [*table[:1], *table[len(table) - n :]]


def _width(table: Sequence[str]) -> int:
    return max(map(len, table), default=0)
