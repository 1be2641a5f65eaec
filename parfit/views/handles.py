"""What the views of points and of joints have in common: handles of a curve, chosen and moved by steps."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from parfit.dataclass import dataclass
from parfit.views.keys import Key
from parfit.views.view import Actions, Content, View

TIME_STEPS = 50  # steps < > over all sample times
DIGITS = 6  # significant ones, to which what was moved is rounded
STEP = Key("/ *", "step", "Make the steps half as large, or twice.")
SHIFT = Key("< >", "time", "Move it earlier or later.")
ADD = Key("a", "add", "Add one between this and the next.")
DELETE = Key("d", "delete", "Take this one away.")
PASSING = "there it would pass its neighbour"


@dataclass(frozen=True, eq=False, kw_only=True)
class HandlesView(View[Content]):
    """A curve that follows its handles, the selected one of these, and the step by which it moves."""

    step: float
    selected: int = 0
    is_new: bool = False  # whether there was no such curve yet, so that even the first is worth keeping

    actions: ClassVar[Actions] = {
        "left": lambda view: view.select(view.selected - 1),
        "right": lambda view: view.select(view.selected + 1),
        "*": lambda view: view.stepping(2),
        "/": lambda view: view.stepping(0.5),
        ">": lambda view: view.shifted(1),
        "<": lambda view: view.shifted(-1),
        "a": lambda view: view.more(),
        "d": lambda view: view.fewer(),
    }

    @property
    @abstractmethod
    def n_handles(self) -> int:
        """How many there are to choose from."""

    @property
    def changed(self) -> bool:
        return self.is_new or super().changed

    def settled(self) -> Self:
        return self.select(self.selected)

    def select(self, k: int) -> Self:
        return replace(self, selected=max(min(k, self.n_handles - 1), 0))

    def stepping(self, factor: float) -> Self:
        """With other steps, unless they would be none."""
        step = rounded(self.step * factor)
        return replace(self, step=step) if 0 < step < np.inf else self

    @abstractmethod
    def shifted(self, steps: int) -> Self:
        """The selected one later or earlier, but between its neighbours."""

    @abstractmethod
    def more(self) -> Self:
        """Another one, beside the selected one."""

    @abstractmethod
    def fewer(self) -> Self:
        """Without the selected one."""


def rounded(value: float, digits: int = DIGITS) -> float:
    """To significant digits, so that nobody reads the rounding errors of many steps."""
    return float(f"{value:.{digits}g}")
