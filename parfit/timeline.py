"""The environments of a session one after another, for UNDO and REDO."""

from __future__ import annotations

from dataclasses import dataclass

from parfit.environment import Environment
from parfit.errors import StateError

MAX_PAST = 1000  # environments that UNDO can go back to, and changes that are remembered


@dataclass(frozen=True, eq=False)
class Change:
    """What a command has made of an environment."""

    before: Environment
    after: Environment


@dataclass(frozen=True, eq=False)
class Timeline:
    """The environments of a session: those before, the present one, and those that were undone.

    `made` remembers every change in order of time, also those that were undone and cannot be done again.
    """

    present: Environment
    past: tuple[Environment, ...] = ()
    future: tuple[Environment, ...] = ()
    made: tuple[Change, ...] = ()

    def then(self, env: Environment) -> Timeline:
        """What follows on a change."""
        made = (*self.made, Change(self.present, env))[-MAX_PAST:]
        return Timeline(env, (*self.past, self.present)[-MAX_PAST:], made=made)

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
        return Timeline(steps[k], steps[:k], steps[k + 1 :], self.made)


def _changes(n: int) -> str:
    return "nothing" if n == 0 else "only one change" if n == 1 else f"only {n} changes"
