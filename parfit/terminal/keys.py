"""Keys that are read while something runs, without RETURN; the terminal is left as it was found, whatever happens."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import termios
import threading
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any

from parfit.session.console import RESIZED
from parfit.terminal.answers import Answers
from parfit.terminal.signals import handled

RETURN = "\n"
ERASE = ("\x7f", "\b")
LINE = re.compile(r"[^\n]{2,}\n")
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|)")  # of a key that is no character, such as an arrow
CUT_OFF = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O|)\Z")  # the beginning of one, whose end has not come yet
MOST = 1024  # bytes at a time
LOCAL, CONTROL = 3, 6  # where termios keeps local modes and control characters


class TypeAhead:
    """What was typed before anybody asked for it: lines, of which the last may be unfinished."""

    def __init__(self) -> None:
        self._text = ""

    def __bool__(self) -> bool:
        return bool(self._text)

    @property
    def in_line(self) -> bool:
        """Whether somebody is in the middle of a line."""
        return bool(self._text) and not self._text.endswith(RETURN)

    def add(self, text: str) -> None:
        """What was typed next."""
        for character in text:
            if character not in ERASE:
                self._text += character
            elif self.in_line:
                self._text = self._text[:-1]

    def take_lines(self) -> list[str]:
        """The lines that are finished."""
        *lines, self._text = self._text.split(RETURN)
        return lines

    def take_rest(self) -> str:
        """The line that is not."""
        rest, self._text = self._text, ""
        return rest


@contextmanager
def listen(ahead: TypeAhead, answers: Answers | None = None) -> Iterator[Keyboard]:
    """Read keys as they are pressed; whole lines are no keys, but typed ahead."""
    keyboard = Keyboard(sys.stdin.fileno(), ahead, answers or Answers())
    with handled():
        try:
            keyboard.begin()
            yield keyboard
        finally:
            keyboard.end()


class Keyboard:
    """The keyboard of a terminal, of which Ctrl-C and Ctrl-Z keep their meaning."""

    def __init__(self, terminal: int, ahead: TypeAhead, answers: Answers):
        self._terminal, self._ahead, self._answers = terminal, ahead, answers
        self._modes = termios.tcgetattr(terminal)
        self._keys = deque[str]()
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._cut_off = ""  # the beginning of a key's sequence
        self._wake, self._waker = os.pipe()  # so that a signal ends the waiting for a key
        self._handlers: dict[int, object] = {}

    @property
    def in_line(self) -> bool:
        return self._ahead.in_line

    def keep(self, text: str) -> None:
        """Let keys be text that waits for the next prompt."""
        self._ahead.add(text)

    def pressed(self, wait: bool = False, alone: bool = False) -> str:
        """The next key, `RESIZED`, or nothing; a closed terminal counts as Ctrl-C."""
        while not self._keys:
            watched = [self._wake, *([self._terminal] if self._is_ours() else [])]
            ready = select.select(watched, [], [], None if wait else 0.0)[0]
            if self._wake in ready:
                os.read(self._wake, MOST)
                return RESIZED
            if not ready:
                return ""
            self._read(alone)
        return self._keys.popleft()

    def typed_on(self) -> str:
        """What was typed until now."""
        is_there = self._is_ours() and select.select([self._terminal], [], [], 0.0)[0]
        return self._typed() if is_there else ""

    def hear(self, is_enough: Callable[[], bool], seconds: float) -> None:
        """Wait so long for answers of the terminal; what is typed meanwhile waits for the next prompt."""
        end = monotonic() + seconds
        while not is_enough() and self._is_ours() and (left := end - monotonic()) > 0:
            if select.select([self._terminal], [], [], left)[0]:
                self._ahead.add(self._typed())

    def _read(self, alone: bool) -> None:
        text = self._typed()
        if LINE.search(text) or (len(text) > 1 and (alone or self.in_line)):
            self._ahead.add(text)
        else:
            self._keys.extend(text)

    def _typed(self) -> str:
        """What came: characters, without answers of the terminal and keys that are none."""
        try:
            data = os.read(self._terminal, MOST)
        except OSError:
            data = b""
        if not data:
            raise KeyboardInterrupt
        text = self._cut_off + self._answers.without(self._decoder.decode(data))
        begun = CUT_OFF.search(text)
        self._cut_off = begun[0] if begun else ""
        return SEQUENCE.sub("", text.removesuffix(self._cut_off))

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
