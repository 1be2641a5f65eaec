"""What can be asked, and how an answer is read: a number, a name or subscript, an item of a menu, yes or no."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, Generic, NamedTuple, TypeVar

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.model.naming import base_of, family
from parfit.model.textfile import exact, integer, real
from parfit.session.console import BRIEF, FULL
from parfit.session.paths import as_uri, meant
from parfit.simulation.method import NO_LIMIT

T = TypeVar("T")
LONGEST_SHOWN = 40  # characters of a wrong answer that are repeated
LONGEST_NUMBER = 400  # characters; more are a mistake, and take Python long to read
MOST_LISTED = 12  # names that an error message lists
MENU_WIDTH = 46  # columns between a menu's first letter and its number

TOKEN = re.compile(r'(?:"([^"]*)"|([^\s,="]+)|(["=]))[ \t]*,?[ \t]*(?:=[ \t]*)?')  # `k=3`, `k = 3`, `k 3` are the same
WORD = re.compile(r'(?:"([^"]*)"|(\S+))\s*')  # a file's name may hold commas and signs of equality


YES_NO = ("Y", "N")  # words


class Item(NamedTuple):
    """A line of a menu: its number, its words in the manual, and the short word that names it."""

    number: int
    text: str
    word: str


@dataclass(frozen=True)
class Question:
    """What a command may ask: in the words of the manual, with help for who types `?`."""

    label: str  # a word or two, to name it in messages
    text: str
    help: str
    menu: tuple[Item, ...] = ()
    names: str = ""  # what it takes the names of: "parameters", "variables", "marks" or "files"
    words: tuple[str, ...] = ()  # what else can be typed, beside the menu

    @property
    def shown(self) -> str:
        """The question as it is put, with its menu."""
        rows = [f"{item.text}{'-' * max(MENU_WIDTH - len(item.text), 3)}{item.number}" for item in self.menu]
        return "\n".join([self.text, *rows])

    def put(self, talk: str, width: int) -> str:
        """The question with as much guidance as is wanted."""
        if talk == BRIEF:
            return self.text
        return f"{textwrap.fill(self.help, width)}\n{self.shown}" if talk == FULL else self.shown


class Answer(NamedTuple, Generic[T]):
    """An answer that was understood, and its plainest form in writing."""

    value: T
    text: str


Reader = Callable[[str], Answer[T]]


@dataclass(frozen=True)
class NumberReader:
    """Reads a finite number; `check` gives the reason why one will not do."""

    check: Callable[[float], str | None]

    def __call__(self, token: str) -> Answer[float]:
        value = real(token) if len(token) <= LONGEST_NUMBER else None
        if value is None or value in (float("inf"), float("-inf")):
            raise CommandError(f"{shown(token)} is not a number; write one like 3, -.5 or 1e-4")
        problem = self.check(value)
        if problem:
            raise CommandError(f"{shown(token)} {problem}")
        return Answer(value, plain(value))


def number(check: Callable[[float], str | None] = lambda value: None) -> NumberReader:
    """A finite number, within what `check` allows."""
    return NumberReader(check)


def limit(check: Callable[[float], str | None] = lambda value: None) -> Reader[float]:
    """A number, or NONE for no limit, which is infinite."""
    reader = number(check)

    def read(token: str) -> Answer[float]:
        return Answer(math.inf, NO_LIMIT) if token.upper() == NO_LIMIT else reader(token)

    return read


def positive(value: float) -> str | None:
    """A check for numbers greater than 0."""
    return None if value > 0 else "is not greater than 0"


def whole(least: int, most: int | None = None) -> Reader[int]:
    """A whole number within limits."""

    def read(token: str) -> Answer[int]:
        value = integer(token) if len(token) <= LONGEST_NUMBER else None
        limits = f"from {least} on" if most is None else f"from {least} to {most}"
        if value is None or value < least or (most is not None and value > most):
            raise CommandError(f"{shown(token)} will not do here; enter a whole number {limits}")
        return Answer(value, str(value))

    return read


def yes_or_no(token: str) -> Answer[bool]:
    """Y or N, or the words."""
    if token.lower() in ("y", "yes", "n", "no"):
        return Answer(token[0].lower() == "y", token[0].upper())
    raise CommandError(f"{shown(token)} is not an answer here; enter Y or N")


def name(names: Sequence[str], what: str, families: bool = False) -> Reader[str]:
    """One of the names, in either case, or its subscript from 1 on; with `families` also k for k[low] and k[high].

    Where names are numbers themselves, such as those of subjects, a number is a name and no subscript.
    """
    numbered = _are_numbers(names)

    def read(token: str) -> Answer[str]:
        found = [n for n in names if n.lower() == token.lower()]
        if families and not found:
            found = [base_of(n) for n in family(token, names)][:1]
        subscript = integer(token) if len(token) <= LONGEST_NUMBER else None
        if not found and subscript is not None and 1 <= subscript <= len(names) and not numbered:
            found = [names[subscript - 1]]
        if not found:
            raise CommandError(f"{shown(token)} is no {what}; {_expected(token, names, what)}")
        return Answer(found[0], quoted(found[0]))

    return read


def name_or_word(names: Sequence[str], what: str, *words: str) -> Reader[str]:
    """One of the names, or of their families, or one of some words in capitals, such as ALL, which no name is."""
    find, spelled = name(names, what, families=True), [each.upper() for each in names]

    def read(token: str) -> Answer[str]:
        word = token.upper()
        return Answer(word, word) if word in words and word not in spelled else find(token)

    return read


def item(menu: Sequence[Item]) -> Reader[Item]:
    """An item of a menu by its number, or by its word or the beginning of it."""

    def read(token: str) -> Answer[Item]:
        found = [each for each in menu if str(each.number) == token]
        found = found or [each for each in menu if each.word.lower() == token.lower()]
        found = found or [each for each in menu if each.word.lower().startswith(token.lower())]
        if len(found) != 1:
            words = ", ".join(_either(each) for each in (found or menu))
            problem = "could be several" if found else "is not on the menu"
            raise CommandError(f"{shown(token)} {problem}; enter {words}")
        return Answer(found[0], found[0].word)

    return read


def _either(item: Item) -> str:
    """Its number or its word, where these are two."""
    return item.word if item.word == str(item.number) else f"{item.number} or {item.word}"


def word(token: str) -> Answer[str]:
    """Any word, such as the name of a file."""
    return Answer(token, quoted(token))


def path(token: str) -> Answer[str]:
    """The name of a file."""
    return Answer(meant(token), quoted_path(meant(token)))


def plain(value: float) -> str:
    """A number as it reads back exactly, without needless digits."""
    return NO_LIMIT if value == math.inf else exact(value)


def quoted(token: str) -> str:
    """A token that reads back as one."""
    return f'"{token}"' if not token or re.search(r"[\s,=#]", token) else token


def quoted_path(name: str) -> str:
    """The name of a file that reads back as one, whatever characters it holds."""
    return quoted(name) if name.isprintable() and '"' not in name else as_uri(name)


def shown(token: str) -> str:
    """A wrong answer as a message repeats it: short, and without what a terminal would obey."""
    text = "".join(c if c.isprintable() else "?" for c in token[:LONGEST_SHOWN])
    return f"'{text}{'...' if len(token) > LONGEST_SHOWN else ''}'"


def _expected(token: str, names: Sequence[str], what: str) -> str:
    if not names:
        return f"there is no {what} at all"
    near: list[Any] = get_close_matches(token[:LONGEST_SHOWN].lower(), [n.lower() for n in names], 1)
    if near:
        return f"did you mean {next(n for n in names if n.lower() == near[0])}?"
    more = ", ..." if len(names) > MOST_LISTED else ""
    if _are_numbers(names):
        return f"enter one of {', '.join(names[:MOST_LISTED])}{more}"
    listed = ", ".join(f"{k} {n}" for k, n in enumerate(names[:MOST_LISTED], 1))
    return f"enter names or subscripts: {listed}{more}"


def _are_numbers(names: Sequence[str]) -> bool:
    """Whether some names could be taken for subscripts."""
    return any(len(each) <= LONGEST_NUMBER and integer(each) is not None for each in names)
