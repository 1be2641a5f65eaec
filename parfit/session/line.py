"""A line that is read word by word."""

from __future__ import annotations

import re

from parfit.session.questions import TOKEN

BLANKS = " \t,"  # stand between the words of a line
BETWEEN = re.compile(f"[{BLANKS}]*")
SPACES = re.compile(r"\s*")


class Line:
    """What is left of a line; it is not copied with every word, so that long lines take no longer than they are."""

    def __init__(self, text: str = ""):
        self._text, self._at = text, 0

    def word(self, pattern: re.Pattern[str]) -> str | None:
        """The next word, or None at the end."""
        begin = self._beginning(BETWEEN if pattern is TOKEN else SPACES)
        match = pattern.match(self._text, begin)
        if match is None:
            return None
        self._at = match.end()
        return next((group for group in match.groups() if group is not None), "")

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
