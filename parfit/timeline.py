"""The environments of a session one after another, for UNDO and REDO."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parfit.environment import Environment
from parfit.errors import StateError

MAX_PAST = 1000  # environments that UNDO can go back to, and changes that are remembered


@dataclass(frozen=True, eq=False)
class Change:
    """What a command has made of an environment."""

    before: Environment
    after: Environment


@dataclass(frozen=True, eq=False)
class Failure:
    """A line that has led to nothing at an environment, and why."""

    env: Environment
    line: str
    reason: str


@dataclass(frozen=True, eq=False)
class Timeline:
    """The environments of a session: those before, the present one, and those that were undone.

    `made` remembers every change in order of time, also those that were undone and cannot be done again; `failed`
    what was tried and changed nothing.
    """

    present: Environment
    past: tuple[Environment, ...] = ()
    future: tuple[Environment, ...] = ()
    made: tuple[Change, ...] = ()
    failed: tuple[Failure, ...] = ()

    def then(self, env: Environment) -> Timeline:
        """What follows on a change."""
        made = (*self.made, Change(self.present, env))[-MAX_PAST:]
        return Timeline(env, (*self.past, self.present)[-MAX_PAST:], made=made, failed=self.failed)

    def without_effect(self, line: str, reason: str) -> Timeline:
        """What follows on a command that changed nothing: the memory of it."""
        return replace(self, failed=(*self.failed, Failure(self.present, line, reason))[-MAX_PAST:])

    def back(self, n: int) -> Timeline:
        """Undo n changes."""
        if n > len(self.past):
            raise StateError(f"{_changes(len(self.past))} can be undone")
        steps = (*self.past, self.present, *self.future)
        return self._at(steps, len(self.past) - n)

    def forward(self, n: int) -> Timeline:
        """Redo n changes."""
        if n > len(self.future):
            raise StateError(f"{_changes(len(self.future))} can be redone")
        steps = (*self.past, self.present, *self.future)
        return self._at(steps, len(self.past) + n)

    def _at(self, steps: tuple[Environment, ...], k: int) -> Timeline:
        return Timeline(steps[k], steps[:k], steps[k + 1 :], self.made, self.failed)


def _changes(n: int) -> str:
    return "nothing" if n == 0 else "only one change" if n == 1 else f"only {n} changes"
