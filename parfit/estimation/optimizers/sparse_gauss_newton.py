"""Better guesses for states that were not observed: a sparse Gauss-Newton method (thesis, section 3.4; SPRGN).

At fixed parameters, (3.4.1) is minimized over the values c of the guessed states at the sample times: the observed
equations against the slopes of the smoothing, and the trapezoidal rule for the guessed states. A value meets only
those of the neighbouring times, so that J'J is block tridiagonal: a band, solved in time proportional to its length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.curves.sampled import (
    Weights,
    given_values,
    sample_times,
    spread_of_values,
    values_at,
    weights_at,
)
from parfit.estimation.optimizers.banded import Blocks, solve
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.simulation.first_states import first_state
from parfit.simulation.pointwise import Pointwise

# SPARSE_GN: limits, and the absolute part of its test |c - c1| <= TOL |c1| + .001. (The manual, under DFIT, has
# e (|c1| + .001); this is the program's.)
MAX_ITERATIONS = 25
MAX_INTERPOLATIONS = 5
ATOL = 0.001


class Outcome(Enum):
    """How an improvement of guesses ended, in words."""

    CONVERGED = "the guesses no longer change by more than the tolerance"
    LIMIT = "the sparse Gauss-Newton method needs more than 25 iterations to meet the tolerance; go on, or raise it"
    NO_REDUCTION = "no lower sum of squares was found along the step within 5 interpolations"
    START = "the equations are no finite numbers at the first guesses; guess other values"


@dataclass(frozen=True, eq=False)
class Improvement:
    """New guesses at the sample times, by name, and how they were found."""

    guessed: dict[str, Array]
    outcome: Outcome
    n_iterations: int
    before: float  # sum of squares (3.4.1) at the old guesses
    sum_of_squares: float  # and at the new ones
    singular: bool  # the equations do not determine all values: of the possible steps a short one was taken

    def __str__(self) -> str:
        sums = f"sum of squares {self.before:g} -> {self.sum_of_squares:g}"
        count = "1 iteration" if self.n_iterations == 1 else f"{self.n_iterations} iterations"
        words = f"{self.outcome.value}; {count}, {sums}"
        return f"{words}; {SINGULAR}" if self.singular else words


SINGULAR = "the observed equations do not determine every guessed value: hold the initial values fixed"


@dataclass(frozen=True, eq=False)
class _Point:
    """Residuals at some guesses and, if wanted, their derivatives."""

    slopes: Array  # (n_times, n_observed), 0 at the first time if the initial values are fixed
    defects: Array  # (n_times - 1, n_guessed)
    blocks: Blocks | None

    @property
    def sum_of_squares(self) -> float:
        total = float(np.vdot(self.slopes, self.slopes) + np.vdot(self.defects, self.defects))
        return total if np.isfinite(total) else np.inf


class Guesses:
    """The least-squares problem for the guessed values c, (n_times, n_guessed).

    With `fixed` initial values the first row of c does not move; the residuals then begin with the second time, and
    the observed states have their initial values y0(p) at the first (ITER_FUNC_FIXIC).
    """

    def __init__(
        self,
        model: Model,
        p: ArrayLike,
        times: ArrayLike,
        curves: Mapping[str, Curve],
        guessed: Mapping[str, ArrayLike],
        fixed: bool = True,
        weights: Weights | None = None,
    ):
        self.times, self.fixed, self._p = sample_times(times), fixed, np.array(p, dtype=float)
        observed, aux, self.names, self._y = given_values(model, self.times, curves, guessed)
        if not self.names or self.times.size < 2:
            raise ParfitError("there is nothing to improve: it takes a guessed state and two sample times")
        self._place = [model.states.index(name) for name in self.names]
        self.start = self._y[:, self._place]
        rows = (*observed, *map(rate_name, aux), *self.names)
        self._rows = Pointwise(with_rates(model, aux), rows, (), self.names)
        self._n_observed = len(rows) - len(self.names)
        self._slopes = values_at(curves, (*observed, *aux), self.times, derivative=1)
        self._weights = weights_at(weights, (*observed, *aux, *self.names), self.times)
        self._steps = np.diff(self.times)[:, np.newaxis]
        if fixed:
            held = [model.states.index(name) for name in observed]
            self._y[0, held] = first_state(model)(self._p)[0][held]

    def at(self, c: Array, derivatives: bool) -> _Point:
        """Residuals of (3.4.1) at the guesses c."""
        y, n = self._y.copy(), self._n_observed
        y[:, self._place] = c
        g, _, g_c = self._rows(self.times, y, self._p, by_state=derivatives)
        slopes = self._weights[:, :n] * (g[:, :n] - self._slopes)
        if self.fixed:
            slopes[0] = 0.0
        defects = self._weights[1:, n:] * (0.5 * (g[:-1, n:] + g[1:, n:]) - np.diff(c, axis=0) / self._steps)
        return _Point(slopes, defects, self._blocks(g_c) if derivatives else None)

    def _blocks(self, g_c: Array) -> Blocks:
        n, unit = self._n_observed, np.eye(len(self.names)) / self._steps[:, np.newaxis]
        own, joint = self._weights[:, :n, np.newaxis], self._weights[1:, n:, np.newaxis]
        return Blocks(own * g_c[:, :n], joint * (0.5 * g_c[:-1, n:] + unit), joint * (0.5 * g_c[1:, n:] - unit))

    @property
    def sizes(self) -> Array:
        """How far the values of each guessed state are spread at the start, (n_guessed,)."""
        return np.array([spread_of_values(values) for values in self.start.T])

    def direction(self, point: _Point) -> tuple[Array, float, bool]:
        """The Gauss-Newton step, the slope of F along it, and whether J'J was singular."""
        assert point.blocks is not None
        gradient = point.blocks.transposed(point.slopes, point.defects)
        first = 1 if self.fixed else 0
        step = np.zeros_like(gradient)
        step[first:], singular = solve(point.blocks.normal(first), -gradient[first:])
        return step, 2.0 * float(np.vdot(step, gradient)), singular


