"""The Levenberg-Marquardt method as More has it (1978): steps within a trust region in scaled parameters.

J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, pages
105-116; with the constants of MINPACK's lmder, so that it goes the same way. A point where the problem has no solution
is a step rejected. What would cross a bound stops there, and the others do what is best then. A robust loss is
minimized by least-squares problems that have its slopes; whether a step is taken, and whether it was the last, is
judged by the loss itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from parfit.arrays import Array, Mask
from parfit.estimation.problem import Evaluation
from parfit.kernel.linearized import Linearized

FACTOR = 100.0  # of the scaled length of the start, for the first radius
ORTHOGONAL = 1e-15  # cosine between residuals and columns of the Jacobian below which there is nothing to gain
EPSILON = float(np.finfo(float).eps)  # a tolerance below it could never be met
ENOUGH = 1e-4  # of the expected reduction, for a step to be taken
POOR, GOOD = 0.25, 0.75  # parts of the expected reduction that make the region smaller, or larger
SHORTEST = 0.1  # the most that it shrinks at once


class Minimized(Protocol):
    """What is to be made as small as possible."""

    def total(self, evaluation: Evaluation) -> float:
        """The value of it; infinite where it cannot be had."""

    def squares(self, evaluation: Evaluation) -> tuple[Array, Array]:
        """The Jacobian and the residuals of a least-squares problem that is like it near that point."""


@dataclass
class TrustRegion:
    """Where steps may lead, by their scaled length, and the Levenberg-Marquardt parameter of the last one."""

    radius: float
    par: float = 0.0

    def adapt(self, ratio: float, reduction: float, slope: float, length: float) -> None:
        """After a step: by the part of the expected reduction that was had, and the slope along the step."""
        if ratio <= POOR:
            part = 0.5 if reduction >= 0.0 else max(SHORTEST, 0.5 * slope / (slope + 0.5 * reduction))
            self.radius = part * min(self.radius, length / SHORTEST)
            self.par /= part
        elif self.par == 0.0 or ratio >= GOOD:
            self.radius = 2.0 * length
            self.par *= 0.5


@dataclass(frozen=True, eq=False)
class Step:
    """A change of the parameters, its scaled length, and what the linear problem says of the sum along it."""

    change: Array  # (n_active,)
    length: float
    gain: float  # by which the sum falls
    slope: float  # half of it, negative


def converge(
    evaluate: Callable[[Array], Evaluation],
    p: Array,
    found: Evaluation,
    tol: float,
    goes_on: Callable[[], bool],
    loss: Minimized,
    bounds: tuple[Array, Array] | None = None,
) -> bool:
    """Go down from p, with what was found there; False if it may not go on before it has converged.

    It has if the reduction that was had and the one that was expected are within the tolerance, relative to what is
    minimized, or the region is, relative to the parameters.
    """
    near = _Free(found) if bounds is None else _Bounded(found, bounds)
    near.load(p, *loss.squares(found))
    norm, tol, is_first = near.scaled_norm(p), max(tol, EPSILON), True
    region, total = TrustRegion(FACTOR * norm or FACTOR), loss.total(found)
    while near.is_open:
        step = near.step(region)
        if is_first:
            region.radius = min(region.radius, step.length)
        trial_p = near.reached(step.change)
        trial = evaluate(trial_p)
        expected = step.gain / total
        reduction = 1.0 - loss.total(trial) / total if trial.usable else -math.inf
        ratio = reduction / expected if expected > 0.0 else 0.0
        region.adapt(ratio, reduction, step.slope / total, step.length)
        if ratio >= ENOUGH:
            p, found, norm, is_first = trial_p, trial, near.scaled_norm(trial_p), False
            total = loss.total(found)
        if (abs(reduction) <= tol and expected <= tol and ratio <= 2.0) or region.radius <= tol * norm:
            return True
        if not goes_on():
            return False
        if found is trial:
            near.load(p, *loss.squares(found))
    return True


class _Free:
    """The linear problem about a point."""

    def __init__(self, found: Evaluation):
        n, m = found.jac.shape
        self._missing = max(m - n, 0)  # rows, which are zeros then
        self.linear = Linearized(n + self._missing, m, found.precision)
        self.scaled_norm: Callable[[Array], float] = self.linear.scaled_norm

    def load(self, p: Array, jac: Array, f: Array) -> None:
        """Go to another point."""
        if self._missing:
            jac, f = np.pad(jac, ((0, self._missing), (0, 0))), np.pad(f, (0, self._missing))
        self.p, self.norm = p, math.sqrt(float(f @ f))
        self.linear.load(np.ascontiguousarray(jac), f)

    @property
    def is_open(self) -> bool:
        """Whether there is anything to gain."""
        return bool(self.linear.steepest > ORTHOGONAL * self.norm)

    def step(self, region: TrustRegion) -> Step:
        """The best step within the region."""
        change, region.par, length, jac_step_norm = self.linear.step(region.radius, region.par)
        linear_part, damping_part = jac_step_norm * jac_step_norm, region.par * length * length
        return Step(change, length, linear_part + 2.0 * damping_part, -(linear_part + damping_part))

    def reached(self, change: Array) -> Array:
        """Where a change leads."""
        return self.p + change


class _Bounded(_Free):
    """The same within bounds: what presses against one is held there."""

    def __init__(self, found: Evaluation, bounds: tuple[Array, Array]):
        super().__init__(found)
        self.low, self.high = bounds

    def load(self, p: Array, jac: Array, f: Array) -> None:
        super().load(p, jac, f)  # with all columns, so that the scales know them
        gradient = f @ jac
        self._pressed: Mask = ((p <= self.low) & (gradient > 0.0)) | ((p >= self.high) & (gradient < 0.0))
        self._jac, self._f = jac, f
        self._hold(self._pressed, np.zeros(p.size))

    def _hold(self, held: Mask, change: Array) -> None:
        """Let the others move when what is held has changed by this."""
        super().load(self.p, np.where(held, 0.0, self._jac), self._f + self._jac @ np.where(held, change, 0.0))

    def step(self, region: TrustRegion) -> Step:
        """The best step of those that do not press; what would cross a bound stops there, and the others follow."""
        held, par = self._pressed, region.par
        change, region.par, *_ = self.linear.step(region.radius, par)
        while True:
            stopped = self.reached(change) - self.p
            held = held | (stopped != change)
            if (stopped == change).all():
                break
            self._hold(held, stopped)
            change = np.where(held, stopped, self.linear.step(region.radius, par)[0])
        if (held != self._pressed).any():
            self._hold(self._pressed, np.zeros(change.size))
        moved, slope = self._jac @ change, float(change @ (self._f @ self._jac))
        return Step(change, self.scaled_norm(change), -(2.0 * slope + float(moved @ moved)), slope)

    def reached(self, change: Array) -> Array:
        return np.clip(self.p + change, self.low, self.high)
