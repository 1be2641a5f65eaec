"""What is measured of an environment: its full problem, and sizes to compare a sum of squares with."""

from __future__ import annotations

import numpy as np

from parfit.data.observations import Observations
from parfit.estimation.curves.smoothing import left_by_curves
from parfit.estimation.diagnosis.minimum import spread
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation, Problem
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.session.environment import Environment


def evaluated(problem: TrajectoryFit) -> Evaluation:
    """The problem at its own parameters, or where the bounds allow it to begin."""
    return at_start(problem, problem.parameters)


def at_start(problem: Problem, map_: ParameterMap) -> Evaluation:
    """Any problem where a fit would begin."""
    with np.errstate(all="ignore"):
        return problem.evaluate(map_.project(map_.point))


def spread_of(data: Observations) -> float:
    """The weighted sum of squares about the mean of each variable; about 0 if all observations are equal."""
    size = float(np.sum((data.weights * np.nan_to_num(data.values)) ** 2))
    return spread(data) ** 2 or size or 1.0


def curve_total(env: Environment) -> float | None:
    """The sum of squares of the curves through the data; None unless all variables were smoothed."""
    data, smoothing = env.observations, env.smoothing
    if data is None or smoothing is None or set(smoothing.curves) != set(data.names):
        return None
    return left_by_curves(data, smoothing.curves)


def is_comparable(env: Environment, other: Environment, scaled_alike: bool = True) -> bool:
    """Whether the same was fitted in the same way."""
    if scaled_alike and other.parameters.scaling != env.parameters.scaling:
        return False
    return (
        other.parameters.frozen == env.parameters.frozen
        and other.options.method == env.options.method
        and not other.loss
    )
