"""Data that might have been observed instead, by their number, and what fits to them tell of the parameters.

B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapters 6, 9 and 13. Errors are drawn from
their distribution, or from the residuals, which are enlarged by what their leverage has taken (A. C. Davison and D. V.
Hinkley, Bootstrap Methods and Their Application (1997), section 6.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array, Mask
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.residual_tests import counted, has_known_errors
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.noise import Form, Noise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.prior import Density
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.naming import base_of
from parfit.spectrum import directions

LEAST_FREEDOM = 0.01  # what the leverage leaves of a residual: a smaller part is rounding
SMALLEST_POOL = 4  # residuals of a variable; with fewer, all variables draw from all


class Kind(Enum):
    """Where errors are drawn from."""

    PARAMETRIC = "normal errors"
    RESIDUALS = "the residuals"


@dataclass(frozen=True, eq=False)
class Resampler:
    """What was computed, the size of its errors, and what these are drawn from; a number makes the same data always.

    Of the observations in their order, (n_observations,) each.
    """

    kind: Kind
    seed: int
    computed: Array
    sds: Array  # sizes of errors, of the logarithm where `is_log`; 0 for what has no weight
    is_log: Mask
    is_laplace: Mask
    pools: tuple[NDArray[np.intp], ...]  # of observations that draw from each other
    drawn_from: Array  # residuals in standard deviations
    noise: Noise  # of whose priors the centers are drawn as well, about the values
    map: ParameterMap

    def noise_of(self, number: int) -> Noise:
        """Noise with priors of such a number: they count as observations, which might have been others."""
        random = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 1, number]))
        found = self.noise
        for name, prior in self.noise.felt.items():
            distance = _distance(random, prior.density)
            found = found.with_prior(name, prior.about(float(self.map.full[self.map.names.index(name)]), distance))
        return found

    def values(self, number: int) -> Array:
        """Data of such a number, (n_observations,)."""
        # The number is the counter of the generator: nobody has to know what was drawn before.
        random = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, number]))
        if self.kind is Kind.PARAMETRIC:
            errors = random.standard_normal(self.computed.size)
            errors = np.where(self.is_laplace, random.laplace(size=errors.size), errors)
        else:
            errors = np.zeros(self.computed.size)
            for pool in self.pools:
                errors[pool] = self.drawn_from[pool[random.integers(pool.size, size=pool.size)]]
        errors = self.sds * errors
        found: Array = np.where(self.is_log, self.computed * np.exp(errors), self.computed + errors)
        return found


def n_free(problem: TrajectoryFit, at: Evaluation) -> int:
    """Degrees of freedom of the residuals."""
    return problem.freedom(at).n_free


def are_known(problem: TrajectoryFit) -> bool:
    """Whether no standard deviation of an observation is estimated."""
    if not problem.noise:
        return has_known_errors(problem.observations)
    return not any(group.is_estimated for group in NoiseRows(problem.noise, problem.observations).groups)


def resampler(problem: TrajectoryFit, at: Evaluation, kind: Kind, seed: int) -> Resampler:
    """For data like those of a problem, at a usable evaluation, which has degrees of freedom if errors are unknown."""
    data = problem.observations
    seen, counting = data.observed, counted(data)
    assert at.trajectory is not None
    names = [data.names[j] for j in np.nonzero(seen)[1]]
    places = np.searchsorted(at.trajectory.times, data.times)
    computed = np.column_stack([at.trajectory.column(name)[places] for name in data.names])[seen]
    is_log, is_laplace = (_has(problem, names, each) for each in (_is_of_logarithm, _is_laplace))
    sds = _sds(problem, at)
    with np.errstate(all="ignore"):
        error = np.where(is_log, np.log(data.values[seen] / computed), data.values[seen] - computed)
        standardized = np.where(counting, error / sds, 0.0) / np.sqrt(_freedom(at, counting.size))
    pools = _pools(names, counting)
    for pool in pools:
        standardized[pool] -= standardized[pool].mean()
    errors = computed, np.where(counting, sds, 0.0), is_log, is_laplace, pools, standardized
    return Resampler(kind, seed, *errors, problem.noise, problem.parameters)


def _distance(random: np.random.Generator, density: Density) -> float:
    """From a center, in standard deviations or scales."""
    if density is Density.CAUCHY:
        return random.standard_cauchy()
    return random.laplace() if density.is_laplace else random.standard_normal()


def _is_of_logarithm(form: Form) -> bool:
    return form.is_of_logarithm


def _is_laplace(form: Form) -> bool:
    return form.is_laplace


def _has(problem: TrajectoryFit, names: Sequence[str], wanted: Callable[[Form], bool]) -> Mask:
    """Which observations have a noise model of a wanted form."""
    models = problem.noise.models
    return np.array([name in models and wanted(models[name].form) for name in names], dtype=bool)


def _sds(problem: TrajectoryFit, at: Evaluation) -> Array:
    """Sizes of the errors of observations, those that are estimated by n - p, (n_observations,)."""
    data, counting = problem.observations, counted(problem.observations)
    left, n = n_free(problem, at), int(np.count_nonzero(counting))
    weights = np.where(counting, data.weights[data.observed], 1.0)
    if not problem.noise:
        return (1.0 if are_known(problem) else float(np.sqrt(at.sum_of_squares / left))) / weights
    found = problem.error_sizes(at)
    for group in NoiseRows(problem.noise, data).groups:
        if group.is_estimated:
            found[group.rows] *= (n / left) ** (1.0 if group.form.is_laplace else 0.5)
    return found


def _freedom(at: Evaluation, n: int) -> Array:
    """What the leverage of each observation leaves of its residual's variance, (n_observations,)."""
    u = directions(at.jac, at.precision).u[:n]
    freedom: Array = np.maximum(1.0 - (u * u).sum(axis=1), LEAST_FREEDOM)
    return freedom


