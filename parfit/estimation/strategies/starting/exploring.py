"""Searches from places: a short one from each, and a long one from where the best of these have led."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from parfit.arrays import Array
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending, Evaluation, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, residuals
from parfit.estimation.strategies.starting.places import Place
from parfit.session.environment import Environment

SHORT, LONG = 12, 400  # evaluations of the problem


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


class Explorer:
    """The problems of an environment in the scalings that searches want: made once, and shared by all of them."""

    def __init__(self, env: Environment):
        self.env = env
        self._problems: dict[tuple[Scaling, ...], TrajectoryFit] = {}
        self.n_evaluations = 0

    def problem(self, place: Place) -> TrajectoryFit:
        """The problem in the scaling of a place."""
        found = self._problems.get(place.scaling)
        if found is None:
            scaling = dict(zip(self.env.model.parameters, place.scaling, strict=True))
            found = self.env.with_values(place.values).with_scaling(scaling).problem()
            self._problems[place.scaling] = found
        return found

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
            if not problem.evaluate(search.p).usable:
                self.n_evaluations += 1
                return search
            settings = bounded.Settings(max_evaluations=most)
            found = bounded.minimize(problem, search.p, settings, map_.active_bounds, clock)
        if found.ending is Ending.INTERRUPTED and not clock.is_over:
            raise KeyboardInterrupt
        self.n_evaluations += found.n_evaluations
        limit = found.n_evaluations if clock.is_over else most
        at, values, n = found.evaluation, map_.expand(found.p), search.n_evaluations + found.n_evaluations
        left = left_at(problem, at)
        return Search(search.place, at.sum_of_squares, found.p, values, left, (*search.limits, limit), n)


def left_at(problem: TrajectoryFit, at: Evaluation) -> Array:
    """The weighted residuals of the observations alone, whatever noise models and priors make of them."""
    if not problem.noise or at.trajectory is None:
        return at.residuals
    return residuals(at.trajectory, problem.observations)


class _Clock:
    """Sees the trials of a search, and ends it after some seconds of processor time."""

    def __init__(self, seconds: float):
        self._last, self.is_over = time.process_time() + seconds, False

    def __call__(self, trial: Trial) -> None:
        if time.process_time() > self._last:
            self.is_over = True
            raise KeyboardInterrupt


def _point(map_: ParameterMap, place: Place) -> Array:
    return np.array([place.scaling[k].scaled(place.values[k]) for k in map_.active])
