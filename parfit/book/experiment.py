"""An experiment of the book: a session whose first lines say what it is and how to play it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from parfit.book.figures import MISSPELLED, SIGN, parse
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.library import SHELVES, ours, shelf
from parfit.model.textfile import read_lines

TITLE = re.compile(r"# (?P<number>\d+\.\d+|(?:peide|odeparest|today)-\d+|tour) (?P<title>.+)")
REPLAY = re.compile(r"#\s*Replay with: parfit (?P<words>.+)")
BOOKS = ("", "peide", "odeparest", "today")  # the thesis, whose numbers are bare, then the others
TOUR = "tour"


@dataclass(frozen=True)
class Experiment:
    """A session: its number and title, where it was published, what it opens, and its lines."""

    number: str
    title: str
    source: str
    path: Path
    opened: tuple[str, ...]  # a model and data
    lines: tuple[str, ...]  # after the head; the first is line `n_head + 1` of the file
    n_head: int

    @property
    def name(self) -> str:
        """What tells it from the other sessions of its section."""
        return self.path.stem

    @property
    def is_of_today(self) -> bool:
        """Whether it is none of the literature, but shows what could not be done then."""
        return self.number.startswith(BOOKS[-1])

    @property
    def order(self) -> tuple[int, tuple[int, ...], str]:
        """The order of the book."""
        book, _, rest = self.number.rpartition("-")
        return BOOKS.index(book), tuple(int(part) for part in rest.split(".")), self.name


def read_experiment(path: Path) -> Experiment:
    """A session of the book."""
    lines = read_lines(path)
    title = TITLE.match(lines[0]) if lines else None
    if title is None:
        raise ParfitError(f"{path}:1: a session begins with a line like `# 4.3 Title`")
    k, words = next(((k, match["words"]) for k, line in enumerate(lines) if (match := REPLAY.match(line))), (0, ""))
    opened, _, script = words.partition(" -b ")
    if not script:
        raise ParfitError(f"{path}: no line `# Replay with: parfit MODEL DATA -b SESSION` says how to play it")
    source = " ".join(line.lstrip("# ").rstrip() for line in lines[1:k])
    for number, line in enumerate(lines, 1):
        if MISSPELLED.match(line):
            raise ParfitError(f"{path}:{number}: published numbers stand in lines that begin with `{SIGN}`")
        if line.startswith(SIGN):
            parse(line, f"{path}:{number}")
    files = tuple(ours(word) if word.startswith(SHELVES) else word for word in shlex.split(opened))
    return Experiment(title["number"], title["title"].strip(), source, path, files, tuple(lines[k + 1 :]), k + 1)


def experiments() -> list[Experiment]:
    """All of the book, in its order."""
    found = [read_experiment(path) for path in shelf("sessions").glob("*.pft") if path.stem != TOUR]
    return sorted(found, key=lambda each: each.order)


def tour() -> Experiment:
    """The introduction for who has never seen the program."""
    return read_experiment(shelf("sessions") / f"{TOUR}.pft")


def chosen(numbers: list[str]) -> list[Experiment]:
    """The experiments of some sections or chapters, or by their names; none given, all of them."""
    book = experiments()
    found: list[Experiment] = []
    for number in (each.lower().rstrip(".-") for each in numbers):
        matching = [each for each in book if number in (each.number, each.name)]
        matching = matching or [each for each in book if each.number.startswith((f"{number}.", f"{number}-"))]
        if not matching:
            known = ", ".join(dict.fromkeys(each.number for each in book))
            raise ParfitError(f"the book has no experiment {number!r}; it has {known}")
        found += [each for each in matching if each not in found]
    return found if numbers else book
