"""Values of one parameter tried one after the other, the others held or fitted at each: what needs no derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, total
from parfit.session.environment import Environment
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


@dataclass(frozen=True)
class Request:
    """Which parameter, between what values, how many of them, and whether the others are fitted at each."""

    parameter: str
    first: float
    last: float
    count: int = 20
    fitted: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """What was tried; the environment is at the best, if that is better than what there was."""

    request: Request
    env: Environment
    trials: Trials
    present: float  # the sum of squares there was, infinite if it could not be had

    @property
    def is_better(self) -> bool:
        return self.trials.best.sum_of_squares < self.present

    @property
    def is_at_end(self) -> bool:
        """Whether the best is at an end of the range, so that it may be better still beyond."""
        tried, best = self.trials.tried, self.trials.best
        falling = [tried[j] is best and best.sum_of_squares < tried[k].sum_of_squares for j, k in ((0, 1), (-1, -2))]
        map_, k = self.env.parameters, self.env.model.parameters.index(self.request.parameter)
        return any(falling) and best.value not in (map_.lower[k], map_.upper[k])


def scan(env: Environment, request: Request, tell: Callable[[float], None] = lambda part: None) -> Result:
    """Try values at equal distances, look closer at the best, and take it; `tell` hears what part is done."""
    problem, k = env.problem(), env.model.parameters.index(request.parameter)
    _check(env.parameters, k, request)
    now = problem.evaluate(problem.parameters.project(problem.parameters.point))
    values = np.linspace(request.first, request.last, request.count).tolist()
    found = try_values(problem, k, values, env.sizes, request.fitted, tell)
    result = Result(request, env, found, now.sum_of_squares if now.usable else np.inf)
    if not result.is_better:
        return result
    new = env.with_values(found.best.values)
    return replace(result, env=new.with_integration(new.simulator()(new.values, sensitivities=True)))


def _check(map_: ParameterMap, k: int, request: Request) -> None:
    """Refuse values that the parameter cannot have."""
    name, first, last = map_.names[k], request.first, request.last
    if not first < last:
        raise CommandError(f"the values must go up, but {last:g} is not larger than {first:g}")
    if first < map_.lower[k] or last > map_.upper[k]:
        raise CommandError(f"{name} has bounds, {map_.lower[k]:g} to {map_.upper[k]:g}; stay within them")
    if map_.scaling[k] and (first < 0.0 or (map_.scaling[k] is Scaling.LOGARITHM and first == 0.0)):
        raise CommandError(f"{name} is scaled, and has to stay positive", f"SCALE {name} NONE ends that")


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
        self._k, self._data, self._noise = k, problem.observations, problem.noise
        self._fitted = fitted and any(j != k for j in map_.active)
        self._map = replace(map_, frozen=map_.frozen | {k}) if self._fitted else map_
        active = self._map.active if self._fitted else ()
        how, ends = simulator.method, simulator.ends
        self._simulator = Simulator(simulator.model, simulator.times, how, active, scale, ends=ends)

    def __call__(self, value: float) -> Tried:
        full = self._map.full.copy()
        full[self._k] = value
        map_ = self._map.with_values(full)
        with np.errstate(all="ignore"):
            if not self._fitted:
                return Tried(value, self._held(full), full)
            problem = TrajectoryFit(self._simulator, map_, self._data, self._noise)
            start = map_.project(map_.point)
            if not problem.evaluate(start).usable:
                return Tried(value, np.inf, full)
            found = bounded.minimize(problem, start, bounded.Settings(), map_.active_bounds).unless_interrupted()
        return Tried(value, found.evaluation.sum_of_squares, map_.expand(found.p))

    def _held(self, full: Array) -> float:
        run = self._simulator(full)
        if not run.status:
            return np.inf
        found = total(run, self._data, self._noise)
        return found if np.isfinite(found) else np.inf
