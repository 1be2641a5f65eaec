"""The least-squares problem of multiple shooting (PEIDE, van Domselaar & Hemker 1975, section 5).

The equations are integrated from break point to break point. At each the observed states begin anew at values that
are parameters too, and the gaps between these and what arrives there are further residuals, weighted as observations
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.restarting import Restart, Restarting, extended_map, extended_model
from parfit.estimation.problems.trajectory_fit import Compared, TrajectoryFit
from parfit.simulation.trajectory import Step


class Shooting:
    """The least-squares problem with break points: residuals, then weighted gaps (section 5).

    `parameters` are those of the extended model; values at break points that are no longer used are frozen.
    """

    def __init__(self, simulator: Restarting, parameters: ParameterMap, observations: Observations, weight: int = 1):
        self.simulator, self.parameters, self.observations, self.weight = simulator, parameters, observations, weight
        self._compared = Compared(simulator, parameters, observations)
        used, active = simulator.used, parameters.active
        self._rows = simulator.rows_before()
        self._states = np.array([each.state for _, each in used], dtype=np.intp)
        self._weights = np.array([each.weight for _, each in used])
        self._columns = np.array([active.index(k) for k, _ in used], dtype=np.intp)

    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and gaps with their derivatives, from one integration of all segments."""
        found = self._compared.evaluate(active)
        run = found.trajectory
        assert run is not None
        assert run.s is not None
        weights = self.weight * self._weights
        with np.errstate(all="ignore"):  # what is not finite makes no step
            jac = run.s[self._rows, self._states] * self.parameters.slopes(active)
            jac[np.arange(self._columns.size), self._columns] -= 1.0
            gaps = run.y[self._rows, self._states] - active[self._columns]
            f = np.concatenate((found.residuals, weights * gaps))
            jac = np.concatenate((found.jac, weights[:, np.newaxis] * jac))
        return Evaluation(f, jac, found.status, run)

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration of all segments, one in `every`."""
        return self.simulator.steps(self.parameters.expand(active), every)

    def gaps(self, evaluation: Evaluation) -> Array:
        """Sizes of the gaps in units of the observations' errors, the largest of each break point, (n_breaks,)."""
        sizes = np.abs(evaluation.residuals[evaluation.residuals.size - self._rows.size :]) / self.weight
        times = np.array([each.time for _, each in self.simulator.used])
        return np.array([sizes[times == time].max() for time in self.simulator.break_times])

    @property
    def break_times(self) -> tuple[float, ...]:
        return tuple(self.simulator.break_times)

    def reweighted(self, weight: int, p: Array) -> Shooting:
        """The same with another weight, to begin at other parameters."""
        return Shooting(self.simulator, self.parameters.moved(p), self.observations, weight)

    def at_weight(self, weight: int, old: Evaluation) -> Evaluation:
        """What an evaluation would be with another weight."""
        factors = np.ones(old.residuals.size)
        factors[factors.size - self._rows.size :] = weight / self.weight
        return Evaluation(factors * old.residuals, factors[:, np.newaxis] * old.jac, old.status, old.trajectory)

    def without(self, times: Sequence[float], weight: int, p: Array) -> Shooting:
        """The same without some of the break points, with another weight, to begin at other parameters."""
        unused = {k for k, each in self.simulator.used if each.time in times}
        moved = self.parameters.moved(p)
        map_ = replace(moved, frozen=moved.frozen | unused)
        return Shooting(self.simulator.with_active(map_.active), map_, self.observations, weight)


def shooting_problem(direct: TrajectoryFit, restarts: Sequence[Restart], scale: Array | None = None) -> Shooting:
    """The problem with break points that belongs to a full one; `scale` as for a `Simulator`."""
    full = direct.simulator
    extended = extended_model(full.model, restarts)
    map_ = extended_map(direct.parameters, extended, restarts)
    simulator = Restarting(full.model, extended, restarts, full.times, full.method, map_.active, scale)
    return Shooting(simulator, map_, direct.observations)
