"""What a command is, and how one is found by what was typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.model.textfile import nearest
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question, shown
from parfit.session.timeline import Timeline

Work = Callable[[Environment, Dialogue], "Environment | Timeline"]


@dataclass(frozen=True)
class Command:
    """A command: its work, and what help, completion and the README say of it."""

    name: str
    group: str
    work: Work
    questions: tuple[Question, ...]
    examples: tuple[str, ...]  # one-line forms
    needs: tuple[str, ...] = ()  # of `environment.NEEDS`, without which it is refused
    journaled: bool = True  # whether doing it again is part of playing a run again
    also: tuple[str, ...] = ()  # other words for it, which cannot be shortened

    @property
    def summary(self) -> str:
        """Its first sentence."""
        return self.help.split("\n", 1)[0]

    @property
    def help(self) -> str:
        return inspect.getdoc(self.work) or ""


def command(
    name: str,
    group: str,
    questions: Sequence[Question] = (),
    examples: Sequence[str] = (),
    needs: Sequence[str] = (),
    journaled: bool = True,
    also: Sequence[str] = (),
) -> Callable[[Work], Command]:
    """Make a command of a function; its docstring is its help."""

    def make(work: Work) -> Command:
        return Command(name, group, work, tuple(questions), tuple(examples), tuple(needs), journaled, tuple(also))

    return make


@dataclass(frozen=True)
class Entry:
    """A command that is not imported yet: its words, and its function below this package."""

    name: str
    home: str
    also: tuple[str, ...] = ()

    def command(self) -> Command:
        module, _, work = self.home.rpartition(".")
        found: Command = getattr(import_module(f"{__package__}.{module}"), work)
        return found


OF_MODELS = {"LOCAL", "AUX", "DOSE", "GLOBAL", "NUMBER", "REST"}  # what their lines begin with


class Table:
    """All commands, in the order in which they are listed."""

    def __init__(self, entries: Sequence[Command | Entry]):
        self._entries = tuple(entries)
        self._by_name = {word: each for each in entries for word in (each.name, *each.also)}

    @property
    def commands(self) -> tuple[Command, ...]:
        """All of them, imported."""
        return tuple(map(_imported, self._entries))

    @property
    def words(self) -> list[str]:
        """All words that begin a command, in full."""
        return list(self._by_name)

    def find(self, typed: str) -> Command:
        """The command of a name, or of the beginning of one that no other begins with."""
        word = typed.upper()
        if word in self._by_name:
            return _imported(self._by_name[word])
        found = [each for each in self._entries if each.name.startswith(word)]
        if len(found) == 1:
            return _imported(found[0])
        if found:
            raise CommandError(f"{shown(typed)} could be {' or '.join(each.name for each in found)}; type more of it")
        near = nearest(word, self._by_name)
        hint = f"did you mean {near}?" if near else "HELP lists the commands"
        if word in OF_MODELS:
            hint = f"it begins a line of the model, which MODEL {typed} ... adds"
        raise CommandError(f"there is no command {shown(typed)}; {hint}")

    def has(self, word: str) -> bool:
        """Whether a word is the full name of a command, or another word for one."""
        return word.upper() in self._by_name

    def groups(self) -> dict[str, list[Command]]:
        """The commands by group."""
        found: dict[str, list[Command]] = {}
        for each in self.commands:
            found.setdefault(each.group, []).append(each)
        return found


def _imported(entry: Command | Entry) -> Command:
    return entry.command() if isinstance(entry, Entry) else entry
