"""An experiment of the book: a session whose first lines say what it is and how to play it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from parfit.errors import ParfitError
from parfit.library import located, shelf
from parfit.model.textfile import read_lines

TITLE = re.compile(r"#\s+(?P<number>\d+\.\d+|[a-z]+-\d+|tour)\s+(?P<title>.+)")
REPLAY = re.compile(r"#\s*Replay with: parfit (?P<words>.+)")
BOOKS = ("", "peide", "odeparest")  # the thesis, whose numbers are bare, then the others
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
    def order(self) -> tuple[int, tuple[int, ...], str]:
        """The order of the book."""
        book, _, rest = self.number.rpartition("-")
        return BOOKS.index(book), tuple(int(part) for part in rest.split(".")), self.name


def read_experiment(path: Path) -> Experiment | None:
    """A session of the book; None if it is none."""
    lines = read_lines(path)
    head = TITLE.match(lines[0]) if lines else None
    if head is None:
        return None
    replay = [k for k, line in enumerate(lines) if REPLAY.match(line)]
    if not replay:
        raise ParfitError(f"{path}: no line `# Replay with: parfit MODEL DATA -b SESSION` says how to play it")
    match = REPLAY.match(lines[replay[0]])
    assert match is not None
    words = shlex.split(match["words"])
    opened = tuple(located(word) for word in words[: words.index("-b")])
    source = " ".join(line.lstrip("# ").rstrip() for line in lines[1 : replay[0]])
    body = replay[0] + 1
    return Experiment(head["number"], head["title"].strip(), source, path, opened, tuple(lines[body:]), body)


def experiments() -> list[Experiment]:
    """All of the book, in its order."""
    found = [read_experiment(path) for path in shelf("sessions").glob("*.pft")]
    return sorted((each for each in found if each is not None and each.number != TOUR), key=lambda each: each.order)


def tour() -> Experiment:
    """The introduction for who has never seen the program."""
    found = read_experiment(shelf("sessions") / f"{TOUR}.pft")
    assert found is not None, "the tour says what it is"
    return found


def chosen(numbers: list[str]) -> list[Experiment]:
    """The experiments of some sections, or by their names; none given, all of them."""
    book = experiments()
    found = []
    for number in numbers:
        matching = [each for each in book if number.lower() in (each.number, each.name)]
        matching = matching or [each for each in book if each.number.startswith((f"{number}.", f"{number}-"))]
        if not matching:
            known = ", ".join(dict.fromkeys(each.number for each in book))
            raise ParfitError(f"the book has no experiment {number!r}; it has {known}")
        found += matching
    return found if numbers else book
