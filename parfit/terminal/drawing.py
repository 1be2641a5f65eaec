"""Points moved about with the arrow keys, seeing the curve through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from parfit.console import Array, Picture
from parfit.errors import ParfitError
from parfit.estimation.guessing import Points, added, edited, guessed_curve, moved, removed

KEYS = "left right: select  up down: move  + -: step  < >: time  a: add  d: delete"
N_BELOW = 4  # lines below the picture
KEYS_END = "RETURN keeps the points, q abandons"
STEPS_IN_RANGE = 20  # steps up or down over the range of the points, to begin with
TIME_STEPS = 50  # steps < > over all sample times
DIGITS = 6  # significant ones, to which what was moved is rounded


@dataclass(frozen=True, eq=False)
class Drawing:
    """Points (t, y), the selected one, and the step by which it moves; `outcome` once it has ended."""

    points: Points
    picture: Picture
    step: float
    selected: int = 0
    message: str = ""
    outcome: str = ""  # "kept" or "abandoned"

    @classmethod
    def of(cls, t: Array, y: Array, picture: Picture) -> Drawing:
        """A drawing that begins with these points."""
        size = float(np.ptp(y)) or float(np.abs(y).max()) or 1.0
        return cls((t, y), picture, _rounded(size / STEPS_IN_RANGE, 1))

    def press(self, key: str) -> Drawing:
        """What a key makes of it; other keys change nothing."""
        action = ACTIONS.get(key)
        if action is None:
            return self
        try:
            new = action(replace(self, message=""))
            guessed_curve(*new.points)  # raises an error if that is not a curve
            return new if 0 < new.step < np.inf else self
        except ParfitError as error:
            return replace(self, message=str(error))

    def select(self, k: int) -> Drawing:
        return replace(self, selected=min(max(k, 0), self.points[0].size - 1))

    def raised(self, steps: int) -> Drawing:
        """The selected point higher or lower."""
        y = _rounded(float(self.points[1][self.selected]) + steps * self.step)
        return replace(self, points=edited(self.points, self.selected, y))

    def shifted(self, steps: int) -> Drawing:
        """The selected point later or earlier, but between its neighbours."""
        t, k = self.points[0], self.selected
        new = _rounded(float(t[k]) + steps * float(t[-1] - t[0]) / TIME_STEPS)
        if 0 < k < t.size - 1 and not t[k - 1] < new < t[k + 1]:
            raise ParfitError("there it would pass its neighbour")
        return replace(self, points=moved(self.points, k, new))

    def more(self) -> Drawing:
        """Another point on the curve, between the selected one and the next (or, at the last, the one before)."""
        t, k = self.points[0], min(self.selected, self.points[0].size - 2)
        middle = _rounded(float(t[k] + t[k + 1]) / 2)
        y = _rounded(float(guessed_curve(*self.points)(middle)))
        return replace(self, points=added(self.points, middle, y), selected=k + 1)

    def fewer(self) -> Drawing:
        """Without the selected point."""
        return replace(self, points=removed(self.points, self.selected)).select(self.selected - 1)

    def render(self, width: int, height: int) -> str:
        """The picture, and below it the selected point and the keys."""
        t, y = (float(part[self.selected]) for part in self.points)
        room = height - N_BELOW
        picture = self.picture(*self.points, self.selected, width, room)
        excess = len(picture.split("\n")) - room
        if excess > 0:  # its legend may need more lines than were thought of
            picture = self.picture(*self.points, self.selected, width, room - excess)
        state = f"point {self.selected + 1} of {self.points[0].size}: t = {t:g}, ordinate {y:g}; step {self.step:g}"
        return "\n".join([picture, self.message or " ", state, KEYS[:width], KEYS_END[:width]])


ACTIONS: dict[str, Callable[[Drawing], Drawing]] = {
    "left": lambda drawing: drawing.select(drawing.selected - 1),
    "right": lambda drawing: drawing.select(drawing.selected + 1),
    "up": lambda drawing: drawing.raised(1),
    "down": lambda drawing: drawing.raised(-1),
    "+": lambda drawing: replace(drawing, step=_rounded(drawing.step * 2)),
    "-": lambda drawing: replace(drawing, step=_rounded(drawing.step / 2)),
    ">": lambda drawing: drawing.shifted(1),
    "<": lambda drawing: drawing.shifted(-1),
    "a": lambda drawing: drawing.more(),
    "d": lambda drawing: drawing.fewer(),
    "enter": lambda drawing: replace(drawing, outcome="kept"),
    "q": lambda drawing: replace(drawing, outcome="abandoned"),
    "c-c": lambda drawing: replace(drawing, outcome="abandoned"),
    "c-d": lambda drawing: replace(drawing, outcome="abandoned"),
}


def draw_points(t: Array, y: Array, picture: Picture, **devices: Any) -> Points | None:
    """Let the points be moved on the whole screen; None if that was abandoned. Tests give other devices."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.formatted_text import ANSI
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.layout import FormattedTextControl, Layout, Window

    state = Drawing.of(t, y, picture)
    bindings = KeyBindings()

    def bind(key: str) -> None:
        @bindings.add(key)
        def pressed(event: Any) -> None:
            nonlocal state
            state = state.press(key)
            if state.outcome:
                event.app.exit(result=state.outcome)

    for key in ACTIONS:
        bind(key)

    def text() -> ANSI:
        size = application.output.get_size()
        return ANSI(state.render(max(size.columns - 1, 30), size.rows))

    layout = Layout(Window(FormattedTextControl(text), wrap_lines=False))
    application: Application[str] = Application(layout, key_bindings=bindings, full_screen=True, **devices)
    return state.points if application.run() == "kept" else None


def _rounded(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")
