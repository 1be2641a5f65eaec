"""Optimization by More's method, of least squares or of a robust loss, within bounds.

Residuals and Jacobian come from one integration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.loss import SUM_OF_SQUARES
from parfit.estimation.optimizers.searching import searched
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation, Problem, Result, Slack, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.kernel import more
from parfit.kernel.more import More
from parfit.kernel.residuals import loss_terms, sum_of_squares
from parfit.model.textfile import exact

LOSSES: tuple[str, ...] = more.LOSSES
LARGEST_SCALE = 1e100  # of a loss, and the smallest is its reciprocal: squares of both must be numbers


@dataclass(frozen=True)
class Settings:
    """How far to go, and what counts."""

    kind: ClassVar[str] = "more"
    has_lambda: ClassVar[bool] = False
    counts_trials: ClassVar[bool] = True
    tol: float = 1e-8  # relative, of the sum of squares and of the parameters
    max_evaluations: int = 500
    loss: str = "linear"
    loss_scale: float = 1.0  # residuals beyond it count less, unless the loss is linear

    def total(self, evaluation: Evaluation) -> float:
        """What is minimized: F, or the sum of a robust loss."""
        if self.loss == "linear" or not evaluation.usable:
            return evaluation.sum_of_squares
        return self.sum(evaluation.residuals)

    def sum(self, residuals: Array) -> float:
        """The same of residuals (n_residuals,)."""
        if self.loss == "linear":
            return float(sum_of_squares(residuals))
        return self.loss_scale**2 * float(sum(loss_terms(self.loss, self._z(residuals))[0].tolist()))

    def weights(self, residuals: Array) -> Array:
        """Its derivatives by the squares of the residuals: what each of them counts, (n_residuals,)."""
        weights: Array = loss_terms(self.loss, self._z(residuals))[1]
        return weights

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        """The least-squares problem that has its minimum where the robust loss has it: residuals count as they do."""
        if self.loss == "linear":
            return evaluation
        root = np.sqrt(self.weights(evaluation.residuals))
        return replace(evaluation, residuals=root * evaluation.residuals, jac=root[:, np.newaxis] * evaluation.jac)

    @np.errstate(over="ignore")  # what is infinitely large next to the scale counts as losses have it
    def _z(self, residuals: Array) -> Array:
        return (residuals / self.loss_scale) ** 2

    @property
    def measure(self) -> str:
        """What is minimized, in words."""
        return SUM_OF_SQUARES if self.loss == "linear" else f"{self.loss.upper()} loss"

    @property
    def robust(self) -> str:
        """The name of the loss, if it is not the sum of squares."""
        return "" if self.loss == "linear" else self.loss

    def minimize(
        self, problem: Problem, parameters: ParameterMap, watch: Callable[[Trial], None] | None = None
    ) -> Result:
        """Minimize a problem from the parameters, within their bounds; `watch` sees every trial."""
        bounds = parameters.active_bounds if parameters.bounded else None
        return minimize(problem, parameters.point, self, bounds, watch)

    def after(self, result: Result) -> Settings | None:
        """What may still be done of the evaluations that were allowed; None if those were all."""
        n = self.max_evaluations - result.n_evaluations
        return replace(self, max_evaluations=n) if n > 0 else None

    def written(self, result: Result) -> list[str]:
        """The words that, typed, end where an interrupted search did."""
        scale = [exact(self.loss_scale)] if self.robust else []
        return [self.kind.upper(), exact(self.tol), str(result.n_evaluations), self.loss.upper(), *scale]


def minimize(
    problem: Problem,
    start: Array,
    settings: Settings | None = None,
    bounds: tuple[Array, Array] | None = None,
    progress: Callable[[Trial], None] | None = None,
    first: Evaluation | None = None,
) -> Result:
    """Minimize a problem, within bounds (lower, upper) if there are any; `first` is known at a start within them."""
    how = settings or Settings()
    bounded = bounds is not None and bool(np.isfinite(bounds).any())
    p = np.array(start, dtype=float)
    if bounded:
        assert bounds is not None
        p = np.clip(p, *bounds)
    limits = bounds if bounded else None
    slack = problem.slack if isinstance(problem, TrajectoryFit) else Slack()

    def new(n: int, m: int, precision: float) -> More:
        return More(n, m, how.tol, how.max_evaluations, how.loss, how.loss_scale, limits, precision, *slack)

    return searched(problem, new, p, first, progress)
