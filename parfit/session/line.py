"""Lines: where they come from, and how one is read word by word."""

from __future__ import annotations

import re
from typing import Protocol

from parfit.session.questions import TOKEN

BLANKS = " \t,"  # stand between the words of a line
BETWEEN = re.compile(f"[{BLANKS}]*")
DECIMALS = re.compile(r",(\d+)(?=[\s,]|$)")
SPACES = re.compile(r"\s*")


class EndOfInput(Exception):  # noqa: N818 (not an error)
    """There are no more lines."""


class Source(Protocol):
    """Where lines come from: a script, a pipe, or somebody at a terminal."""

    interactive: bool  # whether somebody is there who can be asked again
    echoed: bool  # whether what is read is on the screen already

    def read(self, prompt: str, text: str = "") -> str:
        """The next line, without comments; at a terminal after showing the text. Raises `EndOfInput`."""

    def unread(self) -> None:
        """Give the last line back, to be read again."""

    @property
    def place(self) -> str:
        """Where the last line stood: `script.pft:14`, or nothing."""


class Line:
    """What is left of a line; it is not copied with every word, so that long lines take no longer than they are."""

    def __init__(self, text: str = ""):
        self._text, self._at = text, 0
        self._word_end = 0  # of the last word, without what parts it from the next

    def word(self, pattern: re.Pattern[str]) -> str | None:
        """The next word, or None at the end."""
        begin = self._beginning(BETWEEN if pattern is TOKEN else SPACES)
        match = pattern.match(self._text, begin)
        if match is None:
            return None
        self._at, self._word_end = match.end(), match.end(match.lastindex or 0)
        return next((group for group in match.groups() if group is not None), "")

    def decimals(self) -> str:
        """The digits that follow the last word behind a comma without a blank, as a decimal comma has them."""
        found = DECIMALS.match(self._text, self._word_end)
        return found[1] if found else ""

    def pass_over(self, n: int) -> None:
        """Leave out the next n characters."""
        self._at += n

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left but blanks and commas."""
        return self._beginning(BETWEEN) == len(self._text)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is left but blanks."""
        return self._beginning(SPACES) == len(self._text)

    @property
    def rest(self) -> str:
        """What is left, without what stands around it."""
        return self._text[self._at :].strip(BLANKS)

    def _beginning(self, gap: re.Pattern[str]) -> int:
        found = gap.match(self._text, self._at)
        return found.end() if found else self._at


def text_lines(source: Source, prompt: str) -> list[str]:
    """A text of several lines: those that begin with `|` in a script, those up to `done` or none at a terminal."""
    lines: list[str] = []
    while True:
        try:
            line = source.read(prompt)
        except EndOfInput:
            return lines
        if source.interactive:
            if not line:
                return lines
            lines.append(line)
            if line.strip().lower() == "done":
                return lines
        elif not line.startswith("|"):
            source.unread()
            return lines
        else:
            lines.append(line[1:].removeprefix(" "))
