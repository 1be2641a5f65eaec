"""A fit made only to see where it leads; nothing comes of it but the knowledge."""

from __future__ import annotations

import numpy as np

from parfit.advice.limits import SHORT
from parfit.estimation import more
from parfit.estimation.direct import Direct
from parfit.estimation.parameters import ParameterMap


def fitted_total(problem: Direct, parameters: ParameterMap | None = None, evaluations: int = SHORT) -> float:
    """The sum of squares that a fit from these parameters leads to; infinite where it cannot begin."""
    map_ = parameters or problem.parameters
    moved = Direct(problem.simulator, map_, problem.observations)
    start = map_.project(map_.start)
    with np.errstate(all="ignore"):
        if not moved.evaluate(start).usable:
            return np.inf
        found = more.minimize(moved, start, more.Settings(max_evaluations=evaluations), map_.active_bounds)
    return found.unless_interrupted().evaluation.total
