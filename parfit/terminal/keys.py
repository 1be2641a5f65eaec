"""Keys that are read while something runs, without RETURN; the terminal is left as it was found, whatever happens."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from parfit.console import RESIZED
from parfit.terminal.signals import handled

RETURN = "\n"
LINE = re.compile(r"[^\n]{2,}\n")
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|)")  # of a key that is no character, such as an arrow
MOST = 1024  # bytes at a time
LOCAL, CONTROL = 3, 6  # where termios keeps local modes and control characters


@contextmanager
def listen(type_ahead: Callable[[str], None]) -> Iterator[Listener]:
    """Read keys as they are pressed; whole lines are no keys but typed ahead, and handed over in the end."""
    listener = Listener(sys.stdin.fileno())
    with handled():
        try:
            listener.begin()
            yield listener
        finally:
            listener.end()
    for line in listener.lines:
        type_ahead(line)


class Listener:
    """The keyboard of a terminal, of which Ctrl-C and Ctrl-Z keep their meaning."""

    def __init__(self, terminal: int):
        self._terminal = terminal
        self._modes = termios.tcgetattr(terminal)
        self._keys = deque[str]()
        self._text = ""  # typed ahead
        self._wake, self._waker = os.pipe()  # so that a signal ends the waiting for a key
        self._handlers: dict[int, object] = {}

    @property
    def lines(self) -> list[str]:
        """What was typed ahead up to the last RETURN."""
        return self._text.split(RETURN)[:-1]

    def pressed(self, wait: bool = False) -> str:
        """The next key, `RESIZED`, or nothing; a terminal that has gone away is as good as Ctrl-C."""
        while not self._keys:
            watched = [self._wake, *([self._terminal] if self._is_ours() else [])]
            ready = select.select(watched, [], [], None if wait else 0.0)[0]
            if self._wake in ready:
                os.read(self._wake, MOST)
                return RESIZED
            if not ready:
                return ""
            self._read()
        return self._keys.popleft()

    def _read(self) -> None:
        try:
            data = os.read(self._terminal, MOST)
        except OSError:
            data = b""
        if not data:
            raise KeyboardInterrupt
        text = SEQUENCE.sub("", data.decode("utf-8", "replace"))
        in_line = bool(self._text) and not self._text.endswith(RETURN)
        if LINE.search(text) or (len(text) > 1 and in_line):
            self._text += text
        else:
            self._keys.extend(text)

    # ---- the modes of the terminal

    def begin(self) -> None:
        if threading.current_thread() is threading.main_thread():
            ours = ((signal.SIGWINCH, self._woken), (signal.SIGCONT, self._continued), (signal.SIGTSTP, self._stopped))
            for number, handler in ours:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._handlers[number] = signal.signal(number, handler)
        self._set_modes()

    def end(self) -> None:
        self._restore_modes()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        os.close(self._wake)
        os.close(self._waker)

    def _set_modes(self) -> None:
        """Keys at once and not shown. What was typed before stays to be read."""
        modes = [*self._modes[:CONTROL], list(self._modes[CONTROL])]
        modes[LOCAL] &= ~(termios.ICANON | termios.ECHO)
        modes[CONTROL][termios.VMIN], modes[CONTROL][termios.VTIME] = 1, 0
        self._apply(modes)

    def _restore_modes(self) -> None:
        self._apply(self._modes)

    def _apply(self, modes: list[Any]) -> None:
        if self._is_ours():
            with suppress(termios.error):  # of a terminal that has gone away
                termios.tcsetattr(self._terminal, termios.TCSANOW, modes)

    def _is_ours(self) -> bool:
        """Whether we are in the foreground: elsewhere the terminal is that of the shell."""
        try:
            return os.tcgetpgrp(self._terminal) == os.getpgrp()
        except OSError:
            return True

    # ---- signals

    def _woken(self, number: int, frame: FrameType | None) -> None:
        os.write(self._waker, b"!")

    def _stopped(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell finds the terminal as it was."""
        self._restore_modes()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._stopped)

    def _continued(self, number: int, frame: FrameType | None) -> None:
        self._set_modes()
        self._woken(number, frame)
