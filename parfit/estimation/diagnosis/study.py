"""All that can be found out about the full problem at one point: how reliable parameters and model are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.discretisation import Discretisation, discretisation
from parfit.estimation.diagnosis.information import Criteria, criteria, of_deviance
from parfit.estimation.diagnosis.minimum import Standing, rounding, standing
from parfit.estimation.diagnosis.nonlinearity import BoundaryPoint, check_linearity
from parfit.estimation.diagnosis.residual_tests import (
    Consistency,
    Runs,
    consistency,
    counted,
    has_known_errors,
    rows_counted,
    runs,
)
from parfit.estimation.diagnosis.standard_errors import StandardErrors, standard_errors
from parfit.estimation.diagnosis.statistics import Lack, Statistics, statistics
from parfit.estimation.likelihood.estimates import Likelihood
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit, total


@dataclass(frozen=True, eq=False)
class Residuals:
    """The observations and what became of them, one by one in order of time, (n_observations,) each."""

    times: Array
    names: tuple[str, ...]
    observed: Array
    computed: Array
    weighted: Array  # NaN for an observation of weight 0
    standardized: Array  # NaN where there is no standard error


@dataclass(frozen=True, eq=False)
class Study:
    """Statistics, their checks, and what the residuals say."""

    parameters: ParameterMap
    statistics: Statistics
    errors: StandardErrors
    standing: Standing  # whether this is a minimum
    boundary: tuple[BoundaryPoint, ...]  # of the confidence region, empty where it was not looked at
    residuals: Residuals
    runs: Mapping[str, Runs | None]  # by observed variable; empty for an exact fit
    consistency: Consistency | None  # if the errors of the observations are known
    discretisation: Discretisation
    likelihood: Likelihood | None = None  # where there are noise models

    def of_robust_fit(self, standing: Standing) -> Study:
        """The same of parameters that are a minimum of a robust loss: without what linear theory makes of them."""
        statistics = replace(self.statistics, intervals=None, lack=Lack.LOSS)
        residuals = replace(self.residuals, standardized=np.full(self.residuals.times.size, np.nan))
        kept = replace(self, standing=standing, boundary=(), residuals=residuals)
        return replace(kept, statistics=statistics, errors=self.errors.none(Lack.LOSS))

    @property
    def criteria(self) -> Criteria | None:
        """By which this model can be compared with others of the same data."""
        found = self.statistics
        if self.likelihood is not None:
            return of_deviance(self.likelihood.deviance, self.likelihood.n, self.likelihood.k)
        known = self.consistency is not None
        return criteria(found.sum_of_squares, found.n_observations, found.determination.rank, known)

    @property
    def names(self) -> list[str]:
        """The active parameters as they were fitted, such as `log k`."""
        return list(self.parameters.labels)

    def limits(self, widths: Array) -> tuple[Array, Array]:
        """Ends of intervals of the active parameters, unscaled, from half-widths of the scaled, (n_active,) each."""
        return self.parameters.ends(widths)


@np.errstate(all="ignore")  # numbers too large to be squared become infinite, and are told to be unlimited
def study(
    problem: TrajectoryFit,
    evaluation: Evaluation,
    percentile: float,
    scale: ArrayLike,
    progress: Callable[[float], None] = lambda part: None,
) -> Study:
    """Statistics of a usable evaluation at the problem's own parameters; `scale` gives sizes of the states.

    `progress` hears what part of the integrations is done.
    """
    observations, map_ = problem.observations, problem.parameters
    found = problem_statistics(problem, evaluation, percentile)
    residuals = _residuals(evaluation, observations, found)

    def cost(active: Array) -> float:
        return total(problem.simulator(map_.expand(active)), observations, problem.noise)

    boundary = check_linearity(cost, map_.point, evaluation.gradient, found, progress) if found.is_centred else ()
    known = has_known_errors(observations) and not problem.noise
    assert evaluation.trajectory is not None
    return Study(
        map_,
        found,
        standard_errors(problem, evaluation, found=found.determination),
        standing(problem, evaluation),
        boundary,
        residuals,
        {} if found.lack is Lack.EXACT else _runs(observations, residuals),
        consistency(found.sum_of_squares, found.n_free) if known else None,
        discretisation(evaluation.trajectory, observations, scale),
        problem.likelihood(evaluation),
    )


def problem_statistics(
    problem: TrajectoryFit, at: Evaluation, percentile: float, held: Sequence[int] = ()
) -> Statistics:
    """Those of a usable evaluation: of the observations that count, and of priors; without what is `held`."""
    at = problem.expected(at)
    counting = rows_counted(at, problem.observations)
    others, by_priors = (at.n_priors, at.n_bends), 0 if at.of_priors is None else problem.freedom(at, held).n_by_priors
    known = rounding(problem.weighted(at))
    jac, variance = np.delete(at.jac[counting], held, axis=1), problem.known_variance(at)
    return statistics(at.residuals[counting], jac, percentile, known, at.precision, others, by_priors, variance)


def _residuals(evaluation: Evaluation, observations: Observations, found: Statistics) -> Residuals:
    rows, columns = np.nonzero(observations.observed)
    counting = counted(observations)
    weighted, standardized = (np.full(rows.size, np.nan) for _ in range(2))
    weighted[counting] = evaluation.residuals[: rows.size][counting]
    standardized[counting] = found.standardized[: np.count_nonzero(counting)]
    run = evaluation.trajectory
    assert run is not None
    at = np.searchsorted(run.times, observations.times[rows])
    names = tuple(observations.names[k] for k in columns)
    computed = np.array([run.column(name)[k] for name, k in zip(names, at, strict=True)])
    values = observations.values[observations.observed]
    return Residuals(observations.times[rows], names, values, computed, weighted, standardized)


def _runs(observations: Observations, residuals: Residuals) -> dict[str, Runs | None]:
    found = {}
    for name in observations.names:
        own = residuals.weighted[[each == name for each in residuals.names]]
        found[name] = runs(own[~np.isnan(own)])
    return found
