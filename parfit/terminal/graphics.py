"""Pictures as pixels, where the terminal says that it shows them. It is asked once, before the first picture."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import AbstractContextManager

from parfit.plotting import Picture
from parfit.session.console import Console
from parfit.terminal.answers import Answers
from parfit.terminal.keys import Keyboard

PATIENCE = 0.2  # seconds
KITTY_QUESTION = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"  # whether a picture of one pixel could be shown
SIZES = "\x1b[16t\x1b[14t"  # of a cell, and of the window, in pixels
ATTRIBUTES = "\x1b[c"  # last, because every terminal answers it
CLEAN = "\r\x1b[K"  # what shows a question instead of answering has it taken away
USUAL_CELL = (10, 20)  # pixels
CELLS = range(4, 101)  # pixels of a cell that can be
AUTO, TEXT, KITTY, SIXEL = "AUTO", "TEXT", "KITTY", "SIXEL"


class Graphics:
    """What makes pixels of a picture, for the terminal that answers."""

    def __init__(self, console: Console, answers: Answers, listen: Callable[[], AbstractContextManager[Keyboard]]):
        self._console, self._answers, self._listen = console, answers, listen
        self._is_asked = False

    def __call__(self, picture: Picture, columns: int, lines: int, wish: str = AUTO) -> str:
        """What shows the picture in so many cells, in a certain way or as the terminal can; nothing for text."""
        if wish == TEXT:
            return ""
        self._ask()
        protocol = self._protocol if wish == AUTO else wish
        if not protocol:
            return ""
        from parfit.plotting.pixels.images import image  # late, because matplotlib takes long to import

        return image(picture, protocol, columns, lines, self._cell, is_tmux())

    @property
    def _protocol(self) -> str:
        return KITTY if self._answers.has_kitty else SIXEL if self._answers.has_sixel else ""

    @property
    def _cell(self) -> tuple[int, int]:
        for found in (self._answers.cell(*self._console.screen), _cell_of_window()):
            if found is not None and all(size in CELLS for size in found):
                return found
        return USUAL_CELL

    def _ask(self) -> None:
        """Put the questions, once; an answer that comes too late for this picture counts for the next."""
        if self._is_asked:
            return
        self._is_asked = True
        with self._listen() as keyboard:
            self._answers.expect()
            self._console.control(f"\r{_kitty_question()}{SIZES}{ATTRIBUTES}{CLEAN}")
            keyboard.hear(self._is_answered, PATIENCE)

    def _is_answered(self) -> bool:
        """Whether no more is to come: tmux answers before the terminal behind it does."""
        return self._answers.is_known and (self._answers.has_kitty or not is_tmux())


def _cell_of_window() -> tuple[int, int] | None:
    """The size of a cell by what the system knows of the window, as xterm tells it but answers no question."""
    try:
        lines, columns, width, height = struct.unpack("HHHH", fcntl.ioctl(sys.stdin, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return (width // columns, height // lines) if columns and lines else None


def is_tmux() -> bool:
    return bool(os.environ.get("TMUX"))


def _kitty_question() -> str:
    """Past tmux, which would take it for a title; a tmux or screen that cannot be got past is not asked."""
    if is_tmux():
        from parfit.plotting.pixels.kitty import past_tmux

        return past_tmux(KITTY_QUESTION)
    return "" if os.environ.get("TERM", "").startswith(("screen", "tmux")) else KITTY_QUESTION
