"""Least squares with one quantity held: Marquardt's steps along which it keeps its value, within bounds.

A step d makes |f + J d|^2 + lambda |D d|^2 as small as possible under a'd = gap, where a are the derivatives of the
quantity, gap is what is missing to its value, and D are the lengths of the columns of J. A parameter that stands at
its bound and would be led across stays there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, replace
from typing import Any, TypeVar

import numpy as np

from parfit.arrays import Array, Mask
from parfit.dataclass import dataclass
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem
from parfit.estimation.profiles.target import ParameterTarget, Target
from parfit.spectrum import RANK, column_lengths, condensed, inverse_of, pseudo_inverse

T = TypeVar("T")
MOST_STEPS = 30
FIRST_LAMBDA, LAST_LAMBDA, FACTOR = 1e-3, 1e9, 10.0  # of a correction whose plain step fails
REFIT = bounded.Settings(max_evaluations=100)  # where a few steps do not do
ENDED = (Ending.CONVERGED, Ending.NO_REDUCTION)  # of a refit that may be a minimum: others were cut short
PULL = 1e-6  # the cosine of residuals with a column, from which on a parameter leaves its bound
REGULAR = 1e-5  # the smallest singular value next to the largest, from which on no parameter is eliminated first
NEAR = 0.02  # of the way to a value: from there on the quantity is held where it is


@dataclass(frozen=True, eq=False)
class Linear:
    """A damped least-squares problem with slope'd = gap, one parameter being eliminated.

    Singular values that are small next to the largest are 0, and the shortest step is taken.
    """

    k: int  # the parameter that is eliminated; -1 where nothing moves the quantity
    units: Array
    slope: float  # of the quantity by it, in its unit
    column: Array  # of the Jacobian, its own
    others: Mask
    ratio: Array  # slopes of the others by its own
    inverse: Array  # (n_others, n_rows), and as many columns more as there are rows of damping

    @classmethod
    def of(cls, jac: Array, slope: Array, lam: float, units: Array, rank: float) -> Linear:
        columns, slopes = jac / units, slope / units
        k = int(np.abs(slopes).argmax())
        others = np.arange(slope.size) != k
        if slopes[k] == 0.0:
            return cls(-1, units, 0.0, np.empty(0), others, np.empty(0), np.empty((0, 0)))
        ratio = slopes[others] / slopes[k]
        reduced = columns[:, others]
        if ratio.any():
            reduced -= np.outer(columns[:, k], ratio)
        if lam > 0.0:
            reduced = np.vstack((reduced, math.sqrt(lam) * np.eye(reduced.shape[1])))
        return cls(k, units, float(slopes[k]), columns[:, k], others, ratio, pseudo_inverse(reduced, rank))

    def solved(self, f: Array, gap: float) -> Array:
        """The step for residuals f in the basis of the columns, (n_free,)."""
        if self.k < 0:
            return np.zeros(self.units.size)
        right = -(f + self.column * (gap / self.slope))
        step = np.empty(self.units.size)
        step[self.others] = self.inverse[:, : f.size] @ right
        step[self.k] = gap / self.slope - float(self.ratio @ step[self.others])
        return step / self.units


@dataclass(frozen=True, eq=False)
class Place:
    """A point that was evaluated, with the quantity there."""

    p: Array  # (n_active,), scaled
    evaluation: Evaluation
    value: float  # of the quantity
    slope: Array  # of it by the active parameters, (n_active,)
    pressed: tuple[int, ...] = ()  # subscripts of active parameters that a bound keeps back
    known: dict[Any, Any] = field(default_factory=dict)  # of its linearization: copies of a place share it

    @property
    def total(self) -> float:
        return self.evaluation.sum_of_squares

    @property
    def lengths(self) -> Array:
        """Of the columns of the Jacobian."""
        return self._once("lengths", lambda: column_lengths(self.jac))

    @property
    def jac(self) -> Array:
        """The Jacobian, turned together with the residuals so that few rows are left: all is the same, and faster."""
        return self._few_rows[:, :-1]

    @property
    def residuals(self) -> Array:
        return self._few_rows[:, -1]

    @property
    def _few_rows(self) -> Array:
        found = self.evaluation
        return self._once("rows", lambda: condensed(np.column_stack((found.jac, found.residuals))))

    def linearized(self, free: Mask, lam: float) -> Linear:
        """The least-squares problem of what is free, prepared for any right-hand side."""

        def made() -> Linear:
            rank = max(RANK, self.evaluation.precision)
            return Linear.of(self.jac[:, free], self.slope[free], lam, self.units[free], rank)

        return self._once((free.tobytes(), lam), made)

    def regular_step(self, f: Array, gap: float) -> Array | None:
        """The step of all parameters for residuals f, undamped; None where the columns are nearly dependent.

        With M = (J'J)^-1 it is -M J'f + M a (gap + a'M J'f) / a'M a.
        """
        inverse, slopes = self._inverse, self.slope / self.units
        if inverse is None or not slopes.any():
            return None
        plain, across = inverse @ -f[:-1], inverse @ (slopes @ inverse)
        step: Array = (plain + across * ((gap - slopes @ plain) / (slopes @ across))) / self.units
        return step

    @property
    def units(self) -> Array:
        """Of the parameters, in which the columns have length 1."""
        return self._once("units", lambda: np.where(self.lengths > 0.0, self.lengths, 1.0))

    @property
    def _inverse(self) -> Array | None:
        """Of the triangle that the Jacobian is in few rows."""
        return self._once("inverse", lambda: inverse_of(self.jac[:-1] / self.units, REGULAR))

    def _once(self, what: object, made: Callable[[], T]) -> T:
        if what not in self.known:
            self.known[what] = made()
        found: T = self.known[what]
        return found


class Held:
    """A problem with a quantity that can be held; counts its evaluations."""

    def __init__(self, problem: Problem, parameters: ParameterMap, target: Target):
        self._problem, self._map, self.target = problem, parameters, target
        self._low, self._high = parameters.active_bounds
        self._is_open = not parameters.bounded
        self.n_evaluations = 0

    def place(self, p: Array) -> Place:
        """The problem within the bounds at p."""
        p = self._within(p)
        self.n_evaluations += 1
        found = self._problem.evaluate(p)
        if not found.usable:
            return Place(p, found, np.nan, np.zeros(p.size))
        return Place(p, found, *self.target.at(p, found))

    def tangent(self, at: Place) -> tuple[Array, tuple[int, ...], float, float]:
        """Where the others go as the quantity grows by 1: the change of all parameters, (n_active,), those that a
        bound keeps back, and the first and second coefficient of F along it."""
        up = self._step(at, np.zeros(at.p.size + 1), 1.0, 0.0)
        along = at.jac @ up[0]
        parts = at.lengths * up[0]
        if float(along @ along) <= (at.evaluation.precision**2) * float(parts @ parts):
            along = np.zeros_like(along)  # errors of the integration: nothing is seen
        return *up, float(at.residuals @ along), float(along @ along)

    def corrected(
        self, start: Place, value: float, tol: float, way: float, most_steps: int = MOST_STEPS
    ) -> Place | None:
        """The minimum with the quantity at a value, to which it came by so long a way; None where it is not found.

        It is, if another step would lower F by less than `tol`. A quantity that is no parameter may be a little beside
        the value: every such minimum is a point of the profile.
        """
        at, lam = start, 0.0
        for _ in range(most_steps):
            if not at.evaluation.usable:
                return None
            gap = value - at.value if abs(value - at.value) > NEAR * way else 0.0
            plain, pressed = self._change(at, gap, 0.0)
            if gap == 0.0 and _expected(at, plain) <= tol:
                return replace(at, pressed=pressed) if pressed else at
            trial, lam = self._lower(at, gap, plain, lam, tol)
            if trial is None:
                return None
            at = trial
        return None

    def refitted(self, near: Place, value: float) -> Place | None:
        """The same by a whole fit from another point, where valleys are too narrow for a few steps; of parameters."""
        if not isinstance(self.target, ParameterTarget):
            return None
        k = self.target.k
        others = np.arange(near.p.size) != k
        whole = near.p.copy()
        whole[k] = value
        if not others.any():
            return None
        limits = self._low[others], self._high[others]
        found = bounded.minimize(_Others(self._problem, whole, others), whole[others], REFIT, limits)
        self.n_evaluations += found.n_evaluations
        if found.unless_interrupted().ending not in ENDED or not found.evaluation.usable:
            return None
        whole[others] = found.p
        place = self.place(whole)
        return replace(place, pressed=self._change(place, 0.0, 0.0)[1])

    def _lower(self, at: Place, gap: float, plain: Array, lam: float, tol: float) -> tuple[Place | None, float]:
        """A better point, with the lambda to go on with."""
        multiplier = 0.0 if isinstance(self.target, ParameterTarget) else 2.0 * self.tangent(at)[2]
        while lam <= LAST_LAMBDA:
            change = plain if lam == 0.0 else self._change(at, gap, lam)[0]
            trial = self.place(at.p + change)
            if trial.evaluation.usable and _is_better(at, trial, gap, multiplier, tol):
                return trial, 0.0 if lam <= FIRST_LAMBDA else lam / FACTOR
            lam = max(FIRST_LAMBDA, FACTOR * lam)
        return None, lam

    def _change(self, at: Place, gap: float, lam: float) -> tuple[Array, tuple[int, ...]]:
        """A step within the bounds, and what they keep back."""
        change, pressed = self._step(at, at.residuals, gap, lam, is_whole=True)
        return (change if self._is_open else self._within(at.p + change) - at.p), pressed

    def _within(self, p: Array) -> Array:
        return p if self._is_open else np.clip(p, self._low, self._high)

    def _step(
        self, at: Place, f: Array, gap: float, lam: float, is_whole: bool = False
    ) -> tuple[Array, tuple[int, ...]]:
        """The step of the linearized problem, and the parameters that stay at their bounds.

        All that are at one stay there first; those that F would fall with as they leave it are let go, one after the
        other, and stay if they are led across all the same. What a whole step, and no mere direction, leads across
        a bound goes as far as that, and the others make the best of it.
        """
        free = (at.p > self._low) & (at.p < self._high)
        if self._is_open:
            found = at.regular_step(f, gap) if lam == 0.0 else None
            return (at.linearized(free, lam).solved(f, gap) if found is None else found), ()
        if not (free & (at.slope != 0.0)).any():
            free |= at.slope != 0.0
        kept, moved = np.zeros_like(free), np.zeros(at.p.size)
        while True:
            change = moved.copy()
            right, left = (f + at.jac @ moved, gap - float(at.slope @ moved)) if moved.any() else (f, gap)
            change[free] = at.linearized(free, lam).solved(right, left)
            if is_whole and self._stop_first(at, change, free, moved):
                kept |= ~free
                continue
            if free.all() and not self._outward(at.p, change).any():
                return change, ()
            outward = self._outward(at.p, change) & free & ~_only(at.slope, free)
            kept |= outward
            free &= ~outward
            if outward.any():
                continue
            pulls = _pulls(at, f, change, free, lam)
            leaving = ~free & ~kept & self._inward(at.p, pulls)
            if not leaving.any():
                return change, tuple(np.flatnonzero(~free).tolist())
            free[np.argmax(np.where(leaving, np.abs(pulls), -1.0))] = True

    def _stop_first(self, at: Place, change: Array, free: Mask, moved: Array) -> bool:
        """Have what a step leads across its bound first go no further than that; whether there was something."""
        after = at.p + change
        across = free & ~_only(at.slope, free) & ((after < self._low) | (after > self._high))
        across &= (at.p > self._low) & (at.p < self._high)
        if not across.any():
            return False
        room = np.where(change < 0.0, self._low, self._high) - at.p
        k = int(np.argmin(np.where(across, room / np.where(across, change, 1.0), np.inf)))
        moved[k], free[k] = room[k], False
        return True

    def _inward(self, p: Array, pulls: Array) -> Mask:
        """What is at a bound and would be led away from it."""
        inward: Mask = ((p <= self._low) & (pulls > PULL)) | ((p >= self._high) & (pulls < -PULL))
        return inward

    def _outward(self, p: Array, change: Array) -> Mask:
        """What is at a bound and would be led across."""
        outward: Mask = ((p <= self._low) & (change < 0.0)) | ((p >= self._high) & (change > 0.0))
        return outward


class _Others:
    """A problem in all parameters but one."""

    def __init__(self, problem: Problem, whole: Array, others: Mask):
        self._problem, self._whole, self._others = problem, whole, others

    def evaluate(self, active: Array) -> Evaluation:
        p = self._whole.copy()
        p[self._others] = active
        found = self._problem.evaluate(p)
        return replace(found, jac=np.ascontiguousarray(found.jac[:, self._others]))


def _is_better(at: Place, trial: Place, gap: float, multiplier: float, tol: float) -> bool:
    """By F as it would be at the value of the quantity, to first order; far from that, whatever is nearer."""
    value = at.value + gap
    if gap and abs(value - trial.value) < 0.5 * abs(gap):
        return True
    return trial.total + multiplier * (value - trial.value) <= at.total + multiplier * gap + 1e-3 * tol


def _pulls(at: Place, f: Array, change: Array, free: Mask, lam: float) -> Array:
    """By how much F falls with each parameter after a step, the quantity being held; as cosines, (n_active,)."""
    jac, units = at.jac, at.units
    after = f + jac @ change
    gradient = after @ jac / units + lam * units * change
    slopes = at.slope / units
    k = int(np.argmax(np.where(free, np.abs(slopes), -1.0)))
    along = gradient[k] / slopes[k] if slopes[k] != 0.0 else 0.0
    size = math.sqrt(float(after @ after)) or 1.0
    pulls: Array = -(gradient - along * slopes) / size
    return pulls


def _only(slope: Array, free: Mask) -> Mask:
    """The parameter that alone moves the quantity, if there is only one left: it cannot stay."""
    moving = free & (slope != 0.0)
    return moving if np.count_nonzero(moving) == 1 else np.zeros_like(free)


def _expected(at: Place, change: Array) -> float:
    """By how much F would change along a step, either way, if the residuals were linear."""
    after = at.residuals + at.jac @ change
    return abs(at.total - float(after @ after))
