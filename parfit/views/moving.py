"""PLOT MOVE: a picture on the whole screen, of which keys show other parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from parfit import plotting
from parfit.dataclass import dataclass
from parfit.plotting import Figure, Grid
from parfit.plotting.scale import Scale
from parfit.plotting.window import Range, Window, extent, scales, seen
from parfit.session.console import KEPT
from parfit.views.keys import Key, bottom, page

TITLE = "PLOT MOVE: other parts of the picture"
KEYS = (
    Key("arrows", "pan", "Show what is beside, above or below; with Shift left and right go half the width."),
    Key("+ -", "zoom", "Show less of the axis across from closer, or more; the height follows what is in sight."),
    Key("* /", "height", "Show less upwards from closer, or more; up and down pan there."),
    Key("f", "fit", "Fit the height to what is in sight."),
    Key("0", "all", "Show everything again."),
    Key("q", "leave", "Leave, with this part of the picture; RETURN and Esc do the same."),
    Key("?", "help", "Show this."),
)
STEP, LEAP = 0.1, 0.5  # parts of what is in sight
CLOSER = 2.0 / 3.0
NARROWEST, WIDEST = 1e-6, 10.0  # of the whole picture
LEAVING = ("q", "enter", "escape", "c-c", "c-d")


@dataclass(frozen=True, eq=False)
class Moving:
    """A picture, and what of it is in sight: all of it without a window."""

    picture: Figure | Grid
    window: Window | None = None
    colour: bool = False
    unicode: bool = True
    is_helping: bool = False
    outcome: str = ""

    @classmethod
    def of(cls, picture: Figure | Grid, colour: bool = False, unicode: bool = True) -> Self:
        """All of a picture."""
        return cls(picture, colour=colour, unicode=unicode)

    # ---- what is in sight

    @cached_property
    def part(self) -> Figure | Grid:
        """The picture as it is seen."""
        return self.picture if self.window is None else seen(self.picture, self.window)

    @cached_property
    def _all(self) -> Window:
        return extent(self.picture)

    @cached_property
    def _scales(self) -> tuple[Scale, Scale]:
        return scales(self.picture)

    # ---- what keys do

    def press(self, key: str) -> Self:
        """After a key; those that mean nothing change nothing."""
        if self.is_helping:
            return replace(self, is_helping=False)
        if key in LEAVING:
            return replace(self, outcome=KEPT)
        if key == "?":
            return replace(self, is_helping=True)
        act = ACTIONS.get(key)
        new: Self = self if act is None else act(self)
        return new

    def across(self, shift: float = 0.0, factor: float = 1.0) -> Self:
        """By a part of what is in sight to the right, or so many times as much of it."""
        now = self.window or Window(self._all.x)
        x = _moved(now.x, self._all.x, self._scales[0], shift, factor)
        return replace(self, window=replace(now, x=x))

    def upwards(self, shift: float = 0.0, factor: float = 1.0) -> Self:
        """The same upwards; small plots have heights of their own."""
        if isinstance(self.picture, Grid):
            return self
        now = self.window or Window(self._all.x)
        y = now.y or extent(self.part).y
        assert y is not None
        assert self._all.y is not None
        return replace(self, window=replace(now, y=_moved(y, self._all.y, self._scales[1], shift, factor)))

    def fitted(self) -> Self:
        return replace(self, window=None if self.window is None else Window(self.window.x))

    # ---- how it looks

    def render(self, width: int, height: int) -> str:
        """The lines of the screen."""
        if self.is_helping:
            return "\n".join(line[:width] for line in page(TITLE, KEYS, width, height)[:height])
        below = bottom(KEYS, width, 2)
        room = max(height - len(below), 1)
        look = {"colour": self.colour, "unicode": self.unicode, "legend_within": True}
        lines = plotting.draw(self.part, width, room, **look).split("\n")[:room]
        return "\n".join([*lines, *[""] * (room - len(lines)), *below])


def _moved(now: Range, whole: Range, scale: Scale, shift: float, factor: float) -> Range:
    """A range moved by a part of its length along the scale, and made so many times as long about its middle."""
    (low, high), ends = (scale.along(np.array(each)).tolist() for each in (now, whole))
    length = min(max((high - low) * factor, NARROWEST * (ends[1] - ends[0])), WIDEST * (ends[1] - ends[0]))
    middle = (low + high) / 2 + shift * (high - low)
    middle = min(max(middle, ends[0] - length), ends[1] + length)  # within reach of the picture
    return scale.value(middle - length / 2), scale.value(middle + length / 2)


ACTIONS: Mapping[str, Callable[[Any], Any]] = {
    "left": lambda view: view.across(-STEP),
    "right": lambda view: view.across(STEP),
    "s-left": lambda view: view.across(-LEAP),
    "s-right": lambda view: view.across(LEAP),
    "up": lambda view: view.upwards(STEP),
    "down": lambda view: view.upwards(-STEP),
    "+": lambda view: view.across(factor=CLOSER),
    "=": lambda view: view.across(factor=CLOSER),  # the same key without Shift
    "-": lambda view: view.across(factor=1.0 / CLOSER),
    "*": lambda view: view.upwards(factor=CLOSER),
    "/": lambda view: view.upwards(factor=1.0 / CLOSER),
    "f": lambda view: view.fitted(),
    "0": lambda view: replace(view, window=None),
}
