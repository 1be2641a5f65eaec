"""Searches from places: a short one from each, and a long one from where the best of these have led."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending, Evaluation, Problem, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, residuals
from parfit.estimation.strategies.starting.places import Place
from parfit.session.environment import Environment

SHORT, LONG = 12, 400  # evaluations of the problem
# Steps of an integration, and the fewest between two times: a solution that needs more moves so fast that no data can
# show it, and one such place would take the time of a hundred others.
MOST_STEPS, FEWEST_STEPS = 10_000, 200
# Steps that a solution may take where a search begins: at once, and for each time. An oscillation takes about thirty,
# so that more of them would be several between any two times.
ONCE, OFTEN = 500, 60


@dataclass(frozen=True, eq=False)
class Search:
    """Where a search from a place has come to; `limits` are the evaluations that its parts were allowed."""

    place: Place
    total: float  # what is minimized, there; infinite where nothing can be integrated
    p: Array  # scaled, (n_active,)
    values: Array  # of all parameters
    residuals: Array  # of the observations
    limits: tuple[int, ...] = ()
    n_evaluations: int = 0
    seconds: float = 0.0  # of processor time


class _Mapped(Problem, Protocol):
    """A problem that knows its parameters."""

    @property
    def parameters(self) -> ParameterMap: ...


P = TypeVar("P", bound=_Mapped)


class Searching(ABC, Generic[P]):
    """The problems of an environment in the scalings that searches want: made once, and shared by all of them."""

    def __init__(self, env: Environment):
        self.env = env
        self._problems: dict[tuple[Scaling, ...], P] = {}
        self.n_evaluations = 0

    def problem(self, place: Place) -> P:
        """The problem in the scaling of a place."""
        found = self._problems.get(place.scaling)
        if found is None:
            scaling = dict(zip(self.env.model.parameters, place.scaling, strict=True))
            found = self._problems[place.scaling] = self._made(
                self.env.with_values(place.values).with_scaling(scaling)
            )
        return found

    @abstractmethod
    def _made(self, env: Environment) -> P:
        """The problem of an environment."""

    def _is_hopeless(self, first: Evaluation) -> bool:
        """Whether a search need not even begin there."""
        return False

    def _left(self, problem: P, at: Evaluation) -> Array:
        """The residuals that tell whether something is explained."""
        return at.residuals

    def begun(self, place: Place) -> Search:
        """A search that has not gone anywhere yet."""
        map_ = self.problem(place).parameters
        p = map_.project(_point(map_, place))
        return Search(place, np.inf, p, place.values, np.empty(0))

    def gone_on(self, search: Search, most: int, seconds: float = np.inf) -> Search:
        """The same search after so many evaluations or seconds more, at most; Ctrl-C raises KeyboardInterrupt."""
        problem, clock = self.problem(search.place), _Clock(seconds)
        map_ = problem.parameters
        with np.errstate(all="ignore"):
            first = problem.evaluate(search.p)
            if not first.usable or (not search.limits and self._is_hopeless(first)):
                self.n_evaluations += 1
                return search
            settings = bounded.Settings(max_evaluations=most)
            found = bounded.minimize(problem, search.p, settings, map_.active_bounds, clock, first)
        if found.ending is Ending.INTERRUPTED and not clock.is_over:
            raise KeyboardInterrupt
        self.n_evaluations += found.n_evaluations
        limit = found.n_evaluations if clock.is_over else most
        at, values, n = found.evaluation, map_.expand(found.p), search.n_evaluations + found.n_evaluations
        limits, spent = (*search.limits, limit), search.seconds + clock.spent
        return Search(search.place, at.sum_of_squares, found.p, values, self._left(problem, at), limits, n, spent)


class Explorer(Searching[TrajectoryFit]):
    """Searches of the full problem; in a hurry integrations have fewer steps."""

    def __init__(self, env: Environment, in_a_hurry: bool = True):
        super().__init__(_hurried(env) if in_a_hurry else env)
        self.is_in_a_hurry, self.n_hopeless = in_a_hurry, 0
        self._most_steps = slow_steps(env.samples.times.size) if in_a_hurry else np.inf

    def _is_hopeless(self, first: Evaluation) -> bool:
        """Whether the solution moves so fast all the time that no data can show it."""
        is_fast = first.trajectory is not None and first.trajectory.counts.steps > self._most_steps
        self.n_hopeless += is_fast
        return is_fast

    def _made(self, env: Environment) -> TrajectoryFit:
        return env.problem()

    def _left(self, problem: TrajectoryFit, at: Evaluation) -> Array:
        return left_at(problem, at)


def slow_steps(n_times: int) -> int:
    """Steps beyond which a solution moves so fast all the time that no data at so many times can show it."""
    return ONCE + OFTEN * n_times


def _hurried(env: Environment) -> Environment:
    """With fewer steps in an integration."""
    method, n_times = env.options.method, max(env.samples.times.size - 1, 1)
    most = min(method.max_steps, max(MOST_STEPS // n_times, FEWEST_STEPS))
    return env.with_options(replace(env.options, method=replace(method, max_steps=most)))


def left_at(problem: TrajectoryFit, at: Evaluation) -> Array:
    """The weighted residuals of the observations alone, whatever noise models and priors make of them."""
    if not problem.noise or at.trajectory is None:
        return at.residuals
    return residuals(at.trajectory, problem.observations)


class _Clock:
    """Sees the trials of a search, and ends it after some seconds of processor time."""

    def __init__(self, seconds: float):
        self._first = time.process_time()
        self._last, self.is_over = self._first + seconds, False

    @property
    def spent(self) -> float:
        return time.process_time() - self._first

    def __call__(self, trial: Trial) -> None:
        if time.process_time() > self._last:
            self.is_over = True
            raise KeyboardInterrupt


def _point(map_: ParameterMap, place: Place) -> Array:
    return np.array([place.scaling[k].scaled(place.values[k]) for k in map_.active])
