"""Values of one parameter tried one after the other, the others held or fitted at each: what needs no derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from parfit.arrays import Array
from parfit.estimation.optimizers import bounded
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, sum_of_squares
from parfit.simulation.simulator import Simulator

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
CLOSER = 16  # trials between the neighbours of the best: the interval shrinks to 1/1000


@dataclass(frozen=True, eq=False)
class Tried:
    """The sum of squares with a parameter at a value, infinite where nothing can be integrated."""

    value: float
    sum_of_squares: float
    values: Array  # of all parameters, (n_params,)


@dataclass(frozen=True, eq=False)
class Trials:
    """Values in their order, and the best of all, which may lie between two of them."""

    tried: tuple[Tried, ...]
    best: Tried


def try_values(
    problem: TrajectoryFit,
    k: int,
    values: Sequence[float],
    scale: Array | None = None,
    fitted: bool = False,
    tell: Callable[[float], None] = lambda part: None,
) -> Trials:
    """Try values of parameter k (subscript from 0), then look closer between the neighbours of the best.

    `scale` has the sizes of the states, (n_states,). With `fitted` the other active parameters are fitted by More's
    method at each value, from the problem's own values.
    """
    trial = _Trial(problem, k, scale, fitted)
    n, found = len(values) + CLOSER, []
    for number, value in enumerate(values):
        found.append(trial(value))
        tell((number + 1) / n)
    best = min(range(len(found)), key=lambda j: found[j].sum_of_squares)
    if not np.isfinite(found[best].sum_of_squares) or len(found) < 3:
        return Trials(tuple(found), found[best])
    around = found[max(best - 1, 0)].value, found[min(best + 1, len(found) - 1)].value
    closer = _closer(trial, found[best], *around, lambda part: tell((len(values) + part * CLOSER) / n))
    return Trials(tuple(found), closer)


def _closer(trial: _Trial, best: Tried, low: float, high: float, tell: Callable[[float], None]) -> Tried:
    """Golden section search; where F has steps, the best of what was tried."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    a, b = trial(left), trial(right)
    for j in range(CLOSER - 2):
        best = min(best, a, b, key=lambda each: each.sum_of_squares)
        if a.sum_of_squares <= b.sum_of_squares:
            high, right, b = right, left, a
            left = high - GOLDEN * (high - low)
            a = trial(left)
        else:
            low, left, a = left, right, b
            right = low + GOLDEN * (high - low)
            b = trial(right)
        tell((j + 3) / CLOSER)
    return min(best, a, b, key=lambda each: each.sum_of_squares)


class _Trial:
    """The problem with one parameter held, at any value of it."""

    def __init__(self, problem: TrajectoryFit, k: int, scale: Array | None, fitted: bool):
        map_, simulator = problem.parameters, problem.simulator
        self._k, self._data = k, problem.observations
        self._fitted = fitted and any(j != k for j in map_.active)
        self._map = replace(map_, frozen=map_.frozen | {k}) if self._fitted else map_
        active = self._map.active if self._fitted else ()
        self._simulator = Simulator(simulator.model, simulator.times, simulator.method, active, scale)

    def __call__(self, value: float) -> Tried:
        full = self._map.full.copy()
        full[self._k] = value
        map_ = replace(self._map, full=full)
        with np.errstate(all="ignore"):
            if not self._fitted:
                return Tried(value, self._held(full), full)
            problem = TrajectoryFit(self._simulator, map_, self._data)
            start = map_.project(map_.point)
            if not problem.evaluate(start).usable:
                return Tried(value, np.inf, full)
            found = bounded.minimize(problem, start, bounded.Settings(), map_.active_bounds).unless_interrupted()
        return Tried(value, found.evaluation.sum_of_squares, map_.expand(found.p))

    def _held(self, full: Array) -> float:
        run = self._simulator(full)
        if not run.status:
            return np.inf
        total = sum_of_squares(run, self._data)
        return total if np.isfinite(total) else np.inf
