"""How well a computed curve is known, by the linear theory at the optimum (thesis, section 1.3).

The covariance of the parameters, s^2 (J'J)^-1 (eq. 1.3.17), carried over to the curve by its sensitivities: at each
time, the variance of y is (dy/dp)' cov (dy/dp).
"""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation import quantiles
from parfit.estimation.diagnosis.minimum import rounding
from parfit.estimation.diagnosis.residual_tests import rows_counted
from parfit.estimation.diagnosis.statistics import Determination, Lack, Statistics, statistics
from parfit.estimation.freedom import freedom
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import orthonormal


@dataclass(frozen=True, eq=False)
class CurveErrors:
    """Standard errors of curves, and how many of them make a band."""

    statistics: Statistics
    errors: dict[str, Array]  # by variable, infinite where the data do not determine it, (n_times,)
    at_each_time: float  # Student's t, or normal where errors are known: holds the curve at any one time
    as_a_whole: float  # sqrt(m F): holds all of the curve with the same probability (Scheffe)

    @property
    def lack(self) -> Lack | None:
        return self.statistics.lack


@np.errstate(all="ignore")  # numbers too large to be squared become infinite, and are told to be unlimited
def curve_errors(
    evaluation: Evaluation,
    parameters: ParameterMap,
    observations: Observations,
    percentile: float,
    names: list[str],
    run: Trajectory | None = None,
    variance: float | None = None,
) -> CurveErrors:
    """Of states and aux quantities, by a usable evaluation at the map's own parameters.

    At its times, or at those of another solution there, with derivatives. A `variance` of the residuals is known
    beforehand, and not estimated from them.
    """
    run = run or evaluation.trajectory
    assert run is not None
    counting = rows_counted(evaluation, observations)
    residuals, jac = evaluation.residuals[counting], evaluation.jac[counting]
    found = statistics(
        residuals,
        jac,
        percentile,
        rounding(observations),
        evaluation.precision,
        (evaluation.n_priors, evaluation.n_bends),
        freedom(evaluation, observations).n_by_priors,
        variance,
    )
    if found.intervals is None:
        return CurveErrors(found, {}, np.nan, np.nan)
    errors = {name: found.intervals.sd * _unit_errors(run, parameters, name, found.determination) for name in names}
    level = (1.0 + percentile / 100.0) / 2.0
    whole = float(np.sqrt(found.determination.rank * found.intervals.f_value))
    each = quantiles.normal(level) if variance is not None else quantiles.student(level, found.n_free)
    return CurveErrors(found, errors, each, whole)


def _unit_errors(run: Trajectory, parameters: ParameterMap, name: str, found: Determination) -> Array:
    """Standard errors of a curve, if those of the weighted observations were 1, (n_times,)."""
    rows = parameters.chain(parameters.point, run.sensitivity(name)) / found.lengths
    errors: Array = np.sqrt(np.einsum("ij,jk,ik->i", rows, found.unit_inverse, rows))
    if found.is_full:
        return errors
    # A curve that follows a combination of parameters of which the data say nothing can be anywhere.
    basis = orthonormal((found.null * found.lengths).T)
    lost = np.linalg.norm(rows @ basis, axis=1) > found.share * np.linalg.norm(rows, axis=1)
    unlimited: Array = np.where(lost, np.inf, errors)
    return unlimited
