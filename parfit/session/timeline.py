"""The environments of a session one after another, for UNDO and REDO."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

MAX_PAST = 1000  # environments that UNDO can go back to, and changes that are remembered
MAX_HELD = 16 * 2**20  # bytes of solutions that are kept for it; older ones are computed again when they are needed


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
        past = (*self.past, self.present)[-MAX_PAST:]
        return Timeline(env, past, made=made, failed=self.failed)._within(MAX_HELD)

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
        return Timeline(steps[k], steps[:k], steps[k + 1 :], self.made, self.failed)._within(MAX_HELD)

    def _within(self, limit: int) -> Timeline:
        """The same, the solutions of environments further away put away if they take more memory than the limit."""
        held = 0
        for trajectory in self.trajectories():
            held += trajectory.held
            if held > limit and trajectory is not _solution(self.present):
                held -= trajectory.held
                trajectory.put_away()
        return self

    def trajectories(self) -> Iterator[Trajectory]:
        """Every solution once: that of the present, then those that are most likely to be wanted first."""
        changed = (env for change in reversed(self.made) for env in (change.after, change.before))
        seen: set[int] = set()
        failed = (each.env for each in reversed(self.failed))
        for env in (self.present, *reversed(self.past), *self.future, *changed, *failed):
            found = _solution(env)
            if found is not None and id(found) not in seen:
                seen.add(id(found))
                yield found


def _solution(env: Environment) -> Trajectory | None:
    return None if env.integration is None else env.integration.trajectory


def _changes(n: int) -> str:
    return "nothing" if n == 0 else "only one change" if n == 1 else f"only {n} changes"
