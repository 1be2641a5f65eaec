"""Minimizations that are parts of a strategy's work: what they are, who follows them, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from parfit.arrays import Array
from parfit.awaited import Awaited, known
from parfit.dataclass import dataclass
from parfit.estimation.loss import LeastSquares, Loss
from parfit.estimation.optimizers import marquardt
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem, Result, Trial
from parfit.estimation.trace import Trace, Tried
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Step


@dataclass(frozen=True, eq=False)
class Part:
    """A minimization that is about to begin."""

    env: Environment
    problem: Problem
    first: Evaluation  # where it begins
    fraction: float | None = None  # of the whole work that is done by then; None where this is all of it
    about: object = None  # which problem of several it is
    has_lambda: bool = True  # whether its steps have one that is worth showing
    loss: Loss = field(default_factory=LeastSquares)  # what is minimized


class Follower(Protocol):
    """Somebody who sees the trials of a minimization; what it raises ends it as Ctrl-C would."""

    @property
    def is_accepted(self) -> bool:
        """Whether no more is wanted than what was reached."""

    def __call__(self, trial: Trial, steps: Sequence[Step] | None) -> None:
        """Take notice of a trial, with the steps of its integration if the options ask for them."""


Watch = Callable[[Part], AbstractContextManager[Follower]]


@dataclass
class Waiting:
    """A follower who looks at no trial, and hears only where the search has ended."""

    hear: Callable[[Result], None]
    is_accepted = False

    def __call__(self, trial: Trial, steps: Sequence[Step] | None) -> None:
        """Passed over, if it is made at all because options ask for its steps."""


def unwatched(part: Part) -> AbstractContextManager[Follower]:
    """Nobody watches."""
    return nullcontext(Waiting(lambda result: None))


@dataclass
class _Teller:
    """Passes on the trials."""

    tell: Callable[[Trial], None]
    is_accepted = False

    def __call__(self, trial: Trial, steps: Sequence[Step] | None) -> None:
        self.tell(trial)


def telling(tell: Callable[[Trial], None]) -> Watch:
    """A watch that calls a function with every trial."""

    def watch(part: Part) -> AbstractContextManager[Follower]:
        return nullcontext(_Teller(tell))

    return watch


@dataclass(frozen=True, eq=False)
class Followed:
    """Where a search has ended, and what was tried: all of it, and up to the last step."""

    result: Result
    trace: Trace
    is_accepted: bool  # whether somebody wanted no more than what was reached

    @property
    def kept(self) -> Trace:
        """The same whenever as many steps are made."""
        return self.trace.up_to_last_step


def followed(part: Part, watch: Watch, minimize: Callable[[Callable[[Trial], None] | None], Result]) -> Followed:
    """Any search, by a function of what is to see its trials."""
    with watch(part) as follower:
        teller = _Passing(part, follower)
        result = minimize(teller if teller.is_needed else None)
        if isinstance(follower, Waiting):
            follower.hear(result)
    trace = Trace(part.loss.total(part.first), teller.with_steps(result.tried), part.about, part.loss.measure)
    return Followed(result, trace, follower.is_accepted)


@dataclass(frozen=True, eq=False)
class Minimized:
    """Where a minimization ended; `is_accepted` if somebody took what was reached."""

    result: Result
    trace: Trace
    is_accepted: bool


def minimized(
    part: Part,
    start: Array,
    settings: marquardt.Settings,
    parameters: ParameterMap,
    watch: Watch,
    needs_step: bool = True,
) -> Minimized:
    """Minimize by Marquardt's method; Ctrl-C raises KeyboardInterrupt, unless what was reached was accepted.

    To accept what no step has led to is the same as Ctrl-C, if a step is needed.
    """
    found = followed(part, watch, partial(marquardt.minimize, part.problem, start, settings, parameters))
    is_accepted = found.is_accepted and (found.result.n_iterations > 0 or not needs_step)
    if found.result.ending is Ending.INTERRUPTED and not is_accepted:
        raise KeyboardInterrupt
    return Minimized(found.result, found.kept if is_accepted else found.trace, is_accepted)


@runtime_checkable
class _Integrated(Protocol):
    """A problem whose evaluations integrate equations."""

    def steps(self, active: Array, every: int) -> list[Step]: ...


class _Passing:
    """Passes trials on, with the steps of their integrations if these are wanted."""

    def __init__(self, part: Part, follower: Follower):
        self._problem, self._follower = part.problem, follower
        options = part.env.options
        self._every = 0 if options.suppressed else options.output
        self._steps: list[tuple[Step, ...] | None] = []

    @property
    def is_needed(self) -> bool:
        """Whether anybody wants to see trials while they are made."""
        return bool(self._every) or not isinstance(self._follower, Waiting)

    def __call__(self, trial: Trial) -> None:
        self._steps.append(None)  # the trial counts, even if Ctrl-C comes before its steps are known
        self._steps[-1] = self._steps_at(trial.p)
        self._follower(trial, self._steps[-1])

    def _steps_at(self, p: Array) -> tuple[Step, ...] | None:
        """Those of the integration, if control parameters 1 and 2 want them."""
        if not self._every or not isinstance(self._problem, _Integrated) or not np.isfinite(p).all():
            return None
        return tuple(self._problem.steps(p, self._every))

    def with_steps(self, tried: Awaited[tuple[Tried, ...]]) -> Awaited[tuple[Tried, ...]]:
        """What was tried, with the steps that were taken."""
        if not self._every:
            return tried
        return known(tuple(replace(each, steps=steps) for each, steps in zip(tried(), self._steps, strict=True)))
