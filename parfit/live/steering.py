"""What keys make of an optimization while it runs: p pauses it, and in the pause others make a step or end it.

Whatever else is typed waits for the next prompt, so that nobody who types ahead ends a fit.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from parfit.errors import Abandoned
from parfit.session.console import RESIZED, Keys

LOOK_EVERY = 0.02  # seconds between two looks at the keyboard
PAUSE, STEP, ACCEPT, STOP = "p", "s", "a", "q"
RUNS = "p pause, then s step   a accept   q stop"
WAITS = "PAUSED: p go on   s step   a accept   q stop"


class Accepted(KeyboardInterrupt):
    """What was reached is to be kept: to an optimizer the same as Ctrl-C."""


class Steering:
    """Looks at the keys after every trial; `show` draws what there is to be seen before it waits for one."""

    def __init__(self, keys: Keys, show: Callable[[], None]):
        self._keys, self._show = keys, show
        self._looked_at = 0.0
        self._steps = 0  # that are to be made before it waits again
        self._just_paused = False  # whether p was the last key
        self.is_paused = self.is_accepted = False

    @property
    def text(self) -> str:
        """What the keys do now."""
        return WAITS if self.is_paused else RUNS

    @property
    def _has_menu(self) -> bool:
        """Whether it is paused, or makes steps between pauses."""
        return self.is_paused or self._steps > 0

    def heed(self, stepped: bool) -> None:
        """Do what the keys say, after a trial that was a step or was not."""
        if stepped and self._steps:
            self._steps -= 1
            self.is_paused = not self._steps
        now = time.monotonic()
        if not self.is_paused and now - self._looked_at < LOOK_EVERY:
            return
        self._looked_at = now
        while True:
            if self.is_paused:
                self._show()
            key = self._keys.pressed(wait=self.is_paused, alone=not self._has_menu)
            if not key:
                return
            if key != RESIZED:
                self._press(key)

    def _press(self, key: str) -> None:
        just_paused, self._just_paused = self._just_paused, False
        if self._has_menu:
            self._choose(key, just_paused)
        elif key == PAUSE and not self._keys.in_line:
            self.is_paused = self._just_paused = True
        elif key.strip() or self._keys.in_line:  # a line does not begin with a blank
            self._keys.keep(key)

    def _choose(self, key: str, just_paused: bool) -> None:
        """What a key means in the pause."""
        if key == PAUSE:
            self.is_paused, self._steps = False, 0
        elif key == STEP:
            self.is_paused, self._steps = False, self._steps + 1
        elif key == ACCEPT:
            self.is_accepted = True
            raise Accepted
        elif key == STOP:
            raise Abandoned("stopped; nothing was changed")
        elif just_paused and key.strip():  # the p was the first letter of a line, such as that of PLOT
            self.is_paused = False
            self._keys.keep(PAUSE + key)
