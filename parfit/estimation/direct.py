"""The direct problem: the solution of the equations against the observations (thesis, section 1.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parfit.estimation.parameters import ParameterMap
from parfit.model.observations import Observations
from parfit.model.simulation import Trajectory

Array = NDArray[np.float64]


def residuals(trajectory: Trajectory, observations: Observations) -> Array:
    """w (y - v) of every observation, by time and then by variable (Appendix A, section 1), (n_observations,)."""
    rows = _rows(trajectory, observations)
    computed = np.column_stack([trajectory.column(name)[rows] for name in observations.names])
    weighted: Array = observations.weights * (computed - observations.values)
    return weighted[observations.observed]


def jacobian(trajectory: Trajectory, parameters: ParameterMap, observations: Observations) -> Array:
    """Derivatives of the residuals by the active parameters, scaled, (n_observations, n_active)."""
    rows = _rows(trajectory, observations)
    columns = [trajectory.sensitivity(name)[rows] for name in observations.names]
    full = observations.weights[:, :, np.newaxis] * np.stack(columns, axis=1)
    return parameters.chain(parameters.start, full[observations.observed])


def sum_of_squares(trajectory: Trajectory, observations: Observations) -> float:
    """F = f'f; infinite if the integration did not reach the last observation."""
    f = residuals(trajectory, observations)
    total = float(f @ f)
    return total if np.isfinite(total) else np.inf


def _rows(trajectory: Trajectory, observations: Observations) -> NDArray[np.intp]:
    """Where each observation's time is among the times of a trajectory."""
    return np.searchsorted(trajectory.times, observations.times)
