"""What somebody at a terminal sees: a small reader of the control sequences that full-screen programs send."""

from __future__ import annotations

import fcntl
import re
import struct
import termios
from collections.abc import Callable
from time import monotonic

from terminals import A_WHILE, PATIENCE, Session

TOKEN = re.compile(
    r"\x1b\[([?>]?)([\d;]*)([@-~])|\x1b[()][A-Za-z0-9]|\x1b\][^\x07]*\x07|\x1b[=>78A-Z]|[\r\n\b\x07]|[^\x1b\x00-\x1f]+"
)
REDRAWN = re.compile(rb"\x1b\[K\x1b\[1;1H")  # the end of a redraw: the cursor goes to the corner
PARTIAL = re.compile(r"\x1b(?:\[[\d;?>]*|\][^\x07]*)?\Z")
DRAWN = b"\x1b[K\x1b[J\r\n"  # the end of a picture of a fit, as a terminal's driver passes it on
LAST_OF_A_FIT = ("p pause", "PAUSED:")  # a fit that is watched is drawn over itself down to its line of keys


class Screen:
    """The characters on a screen of a size after what was written to it; colours are not kept."""

    def __init__(self, lines: int, columns: int):
        self.lines, self.columns = lines, columns
        self.row = self.column = 0
        self.is_alternate = False
        self.n_colours = 0  # sequences that ask for a colour
        self._cells = self._blank()
        self._main: tuple[list[list[str]], int, int] | None = None
        self._rest = ""

    def _blank(self) -> list[list[str]]:
        return [[" "] * self.columns for _ in range(self.lines)]

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self._cells)

    def resize(self, lines: int, columns: int) -> None:
        """What does not fit is lost, as it is in some terminals; a full-screen program draws anew."""
        self.lines, self.columns = lines, columns
        cells = self._blank()
        for old, new in zip(self._cells, cells, strict=False):
            new[: len(old)] = old[:columns]
        self._cells = [row[:columns] for row in cells]
        self.row, self.column = min(self.row, lines - 1), min(self.column, columns - 1)

    def feed(self, text: str) -> None:
        text = self._rest + text
        partial = PARTIAL.search(text)
        self._rest = partial[0] if partial else ""
        for token in TOKEN.finditer(text[: len(text) - len(self._rest)]):
            if token[3] is not None:
                self._obey(token[1], token[2], token[3])
            elif token[0] == "\r":
                self.column = 0
            elif token[0] == "\n":
                self._newline()
            elif token[0] == "\b":
                self.column = max(self.column - 1, 0)
            elif not token[0].startswith(("\x1b", "\x07")):
                self._write(token[0])

    def _newline(self) -> None:
        self.row += 1
        if self.row == self.lines:
            self._cells = [*self._cells[1:], [" "] * self.columns]
            self.row -= 1

    def _write(self, text: str) -> None:
        for character in text:
            if self.column >= self.columns:
                self.column = 0
                self._newline()
            self._cells[self.row][self.column] = character
            self.column += 1

    def _obey(self, private: str, digits: str, letter: str) -> None:
        numbers = [int(number or 0) for number in digits.split(";")] if digits else []
        n = max(numbers[0] if numbers else 1, 1)
        if private:
            if letter in "hl" and 1049 in numbers:
                self._switch(letter == "h")
        elif letter in "ABCD":
            rows, columns = {"A": (-n, 0), "B": (n, 0), "C": (0, n), "D": (0, -n)}[letter]
            self.row = min(max(self.row + rows, 0), self.lines - 1)
            self.column = min(max(self.column + columns, 0), self.columns - 1)
        elif letter in "Hf":
            row, column = (*numbers, 1, 1)[:2] if numbers else (1, 1)
            self.row, self.column = min(max(row, 1), self.lines) - 1, min(max(column, 1), self.columns) - 1
        elif letter in "JK":
            self._erase(letter, numbers[0] if numbers else 0)
        elif letter == "m":
            self.n_colours += any(number in (38, 48) or 30 <= number <= 37 or 90 <= number <= 97 for number in numbers)

    def _erase(self, letter: str, how: int) -> None:
        here = self._cells[self.row]
        if how == 2:
            for row in self._cells if letter == "J" else [here]:
                row[:] = [" "] * self.columns
        elif how == 0:
            here[self.column :] = [" "] * (self.columns - self.column)
            for row in self._cells[self.row + 1 :] if letter == "J" else []:
                row[:] = [" "] * self.columns

    def _switch(self, to_alternate: bool) -> None:
        if to_alternate and not self.is_alternate:
            self._main = self._cells, self.row, self.column
            self._cells = self._blank()
        elif not to_alternate and self._main is not None:
            self._cells, self.row, self.column = self._main
        self.is_alternate = to_alternate


class Watched(Session):
    """Somebody at a pseudo-terminal, whose screen can be looked at."""

    def __init__(self, *arguments: object, size: tuple[int, int] = (24, 80), **more: object):
        super().__init__(*arguments, size=size, **more)  # type: ignore[arg-type]
        self.screen = Screen(*size)
        self._n_fed = 0

    def until(self, seen: str | Callable[[str], object], timeout: float = PATIENCE) -> str:
        """The screen as soon as a pattern is on it, or what is on it fulfils a condition, for however short a time."""
        end, used = monotonic() + timeout, self.processor_time
        while True:
            is_more = self._feed(once=True)
            text = self.screen.text
            if self._is_whole and (re.search(seen, text) if isinstance(seen, str) else seen(text)):
                return text
            if not is_more and not self._receive(end - monotonic()):
                if monotonic() < end or not self.is_working(used):  # the other end is closed, or nothing is to come
                    raise AssertionError(f"{seen!r} was not seen; there is\n{text}")
                end = monotonic() + A_WHILE

    @property
    def _is_whole(self) -> bool:
        """Whether a redraw has come to its end: the cursor is below a fit then, or in the corner of a whole screen."""
        screen = self.screen
        if screen.is_alternate:
            return (screen.row, screen.column) == (0, 0)
        return not any(line.startswith(LAST_OF_A_FIT) for line in screen.text.split("\n")[screen.row :])

    def press(self, keys: str, seen: str | Callable[[str], object]) -> str:
        """Press keys, and look when something is seen."""
        self.type(keys)
        return self.until(seen)

    def resize(self, lines: int, columns: int) -> None:
        """Give the terminal another size; the kernel tells the program."""
        self._feed()
        self.screen.resize(lines, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _feed(self, once: bool = False) -> bool:
        """What was received, or up to the end of one redraw of a fit; whether there is more."""
        new = self.raw[self._n_fed :]
        first, drawn, rest = new.partition(DRAWN)
        if once and rest:
            new = first + drawn
        whole = new.decode("utf-8", "ignore")  # a character may not be there in full yet
        n = len(whole.encode())
        if n < len(new) and len(new) - n > 3:
            whole, n = new.decode("utf-8", "replace"), len(new)
        self.screen.feed(whole)
        self._n_fed += n
        return once and bool(rest)
