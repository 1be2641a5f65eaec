"""The direct problem: the solution of the equations against the observations (thesis, section 1.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.model.observations import Observations
from parfit.model.simulation import Simulator, Trajectory

Array = NDArray[np.float64]


def residuals(trajectory: Trajectory, observations: Observations) -> Array:
    """w (y - v) of every observation, by time and then by variable (Appendix A, section 1), (n_observations,)."""
    return _Places(trajectory.simulator, observations).residuals(trajectory)


def jacobian(trajectory: Trajectory, parameters: ParameterMap, observations: Observations) -> Array:
    """Derivatives of the residuals by the active parameters, scaled, (n_observations, n_active)."""
    rows = _Places(trajectory.simulator, observations).jacobian(trajectory)
    return parameters.chain(parameters.start, rows)


def sum_of_squares(trajectory: Trajectory, observations: Observations) -> float:
    """F = f'f; infinite if the integration did not reach the last observation."""
    f = residuals(trajectory, observations)
    total = float(f @ f)
    return total if np.isfinite(total) else np.inf


class Direct:
    """The least-squares problem of the full equations in the scaled active parameters."""

    def __init__(self, simulator: Simulator, parameters: ParameterMap, observations: Observations):
        self.simulator, self.parameters, self.observations = simulator, parameters, observations
        self._places = _Places(simulator, observations)

    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian from one integration; a failure of it is the result's status."""
        full = self.parameters.expand(active)
        run = self.simulator(full, sensitivities=True)
        f = self._places.residuals(run)
        jac = self.parameters.chain(active, self._places.jacobian(run))
        return Evaluation(f, jac, run.status, run)


class _Places:
    """Where the observations are in a trajectory: computed once, because a fit takes residuals again and again."""

    def __init__(self, simulator: Simulator, observations: Observations):
        model = simulator.model
        seen = observations.observed
        rows, columns = np.nonzero(seen)
        at = np.searchsorted(simulator.times, observations.times)[rows]
        states = {name: k for k, name in enumerate(model.states)}
        aux = {name: k for k, (name, _) in enumerate(model.aux)}
        self._all_states = all(name in states for name in observations.names)
        n = len(model.states)
        where = [states.get(name, n + aux.get(name, 0)) for name in observations.names]
        self._width = n if self._all_states else n + len(aux)
        self._flat = at * self._width + np.array(where, dtype=np.intp)[columns]
        self._values = observations.values[seen]
        self._weights = observations.weights[seen]

    def residuals(self, run: Trajectory) -> Array:
        y = run.y if self._all_states else np.concatenate((run.y, run.aux), axis=1)
        f: Array = self._weights * (y.reshape(-1)[self._flat] - self._values)
        return f

    def jacobian(self, run: Trajectory) -> Array:
        assert run.s is not None
        s = run.s if self._all_states else np.concatenate((run.s, run.aux_s), axis=1)  # type: ignore[arg-type]
        rows: Array = self._weights[:, np.newaxis] * s.reshape(-1, s.shape[2])[self._flat]
        return rows
