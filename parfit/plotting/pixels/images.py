"""A picture as what a terminal is to be sent to show it as pixels."""

from __future__ import annotations

from itertools import count
from os import getpid

import numpy as np

from parfit.plotting.figure import Picture
from parfit.plotting.files import in_pixels
from parfit.plotting.pixels.kitty import kitty, kitty_within_tmux
from parfit.plotting.pixels.sixel import BAND, sixel

KITTY, SIXEL = "KITTY", "SIXEL"
DOTS = 5.0  # dots per inch for every pixel of a line's height: letters in pictures are as large as those beside them
_numbers = count(getpid() % 2**16 * 2**7 + 1)  # of pictures that tmux does not see: others' are elsewhere


def image(
    picture: Picture, protocol: str, columns: int, lines: int, cell: tuple[int, int], in_tmux: bool = False
) -> str:
    """The picture in so many cells, each of so many pixels across and down."""
    width, height = columns * cell[0], lines * cell[1]
    dpi = DOTS * cell[1]
    if protocol == SIXEL:  # tmux, where it knows them, is sent them as a terminal is
        height -= height % BAND
        rgba = np.frombuffer(in_pixels(picture, "rgba", width, height, dpi), np.uint8)
        return sixel(rgba.reshape(height, width, 4)[:, :, :3])
    png = in_pixels(picture, "png", width, height, dpi)
    return kitty_within_tmux(png, columns, lines, next(_numbers)) if in_tmux else kitty(png, columns, lines)
