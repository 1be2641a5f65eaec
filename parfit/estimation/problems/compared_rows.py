"""Where the observations are in a trajectory, and what is compared with them: residuals and quantities there."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.parameters import ParameterMap
from parfit.kernel.residuals import BY_PARAMETER_SIZE, BY_ROW, Residuals, sum_of_squares
from parfit.model.calculus.structure import used
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Reason, Status
from parfit.simulation.trajectory import Integrator, Trajectory, status_of

MOST_READY = 16  # places of observations that wait for who asks for the same again


class NotFinite(Status):
    """The equations were integrated, but something that is compared with the observations is no number."""

    def __str__(self) -> str:
        if self.state is None:
            return "the sum of squares of the residuals is too large for a number"
        return f"{self.state} or its derivative by a parameter is not a finite number at t = {self.time:.6g}"


class TooLarge(Status):
    """A parameter is infinite in its own units."""

    def __str__(self) -> str:
        return "a scaled parameter is too large for a number"


def _used(simulator: Integrator, observations: Observations) -> NDArray[np.bool_]:
    """Whether anything observed depends on a parameter, (n_active,).

    Solving for all states together leaves rounding errors where their derivatives should be 0.
    """
    active = simulator.compiled.active
    if not isinstance(simulator, Simulator):  # break points have parameters that are in no equation
        return np.ones(len(active), dtype=bool)
    depended_on = used(simulator.model, tuple(observations.names))
    return np.array([k in depended_on for k in active], dtype=bool)


@lru_cache(maxsize=MOST_READY)
def observation_rows(simulator: Integrator, observations: Observations) -> ObservationRows:
    """Computed once: a fit takes residuals again and again, and so does who judges it."""
    return ObservationRows(simulator, observations)


@lru_cache(maxsize=MOST_READY)
def rows_in_kernel(rows: ObservationRows, simulator: Simulator, parameters: ParameterMap) -> Residuals | None:
    """What is compared, for the kernel; None if nothing is, or if there are two ways to integrate."""
    return rows.in_kernel(simulator, parameters)


class ObservationRows:
    """Where the observations are in a trajectory; `observation_rows` makes them."""

    def __init__(self, simulator: Integrator, observations: Observations):
        self._simulator, model = simulator, simulator.model
        seen = observations.observed
        rows, columns = np.nonzero(seen)
        at = np.searchsorted(simulator.times, observations.times)[rows]
        variables = [*model.states, *(name for name, _ in model.aux)]
        where = [variables.index(name) for name in observations.names]
        self._states_only = all(k < len(model.states) for k in where)
        self._at, self._where = at.astype(np.intc), np.array(where, dtype=np.intc)[columns]
        self._values = observations.values[seen]
        self._weights = observations.weights[seen]
        self._times, self._names, self._columns = observations.times[rows], observations.names, columns
        self._used = _used(simulator, observations)
        found = simulator.times.take(at, mode="clip")
        self.missing = self._times[found != self._times]  # times of observations that a trajectory does not have

    @cached_property
    def _flat(self) -> NDArray[np.intp]:
        """Where the observations are in all numbers of a trajectory, one row after another."""
        model = self._simulator.model
        width = len(model.states) + (0 if self._states_only else len(model.aux))
        flat: NDArray[np.intp] = self._at.astype(np.intp) * width + self._where
        return flat

    def rows(self, run: Trajectory, slopes: Array) -> tuple[Array, Array | None]:
        """Residuals, and their derivatives by scaled parameters if the trajectory has sensitivities."""
        y, s = run.y, run.s
        if not self._states_only:
            y = np.concatenate((y, run.aux), axis=1)
            s = None if s is None or run.aux_s is None else np.concatenate((s, run.aux_s), axis=1)
        with np.errstate(all="ignore"):  # what is no number is told by who looks at the rows
            f = self._weights * (y.ravel()[self._flat] - self._values)
            if s is None:
                return f, None
            jac = self._weights[:, np.newaxis] * s.reshape(-1, s.shape[2])[self._flat] * slopes
        jac[:, ~self._used] = 0.0
        return f, jac

    @cached_property
    def size(self) -> float:
        """The length of all that is observed, weighted."""
        return math.sqrt(sum_of_squares(self._weights * self._values))

    def quantity(self, run: Trajectory, slopes: Array | None, name: str) -> tuple[Array, Array | None]:
        """A state, an aux quantity or a parameter at the observations, and its derivatives by scaled parameters."""
        if name in run.model.parameters:
            return self._parameter(run, slopes, run.model.parameters.index(name))
        values = run.column(name)[self._at]
        return values, None if slopes is None else run.sensitivity(name)[self._at] * slopes

    def _parameter(self, run: Trajectory, slopes: Array | None, k: int) -> tuple[Array, Array | None]:
        values = np.full(self._at.size, run.parameters[k])
        if slopes is None:
            return values, None
        by = np.zeros((self._at.size, slopes.size))
        if k in run.active:
            by[:, run.active.index(k)] = slopes[run.active.index(k)]
        return values, by

    def in_kernel(self, simulator: Simulator, parameters: ParameterMap) -> Residuals | None:
        """See `rows_in_kernel`."""
        if not self._values.size or isinstance(simulator.integrator, partial):
            return None
        compiled = simulator.compiled
        rows = (self._at, self._where, self._weights, self._values, self._used)
        outputs = (None, None) if self._states_only else (compiled.outputs, compiled.output_patterns)
        return Residuals(simulator.integrator, parameters.kernel, *rows, *outputs)

    def status(self, fault: int, row: int, reason: int, time: float, state: int) -> Status:
        """From what the kernel says of an evaluation."""
        if fault == BY_PARAMETER_SIZE:  # a scaled parameter has gone too far, and the equations did not notice
            return TooLarge(Reason.START)
        return self.fault_at(row) if fault == BY_ROW else status_of(self._simulator, reason, time, state)

    def fault(self, f: Array, jac: Array) -> NotFinite:
        """What is wrong with residuals and Jacobian that are not all finite."""
        wrong = np.flatnonzero(~(np.isfinite(f) & np.isfinite(jac).all(axis=1)))
        return self.fault_at(int(wrong[0]) if wrong.size else -1)

    def fault_at(self, row: int) -> NotFinite:
        """That a row is wrong, or all of them together (-1)."""
        if row < 0:
            return NotFinite(Reason.NOT_FINITE)
        return NotFinite(Reason.NOT_FINITE, float(self._times[row]), self._names[self._columns[row]])
