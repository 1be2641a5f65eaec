"""The numbers on a deck of cards, taken one after the other."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from os import PathLike
from typing import TypeVar

from parfit.errors import DataError
from parfit.model.textfile import at_place, excerpt

Number = TypeVar("Number", int, float)
Card = tuple[int, str]  # line number and text


def words(card: str) -> list[str]:
    """The words of a card, separated by blanks or a comma; a comma at the end is forgiven."""
    return re.split(r"\s*,\s*|\s+", card.strip().removesuffix(",").strip())


class Deck:
    """Numbers in free format over several cards; each knows the line it stands on."""

    def __init__(self, path: str | PathLike[str], cards: list[Card], last_line: int):
        self.path, self.last_line = path, last_line
        self.words = [(line, word) for line, card in cards for word in words(card)]
        self.n_taken = 0

    def take(
        self,
        what: str,
        count: int,
        convert: Callable[[str], Number | None],
        check: Callable[[Number, list[Number]], None] = lambda number, before: None,
    ) -> list[Number]:
        """The next `count` numbers; `check` sees each one with those before it and raises if it is wrong."""
        taken: list[Number] = []
        for line, word in self.words[self.n_taken : self.n_taken + count]:
            number = convert(word)
            if number is None or math.isinf(number):
                raise self._expected(f"{what} {len(taken) + 1} of {count}", excerpt(word), line)
            with at_place(self.path, line):
                check(number, taken)
            taken.append(number)
        if len(taken) < count:
            raise self._expected(f"{what} {len(taken) + 1} of {count}", "the end of the file", self.last_line)
        self.n_taken += count
        return taken

    def starts_new_card(self) -> bool:
        """Whether the next number is the first one on its card."""
        return self.n_taken == 0 or self.words[self.n_taken][0] != self.words[self.n_taken - 1][0]

    def left(self) -> list[Card]:
        """The words not yet taken, with their lines."""
        return self.words[self.n_taken :]

    def _expected(self, what: str, found: str, line: int) -> DataError:
        message = f"expected {what}, found {found}; compare with the counts on the third card"
        return DataError(message, self.path, line)