def _pools(names: Sequence[str], counting: Mask) -> tuple[NDArray[np.intp], ...]:
    """Observations of one variable, in all experiments; or all together, where there are too few of one."""
    kinds = np.array([base_of(name) for name in names])
    pools = [np.flatnonzero(counting & (kinds == kind)) for kind in dict.fromkeys(kinds[counting].tolist())]
    if min((pool.size for pool in pools), default=0) < SMALLEST_POOL:
        pools = [np.flatnonzero(counting)]
    return tuple(pools)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Parameters that were fitted to data drawn anew."""

    kind: Kind
    seed: int
    level: float  # per cent, of the limits
    n: int  # data that were drawn
    map: ParameterMap  # at the values that they were drawn with
    points: Array  # scaled active parameters of those that could be fitted, (n_fitted, n_active)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the active parameters."""
        return tuple(self.map.names[k] for k in self.map.active)

    @property
    def best(self) -> Array:
        """The active parameters that data were drawn with, (n_active,)."""
        return self.map.full[list(self.map.active)]

    @property
    def n_failed(self) -> int:
        return self.n - len(self.points)

    @cached_property
    def parameters(self) -> Array:
        """All parameters, unscaled, (n_fitted, n_params)."""
        return np.array([self.map.expand(each) for each in self.points]).reshape(-1, len(self.map.names))

    @cached_property
    def values(self) -> Array:
        """The active parameters, unscaled, (n_fitted, n_active)."""
        return self.parameters[:, list(self.map.active)]

    @cached_property
    def limits(self) -> Array:
        """The percentiles between which so many per cent of them lie, (2, n_active)."""
        return percentiles(self.values, self.level)

    @property
    def errors(self) -> Array:
        """Standard errors, (n_active,)."""
        found: Array = self.values.std(axis=0, ddof=1)
        return found

    @property
    def biases(self) -> Array:
        """By how much fits are off on the average, (n_active,)."""
        found: Array = self.values.mean(axis=0) - self.best
        return found

    @property
    def at_bounds(self) -> Array:
        """Which part of the fits ended at a bound of a parameter, (n_active,)."""
        low, high = self.map.active_bounds
        found: Array = ((self.points <= low) | (self.points >= high)).mean(axis=0)
        return found


def percentiles(values: Array, level: float) -> Array:
    """The ends of the middle part, so many per cent, of rows, (2, ...)."""
    tail = 0.5 - level / 200.0
    ends: Array = np.quantile(values, [tail, 1.0 - tail], axis=0, method="weibull")
    return ends
