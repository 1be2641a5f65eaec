"""SIGTERM and SIGHUP while the terminal is not as the shell left it: it is restored before they end the program."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from parfit.session.console import Signalled

if TYPE_CHECKING:
    from prompt_toolkit.application import Application

ENDING = (signal.SIGTERM, signal.SIGHUP)  # asked to end, and a connection that was lost
Handler = Callable[[int, FrameType | None], None]


def end(number: int, frame: FrameType | None) -> None:
    """Raise `Signalled`, which gives back the terminal on its way out."""
    raise Signalled(number)


@contextmanager
def handled(handler: Handler = end) -> Iterator[None]:
    """Have a handler called where the signals would end the program at once; what nohup ignores stays ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, handler) for each in ENDING if signal.getsignal(each) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for each, old in before.items():
            signal.signal(each, old)


@contextmanager
def leaving(application: Application[Any]) -> Iterator[None]:
    """Have the signals leave an application of prompt_toolkit while it runs, and raise `Signalled`."""
    received: list[int] = []

    def leave(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if application.loop is None:
            raise Signalled(number)
        application.loop.call_soon_threadsafe(_exit, application, number)

    with handled(leave):
        try:
            yield
        except Exception:  # such as that a lost terminal cannot be written to
            if not received:
                raise
        if received:
            raise Signalled(received[0])


def _exit(application: Application[Any], number: int) -> None:
    if application.future is not None and not application.future.done():
        application.exit(exception=Signalled(number))
