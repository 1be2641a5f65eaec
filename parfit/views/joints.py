"""Joints of a smoothing curve moved about with the arrow keys, seeing what becomes of the curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.curves.smoothing import Smoothed, smooth
from parfit.plotting import Figure
from parfit.views.handles import ADD, DELETE, PASSING, SHIFT, STEP, TIME_STEPS, HandlesView, rounded
from parfit.views.keys import Key


@dataclass(frozen=True, eq=False, kw_only=True)
class JointsView(HandlesView[Smoothed]):
    """A smoothed variable, with the joints of its curve."""

    name: str  # of the variable
    kind: str  # of the curve: "spline" or "hermite"
    picture: Callable[[Smoothed, int], Figure]  # of the curve and the selected joint

    title: ClassVar[str] = "JOINTS DRAW: joints of a smoothing curve"
    keys: ClassVar[tuple[Key, ...]] = (
        Key("left right", "choose", "Choose the joint before or after."),
        SHIFT,
        STEP,
        ADD,
        DELETE,
    )

    @classmethod
    def of(
        cls,
        name: str,
        smoothed: Smoothed,
        kind: str,
        picture: Callable[[Smoothed, int], Figure],
        is_new: bool = False,
        colour: bool = False,
        unicode: bool = True,
    ) -> Self:
        """A view that begins with this curve."""
        return cls(
            content=smoothed,
            first=smoothed,
            name=name,
            kind=kind,
            picture=picture,
            step=rounded(float(np.ptp(smoothed.points.t)) / TIME_STEPS, 1),
            is_new=is_new,
            colour=colour,
            unicode=unicode,
        )

    @property
    def n_handles(self) -> int:
        return len(self.joints)

    @property
    def joints(self) -> list[float]:
        return [float(joint) for joint in self.content.joints]

    def shifted(self, steps: int) -> Self:
        """The selected joint later or earlier, but between its neighbours."""
        return self._at(self._joint() + steps * self.step, f"time {self.selected}")

    def entered(self, value: float) -> Self:
        return self._at(value, "")

    def _at(self, t: float, gesture: str) -> Self:
        joints, k, new = self.joints, self.selected, rounded(t)
        self._joint()
        beside = [*joints[max(k - 1, 0) : k], *joints[k + 1 : k + 2]]
        if any((joint - joints[k]) * (joint - new) <= 0 for joint in beside):
            raise ParfitError(PASSING)
        return self._with([*joints[:k], new, *joints[k + 1 :]], gesture)

    def _joint(self) -> float:
        if not self.joints:
            raise ParfitError(f"{self.name} has no joints; a adds one")
        return self.joints[self.selected]

    def _with(self, joints: list[float], gesture: str = "") -> Self:
        return self.edited(smooth(self.content.points, joints, self.kind), gesture)

    def more(self) -> Self:
        """Another joint, between the selected one and the next, or the last observation."""
        ends = [*self.joints, float(self.content.points.t[-1])]
        start = self.joints[self.selected] if self.joints else float(self.content.points.t[0])
        after = ends[self.selected + 1] if self.joints else ends[0]
        new = self._with([*self.joints, rounded((start + after) / 2)])
        return new.select(self.selected + 1) if self.joints else new

    def fewer(self) -> Self:
        """Without the selected joint."""
        self._joint()
        k = self.selected
        return self._with([*self.joints[:k], *self.joints[k + 1 :]]).select(k)

    @property
    def target(self) -> str:
        return "time of the joint"

    def body(self, width: int, height: int) -> list[str]:
        size, before = self.content.root_mean_square, self.before.root_mean_square
        where = (
            f"joint {self.selected + 1} of {len(self.joints)}: t = {self._joint():g}" if self.joints else "no joints"
        )
        state = f"{self.name}: {where}; step {self.step:g}; rms residual {size:.5g}, change {size - before:+.3g}"
        return [*self.drawn(self.picture(self.content, self.selected), width, height - 1), state[:width]]
