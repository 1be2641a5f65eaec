"""Pixels as sixels: bands of six rows, each drawn colour by colour (DEC STD 070, chapter 9)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # (height, width, 3): red, green, blue

MOST_COLOURS = 256  # registers that terminals have
FULL = 100  # of a colour's part
BAND = 6  # rows
BEGIN, END = "\x1bP0;1q", "\x1b\\"  # square pixels; what is not drawn keeps its colour
FIRST = ord("?")  # of the characters, each of six bits
SHORTEST_RUN = 4  # that is shorter as a number and a character


def sixel(pixels: Pixels) -> str:
    """What draws the pixels from the cursor on, in at most 256 colours; rows of an unfinished band are left out."""
    pixels = pixels[: pixels.shape[0] // BAND * BAND]
    height, width = pixels.shape[:2]
    palette, places = _palette(pixels)
    parts = np.rint(palette * (FULL / 255.0)).astype(int).tolist()
    registers = "".join(f"#{k};2;{red};{green};{blue}" for k, (red, green, blue) in enumerate(parts))
    bands = (_band(places[top : top + BAND]) for top in range(0, height, BAND))
    return f'{BEGIN}"1;1;{width};{height}{registers}' + "-".join(bands) + END


def _palette(pixels: Pixels) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Colours, (n, 3), and for every pixel the place of its own.

    Where there are too many they are taken together, those that agree in the leading bits of each part: as few as
    need be, for the mean of what they stand for.
    """
    flat = pixels.reshape(-1, 3)
    for dropped in range(8):
        parts = (flat >> dropped).astype(np.uint32)
        codes, which = np.unique(parts[:, 0] << 16 | parts[:, 1] << 8 | parts[:, 2], return_inverse=True)
        if codes.size <= MOST_COLOURS:
            break
    n_pixels = np.bincount(which)
    sums = np.stack([np.bincount(which, flat[:, k]) for k in range(3)], axis=1)
    return sums / n_pixels[:, None], which.reshape(pixels.shape[:2])


def _band(places: NDArray[np.intp]) -> str:
    """Six rows: for every colour in them the pixels that have it, one above the other."""
    bits = (1 << np.arange(BAND))[:, None]
    return "$".join(
        f"#{colour}" + "".join(_runs(((places == colour) * bits).sum(axis=0))) for colour in np.unique(places)
    )


def _runs(values: NDArray[np.intp]) -> Iterator[str]:
    """The characters for the columns, equal ones as their number; nothing for those at the end that are empty."""
    begins = np.flatnonzero(np.diff(values, prepend=-1))
    lengths = np.diff(begins, append=values.size).tolist()
    runs = list(zip(values[begins].tolist(), lengths, strict=True))
    if not runs[-1][0]:
        runs.pop()
    for value, n in runs:
        character = chr(FIRST + value)
        yield f"!{n}{character}" if n >= SHORTEST_RUN else character * n
