"""Optimization by More's method, and by scipy's trust-region method where there are bounds or robust losses.

Residuals and Jacobian come from one integration. Where the integration fails scipy is shown residuals so large that
it must step back, never a number that is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from parfit import interrupts
from parfit.arrays import Array
from parfit.estimation.diagnosis.spectrum import directions
from parfit.estimation.optimizers.levenberg_more import converge
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem, Result, Trial
from parfit.model.textfile import exact

# Robust losses as scipy.optimize.least_squares has them: rho of z, the square of residual / scale, and its derivative.
ROBUST: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "soft_l1": (lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0), lambda z: (1.0 + z) ** -0.5),
    "huber": (
        lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(z) - 1.0),
        lambda z: np.maximum(z, 1.0) ** -0.5,
    ),
    "cauchy": (np.log1p, lambda z: 1.0 / (1.0 + z)),
    "arctan": (np.arctan, lambda z: 1.0 / (1.0 + z * z)),
}
LOSSES = ("linear", *ROBUST)
LARGEST_SCALE = 1e100  # of a loss, and the smallest is its reciprocal: squares of both must be numbers
TOO_LARGE = 100.0  # times the norm of the best residuals: what scipy is shown where there are none


@dataclass(frozen=True)
class Settings:
    """How far to go, and what counts."""

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
            return float(residuals @ residuals)
        return self.loss_scale**2 * float(ROBUST[self.loss][0](self._z(residuals)).sum())

    def weights(self, residuals: Array) -> Array:
        """Its derivatives by the squares of the residuals: what each of them counts, (n_residuals,)."""
        return np.ones(residuals.size) if self.loss == "linear" else ROBUST[self.loss][1](self._z(residuals))

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        """The least-squares problem that has its minimum where the robust loss has it: residuals count as they do."""
        if self.loss == "linear":
            return evaluation
        root = np.sqrt(self.weights(evaluation.residuals))
        return Evaluation(root * evaluation.residuals, root[:, np.newaxis] * evaluation.jac, evaluation.status)

    def _z(self, residuals: Array) -> Array:
        return (residuals / self.loss_scale) ** 2

    @property
    def robust(self) -> str:
        """The name of the loss, if it is not the sum of squares."""
        return "" if self.loss == "linear" else self.loss

    def minimize(
        self, problem: Problem, parameters: ParameterMap, watch: Callable[[Trial], None] | None = None
    ) -> Result:
        """Minimize a problem from the parameters, within their bounds; `watch` sees every trial."""
        return minimize(problem, parameters.point, self, parameters.active_bounds, watch)

    def after(self, result: Result) -> Settings | None:
        """What may still be done of the evaluations that were allowed; None if those were all."""
        n = self.max_evaluations - result.n_evaluations
        return replace(self, max_evaluations=n) if n > 0 else None

    def written(self, result: Result) -> list[str]:
        """The words that, typed, end where an interrupted search did."""
        scale = [exact(self.loss_scale)] if self.robust else []
        return ["MORE", exact(self.tol), str(result.n_evaluations), self.loss.upper(), *scale]


def minimize(
    problem: Problem,
    start: Array,
    settings: Settings | None = None,
    bounds: tuple[Array, Array] | None = None,
    progress: Callable[[Trial], None] | None = None,
) -> Result:
    """Minimize a problem; with bounds (lower, upper), few residuals or a robust loss by a trust-region method."""
    how = settings or Settings()
    bounded = bounds is not None and bool(np.isfinite(bounds).any())
    p = np.array(start, dtype=float)
    if bounded:
        assert bounds is not None
        p = np.clip(p, *bounds)
    seen = _Seen(problem, p, progress, how)
    if not seen.best.usable:
        return seen.result(Ending.START)
    if how.max_evaluations <= 1:
        return seen.result(Ending.LIMIT)
    try:
        few = seen.best.residuals.size < p.size
        if bounded or few or how.loss != "linear":
            return seen.result(_trust_region(seen, p, how, bounds if bounded else (-np.inf, np.inf)))
        converged = converge(seen.at, p, seen.best, how.tol, seen.goes_on)
        return seen.result(Ending.CONVERGED if converged else Ending.LIMIT)
    except KeyboardInterrupt:
        interrupts.answered()
        return seen.result(Ending.INTERRUPTED)


def _trust_region(seen: _Seen, start: Array, how: Settings, bounds: Any) -> Ending:
    from scipy.optimize import least_squares

    found = least_squares(
        seen.residuals,
        start,
        jac=seen.jacobian,
        bounds=bounds,
        method="trf",
        x_scale="jac",
        loss=how.loss,
        f_scale=how.loss_scale,
        ftol=how.tol,
        xtol=how.tol,
        gtol=None,
        max_nfev=how.max_evaluations,
    )
    seen.settle(found.x)
    if found.status <= 0:
        return Ending.LIMIT
    seen.move_to_bounds(found.active_mask, bounds)
    seen.move_back(start, bounds)
    return Ending.CONVERGED


class _Seen:
    """The problem as an optimizer calls it: every point integrated once, and the best one kept."""

    def __init__(self, problem: Problem, start: Array, progress: Callable[[Trial], None] | None, how: Settings):
        self._problem, self._progress, self._how = problem, progress, how
        self._key, self._last = start.tobytes(), problem.evaluate(start)
        self.best_p, self.best, self._best_key = start.copy(), self._last, self._key
        self._n, self._n_accepted = 1, 0

    def residuals(self, p: Array) -> Array:
        found = self.at(p)
        if found.usable:
            return found.residuals.copy()  # here and below: scipy may scale in place what it was given
        size = TOO_LARGE * (float(np.sqrt(self.best.sum_of_squares)) or 1.0)
        return np.full(found.residuals.size, size / np.sqrt(found.residuals.size))

    def jacobian(self, p: Array) -> Array:
        return self.at(p).jac.copy()

    def settle(self, p: Array) -> None:
        """Take the optimizer's word for the best point."""
        found = self.at(p)
        if found.usable:
            self.best_p, self.best, self._best_key = p.copy(), found, p.tobytes()

    def move_to_bounds(self, active: Array, bounds: Any) -> None:
        """Move what a trust region left next to a bound (-1 lower, 1 upper) onto it, if that is no worse."""
        if not active.any():
            return
        p = np.where(active < 0, bounds[0], np.where(active > 0, bounds[1], self.best_p))
        found, before = self.at(p), self._how.total(self.best)
        if found.usable and self._how.total(found) <= before * (1.0 + self._how.tol):
            self.settle(p)

    def move_back(self, start: Array, bounds: Any) -> None:
        """Take back what a trust region has moved that the residuals do not see, if that is no worse."""
        found = directions(self.best.jac)
        moved = (self.best_p - start) * found.lengths
        unseen = found.null.T @ (found.null @ moved)
        if np.linalg.norm(unseen) <= self._how.tol * np.linalg.norm(moved):
            return
        p = np.clip(self.best_p - unseen / found.lengths, *bounds)
        there, before = self.at(p), self._how.total(self.best)
        if there.usable and self._how.total(there) <= before * (1.0 + self._how.tol):
            self.settle(p)

    def goes_on(self) -> bool:
        return self._n < self._how.max_evaluations

    def at(self, p: Array) -> Evaluation:
        key = p.tobytes()
        if key != self._key:
            self._last = self.best if key == self._best_key else self._evaluated(p, key)
            self._key = key
        return self._last

    def _evaluated(self, p: Array, key: bytes) -> Evaluation:
        p = p.copy()  # scipy may change its own
        found = self._problem.evaluate(p)
        self._n += 1
        accepted = found.usable and self._how.total(found) < self._how.total(self.best)
        if accepted:
            self._n_accepted += 1
            self.best_p, self.best, self._best_key = p, found, key
        if self._progress is not None:
            self._progress(Trial(self._n_accepted + (not accepted), p, 0.0, 1.0, found, accepted))
        return found

    def result(self, ending: Ending) -> Result:
        return Result(self.best_p, self.best, ending, 0.0, self._n_accepted, self._n)
