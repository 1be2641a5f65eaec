"""What a terminal answers when it is asked what it can show: taken out of what is typed, however late it comes."""

from __future__ import annotations

import re
from time import monotonic

KITTY = re.compile(r"\x1b_G[^\x1b\x07]*(?:\x1b\\|\x07)")
ATTRIBUTES = re.compile(r"\x1b\[\?([\d;]*)c")  # of the terminal (DA1), the answer that all of them give
CELL = re.compile(r"\x1b\[6;(\d{1,5});(\d{1,5})t")  # height and width in pixels
WINDOW = re.compile(r"\x1b\[4;(\d{1,5});(\d{1,5})t")
ANSWER = re.compile("|".join(f"(?:{each.pattern})" for each in (KITTY, ATTRIBUTES, CELL, WINDOW)))
BEGUN = re.compile(r"\x1b(?:_(?:G[^\x1b\x07]*\x1b?)?|\[(?:\?[\d;]*|[\d;]*))\Z")  # one whose end has not come yet
KEY = re.compile(r"\x1b\[[\d;]*\Z")  # what may be the beginning of a key as well
ESCAPE = "\x1b"  # a key that nobody may wait for; what follows it may show that it was none
LATEST = 3.0  # seconds after a question; what comes later in two pieces is not waited for


class Answers:
    """What was answered so far; no key sends anything of the kind."""

    def __init__(self) -> None:
        self.heard = ""
        self._begun = ""
        self._is_escaped = False  # whether the last that came was a key or the first character of an answer
        self._until = 0.0  # when answers are no longer expected

    def expect(self) -> None:
        """From now on answers come, whole or in pieces."""
        self._until = monotonic() + LATEST

    def without(self, text: str) -> str:
        """What was typed, of a text in which there may be answers; a piece that may become one is held back."""
        if not text:
            return ""
        if self._is_escaped and (ANSWER.match(ESCAPE + text) or BEGUN.match(ESCAPE + text)):  # it was no key
            text = ESCAPE + text
        typed = self._typed(self._begun + text)
        self._is_escaped = typed.endswith(ESCAPE) and monotonic() < self._until
        return typed

    def _typed(self, text: str) -> str:
        self.heard += "".join(match[0] for match in ANSWER.finditer(text))
        typed, self._begun = ANSWER.sub("", text), ""
        begun = BEGUN.search(typed)
        if begun is None:
            return typed
        if monotonic() < self._until:
            self._begun = begun[0]
            return typed[: begun.start()]
        return typed if KEY.search(typed) else typed[: begun.start()]

    @property
    def is_known(self) -> bool:
        """Whether the answer that every terminal gives, and the last, has come."""
        return ATTRIBUTES.search(self.heard) is not None

    @property
    def has_kitty(self) -> bool:
        return any(match[0].rstrip("\x1b\\\x07").endswith(";OK") for match in KITTY.finditer(self.heard))

    @property
    def has_sixel(self) -> bool:
        found = ATTRIBUTES.search(self.heard)
        return found is not None and "4" in found[1].split(";")[1:]

    def cell(self, columns: int, lines: int) -> tuple[int, int] | None:
        """Pixels across and down a cell, as the terminal says, or as its window of so many cells has them."""
        found = CELL.search(self.heard)
        if found is not None:
            return int(found[2]), int(found[1])
        found = WINDOW.search(self.heard)
        return None if found is None else (int(found[2]) // max(columns, 1), int(found[1]) // max(lines, 1))
