"""Points moved about with the arrow keys, seeing the curve through them: guessed observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.curves.guessing import Points, added, edited, guessed_curve, moved, removed
from parfit.plotting import Figure
from parfit.views.handles import ADD, DELETE, PASSING, SHIFT, STEP, TIME_STEPS, HandlesView, rounded
from parfit.views.keys import Key
from parfit.views.view import Actions

STEPS_IN_RANGE = 20  # steps up or down over the range of the points, to begin with


@dataclass(frozen=True, eq=False, kw_only=True)
class PointsView(HandlesView[Points]):
    """Points (t, y) of a curve."""

    picture: Callable[[Points, int], Figure]  # of the points and the selected one

    title: ClassVar[str] = "CREOBS DRAW: points of a guessed curve"
    keys: ClassVar[tuple[Key, ...]] = (
        Key("left right", "choose", "Choose the point before or after."),
        Key("up down", "move", "Move the chosen point up or down."),
        STEP,
        SHIFT,
        ADD,
        DELETE,
    )
    actions: ClassVar[Actions] = {
        **HandlesView.actions,
        "up": lambda view: view.raised(1),
        "down": lambda view: view.raised(-1),
    }

    @classmethod
    def of(
        cls,
        points: Points,
        picture: Callable[[Points, int], Figure],
        is_new: bool = False,
        colour: bool = False,
        unicode: bool = True,
    ) -> Self:
        """A view that begins with these points."""
        size = float(np.ptp(points[1])) or float(np.abs(points[1]).max()) or 1.0
        step = rounded(size / STEPS_IN_RANGE, 1)
        return cls(
            content=points, first=points, picture=picture, step=step, is_new=is_new, colour=colour, unicode=unicode
        )

    @property
    def n_handles(self) -> int:
        return int(self.content[0].size)

    def with_points(self, points: Points, gesture: str = "") -> Self:
        """With other points, through which there must be a curve."""
        guessed_curve(*points)  # raises an error if there is none
        return self.edited(points, gesture)

    def raised(self, steps: int) -> Self:
        """The selected point higher or lower."""
        return self._put(float(self.content[1][self.selected]) + steps * self.step, f"up {self.selected}")

    def entered(self, value: float) -> Self:
        return self._put(value, "")

    def _put(self, y: float, gesture: str) -> Self:
        return self.with_points(edited(self.content, self.selected, rounded(y)), gesture)

    def shifted(self, steps: int) -> Self:
        """The selected point later or earlier, but between its neighbours."""
        t, k = self.content[0], self.selected
        new = rounded(float(t[k]) + steps * float(t[-1] - t[0]) / TIME_STEPS)
        if 0 < k < t.size - 1 and not t[k - 1] < new < t[k + 1]:
            raise ParfitError(PASSING)
        return self.with_points(moved(self.content, k, new), f"time {k}")

    def more(self) -> Self:
        """Another point on the curve, between the selected one and the next (or, at the last, the one before)."""
        t, k = self.content[0], min(self.selected, self.content[0].size - 2)
        middle = rounded(float(t[k] + t[k + 1]) / 2)
        y = rounded(float(guessed_curve(*self.content)(middle)))
        return replace(self.with_points(added(self.content, middle, y)), selected=k + 1)

    def fewer(self) -> Self:
        """Without the selected point."""
        return self.with_points(removed(self.content, self.selected)).select(self.selected - 1)

    @property
    def target(self) -> str:
        return f"ordinate at t = {self.content[0][self.selected]:g}"

    def body(self, width: int, height: int) -> list[str]:
        t, y = (float(part[self.selected]) for part in self.content)
        state = f"point {self.selected + 1} of {self.n_handles}: t = {t:g}, ordinate {y:g}; step {self.step:g}"
        return [*self.drawn(self.picture(self.content, self.selected), width, height - 1), state]
