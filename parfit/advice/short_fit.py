"""A fit made only to see where it leads; nothing comes of it but the knowledge."""

from __future__ import annotations

import numpy as np

from parfit.advice.limits import SHORT
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.trajectory_fit import TrajectoryFit


def fitted_total(problem: TrajectoryFit, parameters: ParameterMap | None = None, evaluations: int = SHORT) -> float:
    """The sum of squares that a fit from these parameters leads to; infinite where it cannot begin."""
    map_ = parameters or problem.parameters
    moved = TrajectoryFit(problem.simulator, map_, problem.observations, problem.noise)
    start = map_.project(map_.point)
    with np.errstate(all="ignore"):
        if not moved.evaluate(start).usable:
            return np.inf
        found = bounded.minimize(moved, start, bounded.Settings(max_evaluations=evaluations), map_.active_bounds)
    return found.unless_interrupted().evaluation.sum_of_squares
