"""What the user sees: standard output and error, and the echo of both."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Picture = Callable[[Array, Array, int, int, int], str]  # of points (t, y), the selected one, columns and lines
DrawPoints = Callable[[Array, Array, Picture], "tuple[Array, Array] | None"]  # as moved, or None if abandoned
FILE_SIZE = (72, 20)  # columns and lines of a plot where there is no terminal


class OutputLost(BaseException):
    """What is shown cannot be written any more: the reader has gone away, or the disk is full."""

    def __init__(self, error: OSError):
        self.error = error
        super().__init__(str(error))


class Console:
    """Text to the user; whatever is shown or typed also goes to `echo` while there is one."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None, quiet: bool = False):
        self.out, self.err = out or sys.stdout or _nowhere(), err or sys.stderr or _nowhere()
        self.quiet = quiet
        self.echo: Callable[[str], None] | None = None
        self.draw_points: DrawPoints | None = None  # of a terminal on which points can be moved about

    def say(self, text: str = "") -> None:
        """Show a result or a remark."""
        self.typed(text)
        if not self.quiet:
            try:
                _write(self.out, self._fitted(text))
            except OSError as error:
                raise OutputLost(error) from None

    def warn(self, text: str) -> None:
        """Show what must not be overlooked, --quiet or not."""
        with suppress(OSError):  # an error that nobody sees is no reason to stop
            _write(self.err, self._fitted(text))
        self.typed(text)

    def _fitted(self, text: str) -> str:
        """Lines that are too long for the terminal, broken between words."""
        if not self.is_terminal:
            return text
        room = shutil.get_terminal_size().columns - 1
        return "\n".join(_broken(line, room) for line in text.split("\n"))

    def typed(self, text: str) -> None:
        """Put into the echo what is seen on the screen without having been shown by us."""
        if self.echo is not None:
            self.echo(text)

    def redraw(self, text: str, rows: int) -> int:
        """Write text over the last `rows` lines of the terminal; gives how many lines it takes."""
        if self.quiet:
            return 0
        _write(self.out, (f"\x1b[{rows}A\x1b[J" if rows else "") + text)
        return text.count("\n") + 1

    @property
    def is_live(self) -> bool:
        """Whether what is on the screen can be written over."""
        return self.is_terminal and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def is_terminal(self) -> bool:
        return self.out.isatty()

    @property
    def width(self) -> int:
        """Columns for text."""
        return max(min(shutil.get_terminal_size().columns - 1, 110), 40) if self.is_terminal else 79

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines for a plot."""
        if not self.is_terminal:
            return FILE_SIZE
        columns, lines = shutil.get_terminal_size()
        return max(columns - 1, 30), max(min(lines - 6, columns // 3), 8)

    @property
    def colour(self) -> bool:
        """Whether colours are wanted: at a terminal that has them, unless NO_COLOR says otherwise."""
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
        return self.is_terminal and not plain

    @property
    def unicode(self) -> bool:
        """Whether more than ASCII can be shown."""
        return "utf" in (self.out.encoding or "").lower()


def _broken(line: str, room: int) -> str:
    """A line in lines of a width, the later ones indented; pictures in colour are left as they are."""
    if len(line) <= room or room < 20 or "\x1b" in line:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    parts = textwrap.wrap(
        line, room, subsequent_indent=indent, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts)


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "ascii"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    stream.flush()


def _nowhere() -> TextIO:
    """In place of a standard stream that was closed before we began."""
    return open(os.devnull, "w", encoding="utf-8")
