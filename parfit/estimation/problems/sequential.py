"""Sequential reestimation (thesis, section 5.2): the observations in batches, each of which corrects the parameters.

A batch is integrated from the end of the one before. What the earlier batches say enters its least-squares problem
through their linearization at the estimates they led to (5.2.10), and so do the states from which it begins (5.2.5).
All is linear in the scaled active parameters, as the optimizer sees them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.errors import CommandError, StateError
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation, Result
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Step

# In place of a slope of 0 (a square root at 0): derivatives by the scaled parameter are carried on through those by
# the unscaled one, and the equations for these are linear, so that any other number does; this one leaves no trace.
LEAST_SLOPE = 1e-100


@dataclass(frozen=True, eq=False)
class History:
    """The batches before, linearized: residuals and final states as linear functions of the parameters."""

    p: Array  # (n_active,), scaled: the estimate at which the latest batch was linearized
    residuals: Array  # (n_residuals,) of all batches, at p
    jac: Array  # (n_residuals, n_active)
    y: Array  # (n_states,), at the end of the latest batch
    s: Array  # (n_states, n_active), by the scaled parameters

    def residuals_at(self, active: Array) -> Array:
        """The upper part of (5.2.10)."""
        found: Array = self.residuals + self.jac @ (active - self.p)
        return found

    def states_at(self, active: Array) -> Array:
        """(5.2.5)."""
        found: Array = self.y + self.s @ (active - self.p)
        return found


class Batch(TrajectoryFit):
    """The least-squares problem of one batch and the history before it; without a history, the direct problem."""

    kernel = None  # which does not know of histories

    def __init__(
        self, simulator: Simulator, parameters: ParameterMap, observations: Observations, history: History | None
    ):
        super().__init__(simulator, parameters, observations)
        self.history = history

    def _evaluated(self, active: Array) -> Evaluation:
        if self.history is None:
            return super()._evaluated(active)
        before, slopes = self.history, self._slopes(active)
        with np.errstate(over="ignore", invalid="ignore"):  # far away; the integration says so
            start, s_start = before.states_at(active), before.s / slopes
            earlier = before.residuals_at(active)
        run = self.simulator(self.parameters.expand(active), True, start, s_start)
        f, jac = self._rows.rows(run, slopes)
        assert jac is not None
        found = Evaluation(np.concatenate((earlier, f)), np.concatenate((before.jac, jac)), run.status, run)
        return found if found.usable or not run.status else replace(found, status=self._rows.fault(f, jac))

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration of the batch, one in `every`."""
        start = None if self.history is None else self.history.states_at(active)
        return self.simulator.steps(self.parameters.expand(active), every, start)

    def _slopes(self, active: Array) -> Array:
        slopes = self.parameters.slopes(active)
        return np.where(np.abs(slopes) < LEAST_SLOPE, LEAST_SLOPE, slopes)

    def linearized(self, active: Array) -> History:
        """The history for the next batch, at the estimate that this one has led to."""
        found = self.evaluate(active)
        run = found.trajectory
        assert run is not None
        assert run.s is not None
        return History(active, found.residuals, found.jac, run.y[-1], run.s[-1] * self._slopes(active))


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a batch has led to."""

    problem: Batch
    result: Result
    so_far: Evaluation  # of the direct problem of all batches up to this one

    @property
    def own_total(self) -> float:
        """The sum of squares of the batch alone, without the history."""
        history = self.problem.history
        f = self.result.evaluation.residuals[0 if history is None else history.residuals.size :]
        return float(f @ f)


@dataclass(frozen=True, eq=False)
class Batches:
    """A direct problem whose observations are taken batch by batch."""

    whole: TrajectoryFit
    ends: Array  # (n_batches,), the observation times at which batches end (5.2.1)
    scale: Array  # (n_states,), sizes of the states for the integration

    def __len__(self) -> int:
        return self.ends.size

    def next(self, done: Sequence[Estimate]) -> tuple[Batch, Array]:
        """The problem of the batch that follows, and where to begin: the first has no history."""
        k, map_ = len(done), self.whole.parameters
        if not done:
            return self._problem(0, None, None), map_.project(map_.point)
        p = done[-1].result.p
        return self._problem(k, float(self.ends[k - 1]), done[-1].problem.linearized(p)), p

    def so_far(self, k: int) -> TrajectoryFit:
        """The direct problem of batch k, from 0 on, and all before it."""
        return TrajectoryFit(self._simulator(None, k), self.whole.parameters, self._observations(None, k))

    def estimate(self, problem: Batch, result: Result, k: int) -> Estimate:
        """What batch k has led to."""
        return Estimate(problem, result, self.so_far(k).evaluate(result.p))

    def _problem(self, k: int, begin: float | None, history: History | None) -> Batch:
        return Batch(self._simulator(begin, k), self.whole.parameters, self._observations(begin, k), history)

    def _simulator(self, begin: float | None, k: int) -> Simulator:
        of = self.whole.simulator
        times = of.times[self._within(of.times, begin, k)]
        return Simulator(of.model, times, of.method, self.whole.parameters.active, self.scale, begin=begin)

    def _observations(self, begin: float | None, k: int) -> Observations:
        data = self.whole.observations
        rows = self._within(data.times, begin, k)
        sds = None if data.sds is None else data.sds[rows]
        return replace(data, times=data.times[rows], values=data.values[rows], weights=data.weights[rows], sds=sds)

    def _within(self, times: Array, begin: float | None, k: int) -> NDArray[np.bool_]:
        """Which times lie after `begin`, if there is one, and not after the end of batch k."""
        up_to: NDArray[np.bool_] = times <= self.ends[k]
        return up_to if begin is None else up_to & (times > begin)


# ---- where batches end


def observed_at(data: Observations) -> Array:
    """The times at which anything was observed, (n_times,)."""
    return np.unique(data.times[data.observed.any(axis=1)])


def times_needed(data: Observations, n_active: int) -> int:
    """How many observation times it takes until there are as many values that count as parameters (section 5.2)."""
    rows = np.count_nonzero(data.observed & (data.weights > 0.0), axis=1)
    found = [k for k, t in enumerate(observed_at(data), 1) if rows[data.times <= t].sum() >= n_active]
    if not found:
        raise StateError(
            f"only {rows.sum()} observations count, for {n_active} active parameters", "FREEZE some of these"
        )
    return found[0]


def ends_by_number(times: Array, first: int, size: int) -> Array:
    """Ends of batches: so many observation times in the first, so many in each that follows, the rest in the last."""
    ends: Array = times[np.append(np.arange(first - 1, times.size - 1, size), times.size - 1)]
    return ends


def ends_by_time(times: Array, given: Sequence[float], enough: int) -> Array:
    """Ends of batches as given, each moved back to the last observation time before it; the first needs `enough`."""
    if not given or given[0] < times[enough - 1]:
        raise CommandError(
            f"the first batch needs the observations up to t = {times[enough - 1]:g} for its parameters"
        )
    places = np.searchsorted(times, given, side="right") - 1
    for k in range(1, len(given)):
        if given[k] <= given[k - 1]:
            raise CommandError(f"the ends of batches must increase, but {given[k]:g} follows {given[k - 1]:g}")
        if places[k] == places[k - 1]:
            raise CommandError(f"nothing was observed between {given[k - 1]:g} and {given[k]:g}; choose other ends")
    ends: Array = times[places]
    return ends
