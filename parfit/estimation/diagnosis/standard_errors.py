"""Standard errors of the parameters by the linear theory: one decomposition, so that every fit can show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.minimum import rounding
from parfit.estimation.diagnosis.residual_tests import rows_counted
from parfit.estimation.diagnosis.statistics import Determination, Lack, determine, lack_of
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit


@dataclass(frozen=True, eq=False)
class StandardErrors:
    """What one standard deviation of each parameter is, in its own units.

    NaN for what is frozen or held and where there is a `lack`; infinite for what the data do not determine.
    """

    values: Array  # (n_params,)
    scaled: Array  # of the active parameters as they were fitted, (n_active,)
    sd: float  # of the observations' errors, as the residuals have it; NaN where there is a lack
    n_observations: int  # that count
    n_free: int  # degrees of freedom of the residuals
    lack: Lack | None  # why there are none

    def none(self, lack: Lack) -> StandardErrors:
        """The same where there are none, for this reason."""
        values, scaled = np.full(self.values.size, np.nan), np.full(self.scaled.size, np.nan)
        return replace(self, values=values, scaled=scaled, sd=np.nan, lack=lack)

    def relative(self, full: Array) -> Array:
        """Parts of the parameters (n_params,) themselves; NaN for those that are 0."""
        sizes = np.abs(np.where(full == 0.0, np.nan, full))
        return self.values / sizes


@np.errstate(all="ignore")
def standard_errors(
    problem: TrajectoryFit,
    at: Evaluation,
    p: Array | None = None,
    held: Sequence[int] = (),
    found: Determination | None = None,
) -> StandardErrors:
    """Those of a usable evaluation at scaled active parameters p (n_active,), by default the problem's own.

    What is `held`, subscripts among the active, is taken to be known, as if it were frozen: of what presses against a
    bound linear theory says nothing, and the others are found with it there. `found` is the determination of the same
    rows without what is held, if it is known.
    """
    map_, counting = problem.parameters, rows_counted(at, problem.observations)
    point = map_.point if p is None else p
    at = problem.expected(at, point)
    residuals = at.residuals[counting]
    found = found or determine(np.delete(at.jac[counting], held, axis=1), at.precision)
    counts = problem.freedom(at, held)
    n_free = counts.n_free
    total = float(residuals @ residuals)
    known = problem.known_variance(at)
    norm = float(np.sqrt(total))
    lack = lack_of(found, 1, 1.0, 0.0) if known else lack_of(found, n_free, norm, rounding(problem.weighted(at)))
    sd = np.nan if lack is not None else float(np.sqrt(known or total / n_free))
    roots = np.where(found.determined, np.sqrt(np.diag(found.unit_inverse)) / found.lengths, np.inf)
    scaled = np.full(len(map_.active), np.nan)
    if lack is None:
        scaled[np.delete(np.arange(scaled.size), held)] = sd * roots
    values = np.full(len(map_.names), np.nan)
    slopes = np.abs(map_.slopes(point))
    values[list(map_.active)] = np.where(np.isinf(scaled), np.inf, scaled * slopes)
    return StandardErrors(values, scaled, sd, counts.n_observations, n_free, lack)
