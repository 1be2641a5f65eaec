"""A limit on the time that a run may take (the T=t of the run commands of 1977)."""

from __future__ import annotations

import signal
import types

from parfit import interrupts


class TimeLimit:
    """Seconds from now on; when they are over, whatever is being done ends as after a Ctrl-C."""

    def __init__(self, seconds: float | None = None):
        self._seconds = seconds
        self.is_over = False
        if seconds is not None:
            signal.signal(signal.SIGALRM, self._end)
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def put_away(self) -> None:
        """All is done in time: nothing of what is left is to be interrupted."""
        if self._seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _end(self, number: int, frame: types.FrameType | None) -> None:
        self.is_over = True
        interrupts.interrupt(number, frame)

    def __str__(self) -> str:
        return f"the {self._seconds:g} s of --time are over"
