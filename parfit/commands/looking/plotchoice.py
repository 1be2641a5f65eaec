"""What stands on the line of PLOT: items, variables, files, a percentile, and how the picture is to look."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, NamedTuple

from parfit.commands.looking.plotitems import marks_to_compare
from parfit.commands.looking.plotquestions import ITEMS, LENGTHS, TEXT
from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.estimation.strategies.reliability.band import Basis
from parfit.model.naming import base_of, family, in_all
from parfit.session import questions
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Item, Question, Reader
from parfit.session.results import Mark

PICTURES = (".png", ".svg", ".pdf")
MOST_PERCENT = 99
ENDING = re.compile(r"\.[A-Za-z]\w*\Z")  # of the name of a file
LENGTH = re.compile(r"(\d+\.?\d*|\.\d+)x(\d+\.?\d*|\.\d+)", re.IGNORECASE)
LONGEST = 100.0  # inches
BAND = "BAND"
BASES = {"PROFILES": Basis.PROFILES, "BOOT": Basis.BOOT}  # of a band
TEXTS = ("TITLE", "XLABEL", "YLABEL")
SIZE, MOVE, ERRORS = "SIZE", "MOVE", "ERRORS"


class Variable(NamedTuple):
    """A variable named among the items: only such are drawn."""

    name: str


class Profiled(NamedTuple):
    """What has a profile, named after PROFILES or ALONG: only such are drawn."""

    names: tuple[str, ...]


class Wording(NamedTuple):
    """MOVE, or a word after which a text follows, or a size."""

    word: str


class More(NamedTuple):
    """One more word of a text."""

    text: str


class Kept(NamedTuple):
    """Y or N: whether a permanent plot is required."""

    wanted: bool


Choice = Item | Variable | Profiled | Wording | More | Kept | str | int  # a text is a file, a number a percentile


@dataclass
class Choices:
    """What has been chosen so far."""

    env: Environment
    all: list[Choice] = field(default_factory=list)

    def read(self, token: str) -> Answer[Choice]:
        """The next word of the line.

        An item's whole word is the item; but a variable is meant rather than the beginning of an item's word.
        """
        if is_picture(token):
            return Answer[Choice](*questions.path(token))
        if self._has(BAND) and token.isdigit() and token not in [str(item.number) for item in ITEMS.menu]:
            return Answer[Choice](*questions.whole(1, MOST_PERCENT)(token))
        word = token.upper()
        if word in (*TEXTS, SIZE, MOVE) or (word == ERRORS and self._has(BAND)):
            return Answer(Wording(word), word)
        if self._is_of_profiles and (found := self._profiled(token)):
            return Answer(Profiled(found), questions.quoted(token))
        named = family(token, self.env.variables)
        if named and word not in [item.word for item in ITEMS.menu]:
            name = named[0] if len(named) == 1 else base_of(named[0])
            return Answer(Variable(name), questions.quoted(name))
        if word in ("Y", "N") and self.all:
            return Answer(Kept(word == "Y"), word)
        try:
            return Answer[Choice](*questions.item(ITEMS.menu)(token))
        except CommandError:
            last = self.all[-1] if self.all else None
            if not isinstance(last, Wording | More) or last in [Wording(each) for each in (SIZE, MOVE, ERRORS)]:
                raise self._unknown(token) from None
            return Answer(More(token), questions.quoted(token))

    def then(self, choice: Choice) -> list[tuple[Question, Reader[Any]]]:
        """What follows a choice at once: the marks to be compared, the first word of a text, or a size."""
        self.all.append(choice)
        if isinstance(choice, Item) and choice.word == "MARKS":
            return list(marks_to_compare(self.env))
        if isinstance(choice, Wording) and choice.word not in (MOVE, ERRORS):
            return [(LENGTHS, _lengths)] if choice.word == SIZE else [(TEXT, questions.word)]
        return []

    def _unknown(self, token: str) -> CommandError:
        """What could have been meant instead of a word that is nothing."""
        words = [item.word for item in ITEMS.menu if item.word.startswith(token.upper())]
        if len(words) > 1:
            return CommandError(f"{questions.shown(token)} could be several; enter {' or '.join(words)}")
        names = ", ".join(in_all(self.env.variables, self.env.variables))
        items = ", ".join(item.word for item in ITEMS.menu)
        return CommandError(
            f"{questions.shown(token)} is neither a variable nor an item of PLOT; the variables are {names}, "
            f"the items {items}"
        )

    @property
    def _is_of_profiles(self) -> bool:
        return (self._has("PROFILES") or self._has("ALONG")) and not self._has(BAND)

    def _profiled(self, token: str) -> tuple[str, ...]:
        """The profiles of a parameter, of an expression, or of a variable at times."""
        known = [each.name for each in self.env.profiles]
        of_time = [name for name in known if name.lower().startswith(f"{token.lower()} at ")]
        found = tuple(family(token, known) or of_time)
        if not found and family(token, self.env.model.parameters):
            others = f", but {', '.join(known)}" if known else ""
            raise CommandError(f"{token} has no profile{others}", f"PROFILE {token} makes one")
        return found

    def _has(self, word: str) -> bool:
        return any(isinstance(choice, Item) and choice.word == word for choice in self.all)


@dataclass(frozen=True)
class Wish:
    """What the line of PLOT asks for."""

    items: Sequence[str] = ()  # words of the menu, those on how it looks among them
    named: Sequence[str] = ()  # variables
    profiled: Sequence[str] = ()  # what has a profile; nothing for all
    marks: Sequence[Mark] = ()
    percentile: int | None = None
    files: Sequence[str] = ()
    texts: dict[str, str] = field(default_factory=dict)  # title and labels of the axes
    size: tuple[float, float] | None = None  # inches, of a file
    moves: bool = False  # by keys, on the whole screen
    basis: Basis = Basis.LINEAR  # of a band
    measured: bool = False  # whether a band is that of new observations
    keep: bool | None = None  # as a permanent plot; None if nothing was said of it

    @classmethod
    def of(cls, given: Sequence[tuple[Any, ...]]) -> Wish:
        """Of the choices, each with what followed it."""
        wish = cls(
            items=[choice.word for choice, *_ in given if isinstance(choice, Item)],
            named=list(dict.fromkeys(choice.name for choice, *_ in given if isinstance(choice, Variable))),
            profiled=list(
                dict.fromkeys(name for choice, *_ in given if isinstance(choice, Profiled) for name in choice.names)
            ),
            marks=[each for _, *rest in given for each in rest if isinstance(each, Mark)],
            percentile=next((choice for choice, *_ in given if isinstance(choice, int)), None),
            files=[choice for choice, *_ in given if isinstance(choice, str)],
            texts=_texts(given),
            moves=any(choice == Wording(MOVE) for choice, *_ in given),
            measured=any(choice == Wording(ERRORS) for choice, *_ in given),
        )
        for choice, *rest in given:
            if choice == Wording(SIZE):
                wish = replace(wish, size=rest[0])
            elif isinstance(choice, Kept):
                wish = replace(wish, keep=choice.wanted)
        return wish._with_basis()

    def _with_basis(self) -> Wish:
        """PROFILES or BOOT beside BAND say what it stands on; alone they are pictures of their own."""
        said = [word for word in self.items if word in BASES]
        if BAND not in self.items or not said:
            return self
        return replace(self, items=[word for word in self.items if word not in BASES], basis=BASES[said[0]])


def _texts(given: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    """Title and labels, each of one or several words."""
    texts: dict[str, str] = {}
    last = ""
    for choice, *rest in given:
        if isinstance(choice, Wording) and choice.word in TEXTS:
            last = choice.word
            texts[last] = rest[0]
        elif isinstance(choice, More):
            texts[last] += f" {choice.text}"
    return texts


def _lengths(token: str) -> Answer[tuple[float, float]]:
    """Width and height in inches."""
    match = LENGTH.fullmatch(token)
    sizes = [float(part) for part in match.groups()] if match else []
    if not all(0.0 < size <= LONGEST for size in sizes) or not sizes:
        raise CommandError(f"{questions.shown(token)} is no size; write width and height in inches, such as 6x4")
    return Answer((sizes[0], sizes[1]), token)


def is_picture(token: str) -> bool:
    """Whether it names a file for a picture; a file of a kind that cannot be written is refused."""
    if ENDING.search(token) and Path(token).suffix.lower() not in PICTURES:
        raise CommandError(f"{questions.shown(token)} will not do; pictures are files {', '.join(PICTURES)}")
    return Path(token).suffix.lower() in PICTURES
