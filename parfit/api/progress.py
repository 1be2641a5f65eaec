"""What is told while something runs, and where it stood when it was interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Result, Trial
from parfit.estimation.strategies.watching import Follower, Part, Waiting
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Step

PAUSE = 0.2  # seconds at least between two calls


@dataclass(frozen=True)
class Progress:
    """Where a search stands: its step, the sum of squares and the parameters there, and how much is done if known."""

    step: int
    sum_of_squares: float
    values: dict[str, float]
    fraction: float | None = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while something was running; `problem` has the best parameters that had been reached."""

    def __init__(self, problem: Any):
        self.problem = problem
        super().__init__("interrupted")


class Watching:
    """Follows the searches of a strategy: calls somebody now and then, and remembers the best point.

    `clock` gives seconds.
    """

    is_accepted = False

    def __init__(
        self,
        env: Environment,
        tell: Callable[[Progress], object] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._env = env  # the best so far,
        self._at: tuple[ParameterMap, Array] | None = None  # and where that is, if a search has led there
        self._tell, self._clock = tell, clock
        self._last = -PAUSE
        self._part: Part | None = None

    def __call__(self, part: Part) -> AbstractContextManager[Follower]:
        self._part = part
        return nullcontext(Waiting(self.hear) if self._tell is None else _Trials(self.see))

    def hear(self, result: Result) -> None:
        """Take notice of where a search has ended."""
        if result.n_iterations:
            self._stand_at(result.p)

    def see(self, trial: Trial) -> None:
        """Take notice of a trial."""
        if not trial.accepted:
            return
        self._stand_at(trial.p)
        fraction = None if self._part is None else self._part.fraction
        self.tell(trial.iteration, trial.evaluation.sum_of_squares, fraction)

    def _stand_at(self, p: Array) -> None:
        """Remember a point; beside the parameters it may hold other unknowns, and not all of them."""
        if self._part is not None:
            self._env = self._part.env
        self._at = getattr(self._part and self._part.problem, "parameters", self._env.parameters), p

    @property
    def _values(self) -> Array:
        """All parameters at the best point so far."""
        if self._at is None:
            return self._env.values
        map_, p = self._at
        return map_.expand(p[: len(map_.active)])[: len(self._env.model.parameters)]

    @property
    def best(self) -> Environment:
        """At the best point so far."""
        return self._env.with_values(self._values)

    def tell(self, step: int, sum_of_squares: float, fraction: float | None = None) -> None:
        """Call whoever wants to know, unless that was done a moment ago."""
        if self._tell is None or self._clock() - self._last < PAUSE:
            return
        self._last = self._clock()
        names, values = self._env.parameters.names, self._values.tolist()
        self._tell(Progress(step, sum_of_squares, dict(zip(names, values, strict=True)), fraction))


@dataclass
class _Trials:
    """Passes trials on."""

    see: Callable[[Trial], None]
    is_accepted = False

    def __call__(self, trial: Trial, steps: Sequence[Step] | None) -> None:
        self.see(trial)