def improve(
    problem: Guesses,
    tol: float,
    atol: float | None = None,
    progress: Callable[[int, float], None] = lambda iteration, total: None,
) -> Improvement:
    """Minimize (3.4.1) over the guesses by SPARSE_GN; `progress` sees every iteration's number and sum of squares.

    `tol` is the relative tolerance on the change of the guesses, `atol` the absolute one, which was .001 in 1977; by
    default it is that part of the spread of each guess. Strategy (a) of Bard (1970) shortens a step.
    """
    with np.errstate(all="ignore"):
        least = ATOL * problem.sizes if atol is None else np.full(len(problem.names), atol)
        return _Search(problem, tol, least, progress).run()


class _Search:
    def __init__(self, problem: Guesses, tol: float, atol: Array, progress: Callable[[int, float], None]):
        self.problem, self.tol, self.atol, self.progress = problem, tol, atol, progress
        self.c = problem.start.copy()
        self.halvings = 0  # JAY: steps that had to be shortened lately make the next one begin shorter
        self.n_iterations = 0
        self.singular = False

    def run(self) -> Improvement:
        before = self.total = self.problem.at(self.c, False).sum_of_squares
        outcome = self._iterate() if before < np.inf else Outcome.START
        guessed = dict(zip(self.problem.names, self.c.T.copy(), strict=True))
        return Improvement(guessed, outcome, self.n_iterations, before, self.total, self.singular)

    def _iterate(self) -> Outcome:
        while self.n_iterations < MAX_ITERATIONS:
            self.n_iterations += 1
            point = self.problem.at(self.c, True)
            step, slope, singular = self.problem.direction(point)
            self.singular |= singular
            if not np.isfinite(step).all():
                return Outcome.NO_REDUCTION
            ending = self._advance(step, slope)
            self.progress(self.n_iterations, self.total)
            if ending is not None:
                return ending
        return Outcome.LIMIT

    def _advance(self, step: Array, slope: float) -> Outcome | None:
        """Take the step or a part of it; says how it ended, if it did."""
        self.halvings //= 2
        part = 0.5**self.halvings
        for trial in range(1 + MAX_INTERPOLATIONS):
            c = self.c + part * step
            total = self.problem.at(c, False).sum_of_squares
            converged = bool((np.abs(self.c - c) <= self.tol * np.abs(c) + self.atol).all())
            # In 1977 the last, small change was made without a look at the sum; here it must not raise it.
            if total < self.total or (total <= self.total and (trial == 0 or converged)):
                self.c, self.total = c, total
                return Outcome.CONVERGED if converged else None
            if converged:
                return Outcome.CONVERGED
            self.halvings += 1
            part = _shorter(part, slope, total - self.total)
        return Outcome.NO_REDUCTION


def _shorter(part: float, slope: float, rise: float) -> float:
    """The minimum of the parabola through F and its slope (in 1977 half of it), kept to .25 to .75 of the part."""
    lowest = slope * part**2 / (2.0 * (slope * part - rise)) if np.isfinite(rise) else 0.0
    return max(0.25 * part, min(0.75 * part, lowest))
