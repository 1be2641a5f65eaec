"""What may be typed next, with a line of help for each word: all of it from the table of commands and the environment.

At a question, what it takes is offered; on the line of a command, what any of its questions may take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from parfit.commands.help_text import FORMAT_TOPIC, STRATEGY
from parfit.commands.table import Table
from parfit.errors import CommandError
from parfit.model.naming import base_of
from parfit.session.environment import Environment
from parfit.session.questions import Question, quoted
from parfit.terminal.files import files_like
from parfit.text.report import number

LAST_WORD = re.compile(r'[^\s,="]*\Z')  # as the words of a line are parted
FILES = "files"  # the names that a question for a file takes
LOADED = {"MODEL": {"model", "folder"}, "DATA": {"data", "file", "folder"}}  # what kinds of files LOAD wants then
SENTENCES = re.compile(r"(?<=[.;:])\s+|\n")


class Offer(NamedTuple):
    """A word that could stand in place of the last `replaces` characters, and what it is."""

    word: str
    help: str
    replaces: int


Word = tuple[str, str]  # and its help
Names = Callable[[Environment], Iterable[Word]]


def words_for(text: str, table: Table, env: Environment, asked: Question | None = None) -> list[Offer]:
    """What could follow on the text of a line, up to its last word; `asked` is the question it answers, if any."""
    if asked is not None:
        return _answers(text, env, [asked])
    first, *rest = re.split(r"\s+", text.lstrip(), maxsplit=1)
    if not rest:
        return _beginning(text, _commands(table))
    try:
        command = table.find("HELP" if first == "?" else first)
    except CommandError:
        return []
    if command.name == "TRY":  # a command follows
        return words_for(rest[0], table, env)
    if command.name == "LOAD" and (wanted := _wanted(rest[0])):
        return [Offer(*each) for each in files_like(rest[0]) if each[1] in wanted]
    return _topics(rest[0], table) if command.name == "HELP" else _answers(rest[0], env, command.questions)


def _answers(text: str, env: Environment, asked: Sequence[Question]) -> list[Offer]:
    """What any of some questions may take, names first."""
    words = [word for each in asked for word in (*_menu(each), *NAMES[each.names](env))]
    words += [word for each in asked for word in _words(each)]
    found = _beginning(text, words)
    if any(each.names == FILES for each in asked):
        found += [Offer(*each) for each in files_like(text)]
    return found


def _beginning(text: str, words: Iterable[Word]) -> list[Offer]:
    """The words that begin like the last one of a text, each once."""
    quote = text.rfind('"') if text.count('"') % 2 else None
    last = LAST_WORD.search(text)
    start = text[quote:] if quote is not None else last[0] if last else ""
    found: dict[str, str] = {}
    for word, help in words:
        if word.strip('"').lower().startswith(start.strip('"').lower()):
            found.setdefault(word, help)
    return [Offer(word, help, len(start)) for word, help in found.items()]


def _topics(text: str, table: Table) -> list[Offer]:
    """What HELP explains: commands, the questions of a command, and how they work together."""
    first, *rest = re.split(r"\s+", text, maxsplit=1)
    if not rest:
        return _beginning(
            text,
            [
                *_commands(table),
                (STRATEGY, "which command helps when"),
                (FORMAT_TOPIC, "how model and data are written"),
            ],
        )
    try:
        asked = table.find(first).questions
    except CommandError:
        return []
    (start,) = rest
    found = [each for each in asked if each.label.lower().startswith(start.lower())]
    return [Offer(each.label, _first_line(each.text), len(start)) for each in found]


def _wanted(text: str) -> set[str]:
    """The kinds of files that LOAD wants once it was said what is to be loaded."""
    text = text[: text.rfind('"')] if text.count('"') % 2 else text
    said = text.split() if text.endswith(" ") else text.split()[:-1]
    words = [name for name in LOADED if said and name.startswith(said[0].upper())]
    return LOADED["DATA" if len(said) > 1 else words[0]] if words else set()


# ---- words


def _menu(question: Question) -> list[Word]:
    return [(item.word, f"{item.number}: {item.text.lower()}") for item in question.menu]


def _words(question: Question) -> Iterator[Word]:
    """What else can be typed, each with the sentence of the help that speaks of it, if one does."""
    sentences = SENTENCES.split(question.help)
    for word in question.words:
        yield word, next((each for each in sentences if re.search(rf"\b{word}\b", each)), _first_line(question.text))


def _commands(table: Table) -> list[Word]:
    return [(each.name, each.summary) for each in table.commands]


def _parameters(env: Environment) -> Iterator[Word]:
    map_ = env.parameters
    for k, name in enumerate(map_.names):
        state = ["frozen"] * (k in map_.frozen) + [map_.scaling[k].word] * bool(map_.scaling[k])
        yield name, ", ".join([f"parameter {k + 1}, {number(map_.full[k])}", *state])
    for name in dict.fromkeys(base_of(each) for each in map_.names if each != base_of(each)):
        yield name, "parameter, in all experiments"


def _variables(env: Environment) -> Iterator[Word]:
    seen = () if env.observations is None else env.observations.names
    for k, name in enumerate(env.variables):
        kind = f"state {k + 1}" if k < len(env.model.states) else "aux quantity"
        yield name, f"{kind}, observed" if name in seen else kind
    for name in dict.fromkeys(base_of(each) for each in env.variables if env.model.parts):
        yield name, "in all experiments"


def _experiments(env: Environment) -> Iterator[Word]:
    off = {} if env.design is None else env.design.off
    for part in env.model.parts:
        yield quoted(part.name), "experiment, left out of fits" if part.name in off else "experiment"


def _marks(env: Environment) -> Iterator[Word]:
    for mark in env.marks:
        total = None if env.stale_sum(mark) else mark.sum_of_squares
        known = "" if total is None else f", sum of squares {number(total)}"
        yield quoted(mark.name), f"mark{known}"


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].lower()


# What the names are that questions take.
NAMES: dict[str, Names] = {
    "": lambda env: (),
    "parameters": _parameters,
    "variables": _variables,
    "marks": _marks,
    "experiments": _experiments,
    FILES: lambda env: (),  # which have an order of their own
}
