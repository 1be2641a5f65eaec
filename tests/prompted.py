"""A prompt on a screen: a terminal that tells where its cursor is, and knows wide characters and reverse video."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from prompt_toolkit.utils import get_cwidth
from screens import Screen, Watched
from terminals import PATIENCE, environment

QUIET = 0.15  # seconds without any output after which a screen is taken to be finished
WHERE = "n"  # ends the sequence that asks for the place of the cursor


class PromptScreen(Screen):
    """A wide character fills its column and leaves the next one empty; what has no width stands on the one before."""

    def __init__(self, lines: int, columns: int):
        super().__init__(lines, columns)
        self.asked: list[
            tuple[int, int]
        ] = []  # where the cursor was when somebody wanted to know, who was not told yet
        self._wraps = True
        self._in_reverse = False
        self._reversed: set[tuple[int, int]] = set()

    @property
    def rows(self) -> list[str]:
        return self.text.split("\n")

    @property
    def highlighted(self) -> list[str]:
        """The lines of which all that is there is shown in reverse."""
        return [
            row
            for k, row in enumerate(self.rows)
            if row and all((k, column) in self._reversed for column in range(len(row)))
        ]

    def _write(self, text: str) -> None:
        for character in text:
            width = get_cwidth(character)
            if width <= 0:
                self._cells[self.row][max(self.column - 1, 0)] += character
                continue
            if self.column + width > self.columns and self._wraps:
                self.column = 0
                self._newline()
            self.column = min(self.column, self.columns - width)
            for k in range(width):
                self._put(character if k == 0 else "")

    def _put(self, cell: str) -> None:
        self._cells[self.row][self.column] = cell
        here = self.row, self.column
        (self._reversed.add if self._in_reverse else self._reversed.discard)(here)
        self.column += 1

    def _newline(self) -> None:
        if self.row == self.lines - 1:
            self._reversed = {(row - 1, column) for row, column in self._reversed if row}
        super()._newline()

    def _obey(self, private: str, digits: str, letter: str) -> None:
        super()._obey(private, digits, letter)
        if private == "?" and digits == "7":
            self._wraps = letter == "h"
        elif letter == "m":
            for number in digits.split(";"):
                self._in_reverse = number == "7" or (self._in_reverse and number not in ("", "0", "27"))
        elif letter == WHERE and digits == "6":
            self.asked.append((self.row, self.column))


class Prompted(Watched):
    """Somebody at a prompt with its line of status, which appears where the terminal tells the place of its cursor."""

    screen: PromptScreen

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (24, 80),
        **more,
    ):
        variables = {**(environment(folder) if env is None else env)}
        variables.pop("PROMPT_TOOLKIT_NO_CPR", None)
        super().__init__(folder, *arguments, env=variables, size=size, **more)
        self.screen = PromptScreen(*size)

    def _receive(self, timeout: float) -> bool:
        if not super()._receive(timeout):
            return False
        self._feed()
        while self.screen.asked:
            row, column = self.screen.asked.pop(0)
            self.type(f"\x1b[{row + 1};{column + 1}R")
        return True

    def see(self, pattern: str, timeout: float = PATIENCE, busy: bool = False) -> str:
        """The screen, once it shows a pattern, nothing more comes, and the program waits; or while it is busy."""
        end, used = monotonic() + timeout, self.processor_time
        while monotonic() < end or self.is_working(used):
            idle = not self._receive(QUIET) and self.is_waiting
            if (idle or busy) and re.search(pattern, self.screen.text, re.MULTILINE):
                return self.screen.text.rstrip()
        raise AssertionError(f"{pattern!r} is not seen; there is\n{self.screen.text}")
