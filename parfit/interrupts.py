"""Ctrl-C: it waits while something must not be cut off, and is remembered until somebody answers it.

A KeyboardInterrupt that is raised in the middle of an import leaves half a library behind, and one that is raised
where Python cannot pass it on (a destructor, a callback of a library) is lost. So the signal is remembered: it is
raised again where work is watched, and at the latest when the command is done.
"""

from __future__ import annotations

import _signal
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from parfit.errors import ParfitError

INT = int(signal.SIGINT)
RETRY = 0.02  # seconds between two looks whether an import is over
IMPORTING = "<frozen importlib._bootstrap>"  # the file of Python's own frames while something is imported


class _Memory:
    """Whether Ctrl-C was pressed and nobody has answered it, how many hold it off, and whether it is remembered."""

    is_pending = False
    n_holding = 0
    is_open = False


class remembered:  # noqa: N801  # what is done with it reads as with a function
    """Do something during which no Ctrl-C is lost, nor the end of a time limit where Ctrl-C is ignored."""

    _before: Any = None  # who had the signal, if it was taken from somebody

    def __enter__(self) -> None:
        if _Memory.is_open or not _is_main():
            return
        before = _signal.getsignal(INT)  # `signal` makes enumerations of numbers, which is a tenth of a small fit
        if before not in (signal.default_int_handler, signal.SIG_IGN):
            return
        _Memory.is_pending = False
        if before != signal.SIG_IGN:
            _signal.signal(INT, _interrupt)
        self._before, _Memory.is_open = before, True

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if self._before is None:
            return
        try:
            if kind is None or issubclass(kind, ParfitError):
                check()
        finally:
            _Memory.is_open = False
            _signal.signal(INT, self._before)
            is_late, _Memory.is_pending = _Memory.is_pending, False  # it was pressed in here
            if is_late and kind is None and not isinstance(sys.exception(), KeyboardInterrupt):
                raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Let Ctrl-C wait for the end of something, such as that what was done is written down."""
    with remembered():
        _Memory.n_holding += 1
        try:
            yield
        finally:
            _Memory.n_holding -= 1
        check()


def check(frame: FrameType | None = None) -> None:
    """Raise an interrupt that nobody has answered yet, unless it is on its way.

    The handler of a signal gives the frame that it interrupts. What is left of work on the way out, such as that an
    alarm clock is put away, must not be interrupted once more.
    """
    if not _Memory.is_pending or _Memory.n_holding or not _is_main() or _is_importing(frame):
        return
    if not isinstance(sys.exception(), KeyboardInterrupt):
        raise KeyboardInterrupt


def answered() -> None:
    """Whoever pressed Ctrl-C has got what they wanted: something has ended early."""
    _Memory.is_pending = False


def interrupt(number: int, frame: FrameType | None) -> None:
    """The handler of a signal that does what Ctrl-C does, also where that is ignored (in a script's background)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        _interrupt(number, frame)
    else:
        signal.raise_signal(signal.SIGINT)


def rearm() -> None:
    """Take the signal back from a library that has set it to what it usually is."""
    if _Memory.is_open and _is_main() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    _Memory.is_pending = True
    if _Memory.n_holding or _is_among(frame, lambda code: code in TURNS):
        return
    if _is_importing(frame):
        _try_later(number)
        return
    raise KeyboardInterrupt


def _is_importing(frame: FrameType | None) -> bool:
    return _is_among(frame, lambda code: code.co_filename == IMPORTING)


def _is_among(frame: FrameType | None, is_that: Callable[[CodeType], bool]) -> bool:
    """Whether some code is being run, by this frame or by those that wait for it."""
    while frame is not None:
        if is_that(frame.f_code):
            return True
        frame = frame.f_back
    return False


def _try_later(number: int) -> None:
    main = threading.main_thread().ident
    assert main is not None

    def remind() -> None:
        if _Memory.is_pending:
            signal.pthread_kill(main, number)

    timer = threading.Timer(RETRY, remind)
    timer.daemon = True
    timer.start()


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


# Where the signal changes hands: cut off there, it would stay with whoever had it last.
TURNS = (remembered.__enter__.__code__, remembered.__exit__.__code__)
