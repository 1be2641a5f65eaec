"""The sequence of problems of multiple shooting (PEIDE, van Domselaar & Hemker 1975, section 6, algorithm A).

Each gives the gaps at break points a larger weight and leaves out break points that have become needless; the last is
the full problem. Beside the report: the first integration may fail or be worse than none, for then the tolerances take
the size of the observations; no relative tolerance is larger than `LOOSEST`; a problem that ends otherwise than by
convergence hands on what it has reached; and a break point without which nothing can be integrated stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem, Result
from parfit.estimation.problems.restarting import Restart
from parfit.estimation.problems.shooting import Shooting, shooting_problem
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.simulation.trajectory import Step

WEIGHTS = (1, 4, 9, 16)  # of the continuity conditions, one problem after the other (appendix I)
LOOSEST = 0.1  # appendix I is not free of scales: with large residuals every problem would end after its first step


class Tolerance(NamedTuple):
    """For one weight: where the minimization ends, and how small a gap is none before it begins."""

    weight: int
    relative: float  # of the sum of squares
    gap: float  # also of the norm of the residuals


def tolerances(norm: float, settings: Settings) -> list[Tolerance]:
    """Those of appendix I, page 25, from the norm of the first residuals and the last tolerances.

    They depend on the units of the residuals; unless the absolute tolerance was typed, these are the data's spread.
    """
    unit = float(np.sqrt(settings.spread)) if settings.atol is None and settings.spread else 1.0
    size, last = norm / unit, float(np.sqrt(settings.least_fall)) / unit
    rtol, gap, found = size, size, []
    for weight in WEIGHTS:
        rtol *= (settings.rtol / size) ** 0.25 * weight
        gap *= (last / size) ** 0.25 * weight
        found.append(Tolerance(weight, min(rtol, LOOSEST), float(gap * unit)))
    return found


@dataclass(frozen=True, eq=False)
class Stage:
    """One problem of the sequence, solved. Weight 0 is that of the full problem."""

    weight: int
    times: tuple[float, ...]  # of the break points
    result: Result
    gap: float  # the largest that is left, weighted as the observations
    improvement: float  # of the norm of the residuals by the last step
    n_integrations: int


@dataclass(frozen=True, eq=False)
class StageSequence:
    """The problems that were solved, the full one last; or those up to one that cannot be integrated at its start."""

    first: float  # the sum of squares without break points; infinite where it cannot be integrated
    needless: tuple[float, ...]  # break points that were left out before anything was minimized
    stages: tuple[Stage, ...]
    n_integrations: int

    @property
    def last(self) -> Stage:
        return self.stages[-1]


# Minimizes a problem with so large a weight and break points at these times, from where its parameters are.
Minimizer = Callable[[Problem, ParameterMap, Settings, int, Sequence[float]], Result]


def by_marquardt(
    problem: Problem, parameters: ParameterMap, settings: Settings, weight: int, times: Sequence[float]
) -> Result:
    """Minimize without telling anybody."""
    return marquardt.minimize(problem, parameters.point, settings, parameters)


def solve_in_stages(
    direct: TrajectoryFit,
    restarts: Sequence[Restart],
    settings: Settings | None = None,
    scale: Array | None = None,
    minimize: Minimizer = by_marquardt,
) -> StageSequence:
    """Algorithm A: solve the problems with break points, then the full one.

    Lambda is relative to the square of the Jacobian's norm or, if it is left to the program, to that of each column.
    An interrupted minimization raises KeyboardInterrupt.
    """
    sequence = _Sequence(direct, (settings or Settings()).among(direct.spread), minimize)
    needless = sequence.with_breaks(shooting_problem(direct, restarts, scale)) if restarts else ()
    if sequence.can_go_on:
        sequence.solve_full()
    return StageSequence(sequence.first.sum_of_squares, needless, tuple(sequence.stages), sequence.tally.n)


@dataclass
class _Tally:
    """The integrations of all problems together."""

    n: int = 0


class _Counted:
    """A problem that counts its integrations and remembers the latest, and what the last success was worth."""

    def __init__(
        self, problem: TrajectoryFit | Shooting, tally: _Tally, known: tuple[Array, Evaluation] | None = None
    ):
        self.problem, self._tally, self._known = problem, tally, known
        self.forget_successes()

    def forget_successes(self) -> None:
        self._best, self.improvement = np.inf, 0.0

    def steps(self, active: Array, every: int) -> list[Step]:
        """Those of the integration of the problem itself."""
        return self.problem.steps(active, every)

    def evaluate(self, active: Array) -> Evaluation:
        if self._known is None or not np.array_equal(active, self._known[0]):
            self._tally.n += 1
            self._known = active.copy(), self.problem.evaluate(active)
        found = self._known[1]
        norm = float(np.sqrt(found.sum_of_squares))
        if norm < self._best:
            self._best, self.improvement = norm, self._best - norm if np.isfinite(self._best) else 0.0
        return found


class _Sequence:
    """The problems as they are solved, one after the other."""

    def __init__(self, direct: TrajectoryFit, settings: Settings, minimize: Minimizer):
        self.settings, self.minimize = settings, minimize
        self.tally, self.stages = _Tally(), list[Stage]()
        self._map, self._observations = direct.parameters, direct.observations
        self._full = _Counted(direct, self.tally)
        self.first = self._full.evaluate(self._map.project(self._map.point))
        self._lam: float | None = None
        self._n_told = 0  # integrations that are in the stages

    @property
    def can_go_on(self) -> bool:
        return not self.stages or self.stages[-1].result.ending is not Ending.START

    def with_breaks(self, problem: Shooting) -> tuple[float, ...]:
        """Solve the problems with break points; gives those that were left out at once (blocks A2 and A3)."""
        plan = tolerances(_size(self.first, self._observations, self.settings), self.settings)
        counted = _Counted(problem, self.tally)
        p = problem.parameters.project(problem.parameters.point)
        start = counted.evaluate(p)
        needless = _needless(problem, start, plan[0]) if start.usable else ()
        if needless:
            problem, counted = self._following(problem, needless, plan[0], p, start)
        for tolerance, following in pairwise([*plan, None]):
            if not problem.break_times:
                break
            assert tolerance is not None
            result = self._solve(counted, problem.parameters, tolerance.weight, problem.break_times, tolerance)
            if following is None or not self.can_go_on:
                break
            now = _needless(problem, result.evaluation, following)
            problem, counted = self._following(problem, now, following, result.p, result.evaluation)
        return needless

    def _following(
        self, problem: Shooting, needless: Sequence[float], tolerance: Tolerance, p: Array, at: Evaluation
    ) -> tuple[Shooting, _Counted]:
        """The next problem: without needless break points, unless it cannot be integrated without them."""
        if needless:
            shorter = problem.without(needless, tolerance.weight, p)
            counted = _Counted(shorter, self.tally) if shorter.break_times else self._full
            if counted.evaluate(shorter.parameters.point).usable:
                return shorter, counted
        same = problem.reweighted(tolerance.weight, p)
        return same, _Counted(same, self.tally, (p, problem.at_weight(tolerance.weight, at)))

    def solve_full(self) -> None:
        """The problem without break points, from where those before it have led (block A4)."""
        map_ = self._map
        if self.stages:
            map_ = map_.moved(self.stages[-1].result.p[: len(map_.active)])
        self._solve(self._full, map_, 0, ())

    def _solve(
        self,
        problem: _Counted,
        map_: ParameterMap,
        weight: int,
        times: tuple[float, ...],
        tolerance: Tolerance | None = None,
    ) -> Result:
        problem.forget_successes()
        settings = self._begun(problem.evaluate(map_.project(map_.point)))
        if tolerance is not None:
            settings = replace(settings, rtol=tolerance.relative, atol=tolerance.gap**2)
        result = self.minimize(problem, map_, settings, weight, times)
        if result.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        self._lam = result.lam
        inner = problem.problem
        gap = float(inner.gaps(result.evaluation).max()) if isinstance(inner, Shooting) else 0.0
        n, self._n_told = self.tally.n - self._n_told, self.tally.n
        self.stages.append(Stage(weight, times, result, gap, problem.improvement, n))
        return result

    def _begun(self, start: Evaluation) -> Settings:
        """With the lambda used last; the first that was typed is relative to the square of the Jacobian's norm."""
        settings = self.settings
        if settings.is_relative:
            return settings if self._lam is None else replace(settings, relative=self._lam)
        if self._lam is not None or not start.usable:
            return replace(settings, lam=self._lam or 0.0)
        norm = start.jac.shape[1] if settings.scaled else float(np.sum(start.jac**2))
        return replace(settings, lam=settings.first_lambda * norm)


def _needless(problem: Shooting, at: Evaluation, tolerance: Tolerance) -> tuple[float, ...]:
    """Break points whose gaps are as good as none."""
    sizes = zip(problem.break_times, problem.gaps(at), strict=True)
    return tuple(time for time, gap in sizes if gap < tolerance.gap)


def _size(first: Evaluation, observations: Observations, settings: Settings) -> float:
    """The norm of the first residuals; that of the observations, if the solution is further from them than 0 is.

    Unless the absolute tolerance was typed, it is their spread that counts.
    """
    largest = float(np.linalg.norm(np.nan_to_num(observations.values) * observations.weights))
    if settings.atol is None:
        largest = float(np.sqrt(settings.spread))
    return min(float(np.sqrt(first.sum_of_squares)), largest) or 1.0
