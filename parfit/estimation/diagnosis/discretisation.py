"""What the integration adds to the residuals: the solution that was used against an accurate one.

The trapezoidal rule on the observation times has no error control, and Gear's method has as much as EPS asks for. A
fit makes up for their errors by wrong parameters, which nothing else shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.minimum import SIGNIFICANT, extents, imitated, spread
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems import trajectory_fit
from parfit.simulation.method import ACCURATE, Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Trajectory

ACCURATE_EPS = 1e-8
SMALLEST_EPS = 1e-12  # where rounding errors come in
# Next to the norm of the residuals. The difference adds to them at most its own norm, so that below this part F is
# wrong by at most a fifth and the standard error, with all intervals, by at most a tenth.
TOLERATED = 0.1
# Next to the spread of the observations: no measurement is as good, and EPS 1e-6 leaves less in most models.
NEGLIGIBLE = 1e-5


@dataclass(frozen=True)
class Discretisation:
    """The difference of two solutions at the observations; norms are weighted."""

    difference: float  # norm
    residuals: float  # norm, with the solution that was used
    accurate_residuals: float  # norm, with the accurate one
    observations: float  # norm of their spread about the means
    largest: float  # used - accurate, not weighted, where it weighs most
    name: str  # of the variable there
    time: float
    bias: float  # how far the difference moves the parameters, next to the radius of their confidence region
    method: Method  # of the solution that was used
    accurate_eps: float
    status: Status  # of the accurate integration

    @property
    def eps(self) -> float:
        """Of the solution that was used; infinite for the trapezoidal rule."""
        return self.method.eps if self.method.procedure == "gear" else np.inf

    @property
    def finer(self) -> Method:
        """The method that would do."""
        eps = ACCURATE.eps if self.eps > ACCURATE.eps else max(self.eps / 100.0, SMALLEST_EPS)
        return self.method.accurate(eps)

    @property
    def ratio(self) -> float:
        """Of the difference to the residuals."""
        return self.difference / self.residuals if self.residuals > 0.0 else np.inf if self.difference > 0.0 else 0.0

    @property
    def matters(self) -> bool:
        small = self.difference <= NEGLIGIBLE * self.observations
        return not small and (self.difference > TOLERATED * self.residuals or self.bias > SIGNIFICANT)


def discretisation(trajectory: Trajectory, observations: Observations, scale: ArrayLike) -> Discretisation:
    """Compare a solution with one by Gear's method (EPS 1e-8 or less, no HMIN) at the same times and parameters.

    `scale` gives sizes of the states, as for the simulator. The trajectory must have reached its last time.
    """
    used, how = trajectory.simulator, trajectory.simulator.method
    coarse = how.eps if how.procedure == "gear" else np.inf
    finest = max(min(ACCURATE_EPS, coarse / 100.0), SMALLEST_EPS)
    method = replace(how.accurate(finest), formula="bdf", max_steps=how.max_steps)
    ends = used.ends if isinstance(used, Simulator) else None
    accurate = Simulator(used.model, used.times, method, trajectory.active, scale, ends=ends)(trajectory.parameters)
    seen = observations.observed
    weights = observations.weights[seen]
    size = _extent(trajectory, observations)
    with np.errstate(all="ignore"):
        rough, fine = (trajectory_fit.residuals(each, observations) for each in (trajectory, accurate))
        difference = rough - fine
    if not accurate.status or not difference.size or not np.isfinite(difference).all():
        nan = float("nan")
        norm = float(np.linalg.norm(rough))
        return Discretisation(nan, norm, nan, size, nan, "", nan, nan, how, finest, accurate.status)
    k = int(np.argmax(np.abs(difference)))
    row, column = (int(index[k]) for index in np.nonzero(seen))
    largest = float(difference[k] / weights[k]) if weights[k] > 0.0 else 0.0
    norms = [float(np.linalg.norm(each)) for each in (difference, rough, fine)]
    name, time = observations.names[column], float(observations.times[row])
    bias = _bias(trajectory, observations, difference, rough)
    return Discretisation(norms[0], norms[1], norms[2], size, largest, name, time, bias, how, finest, accurate.status)


def _extent(trajectory: Trajectory, observations: Observations) -> float:
    """How large the data are, as residuals are compared with them."""
    if trajectory.s is None or not trajectory.active:
        return spread(observations)
    sizes = np.abs(trajectory.parameters[list(trajectory.active)])
    return float(np.linalg.norm(extents(observations, trajectory_fit.sensitivities(trajectory, observations), sizes)))


def _bias(trajectory: Trajectory, observations: Observations, difference: Array, residuals: Array) -> float:
    """The part of the difference that parameters can imitate, as the relative offset of Bates and Watts.

    It counts however many observations there are, among which the difference itself is lost. NaN if not known.
    """
    if trajectory.s is None or not trajectory.active:
        return np.nan
    jac = trajectory_fit.sensitivities(trajectory, observations)
    found = Evaluation(residuals, jac, trajectory.status, trajectory)
    return float(np.sqrt(imitated(found, difference))) if found.usable else np.nan
