"""How far long work has come, with the time that is left: shown to who waits at a terminal, and to nobody else."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from parfit import interrupts
from parfit.dataclass import dataclass
from parfit.session.console import Console

PATIENCE = 0.5  # seconds that pass before there is a bar
SHOWN_EVERY = 0.1  # seconds
LONGEST = 30  # cells
KNOWN_FROM = 0.02  # of the work done: before, the time that is left is anybody's guess


@dataclass(frozen=True)
class Bar:
    """What part of some work is done, and how many seconds it took; None where nobody can tell the part."""

    label: str
    fraction: float | None
    elapsed: float

    def text(self, width: int, unicode: bool) -> str:
        """One line of at most so many columns."""
        if self.fraction is None:
            return f"{self.label} {duration(self.elapsed)} so far"[:width]
        done = min(max(self.fraction, 0.0), 1.0)
        after = f" {100 * done:3.0f} %  {self._left(done)}"
        n = min(width - len(self.label) - len(after) - 1, LONGEST)
        if n < 3:
            return f"{self.label}{after}"[:width]
        full, empty = ("█", "░") if unicode else ("#", "-")
        k = round(n * done)
        return f"{self.label} {k * full}{(n - k) * empty}{after}"

    def _left(self, done: float) -> str:
        if done < KNOWN_FROM:
            return f"{duration(self.elapsed)} so far"
        return f"{duration(self.elapsed * (1.0 - done) / done)} left"


def duration(seconds: float) -> str:
    """In words: 5 s, 2 min 5 s, 1 h 3 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, left = divmod(whole, 60)
    return f"{minutes} min {left} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


@contextmanager
def working(
    console: Console, label: str | Callable[[], str], look: Callable[[], float] | None = None
) -> Iterator[Callable[[float], None]]:
    """Show a bar while something is done that says nothing itself.

    The work tells what part of it is done to what this gives, or `look` finds it out. An alarm clock draws from time
    to time, so that the work is not delayed: between two lines of Python, and where the kernel looks for Ctrl-C.
    """
    part: float | None = None

    def tell(fraction: float) -> None:
        nonlocal part
        interrupts.check()
        part = fraction

    if not _can_watch(console):
        yield tell
        return
    begun, rows, is_drawing = time.monotonic(), 0, False

    def show(number: int, frame: FrameType | None) -> None:
        nonlocal rows, is_drawing
        interrupts.check(frame)
        if is_drawing or console.is_writing:  # on a slow terminal, when the next alarm comes
            return
        is_drawing = True
        try:
            bar = Bar(
                label if isinstance(label, str) else label(),
                part if look is None else look(),
                time.monotonic() - begun,
            )
            rows = console.redraw(bar.text(console.width, console.unicode), rows)
        finally:
            is_drawing = False

    before = signal.signal(signal.SIGALRM, show)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, SHOWN_EVERY)
    try:
        yield tell
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        console.erase(rows)


def _can_watch(console: Console) -> bool:
    """Whether somebody sees a bar, and the alarm clock is not in use."""
    free = threading.current_thread() is threading.main_thread() and not any(signal.getitimer(signal.ITIMER_REAL))
    return console.is_live and not console.quiet and free


class Parts:
    """Work in parts that show themselves, such as one fit after another; how far they have come together."""

    def __init__(self, label: str):
        self._label, self._begun = label, time.monotonic()
        self.fraction = 0.0

    @property
    def bar(self) -> Bar | None:
        """None as long as nobody has had to wait."""
        elapsed = time.monotonic() - self._begun
        return Bar(self._label, self.fraction, elapsed) if elapsed > PATIENCE else None
