"""Where equations come to rest: the state that is reached from some values, and its derivatives by the parameters.

A run brings the state near; then Newton's method finds the root of g = 0 that has the same values of all that is
conserved, and the implicit function theorem its derivatives: g_y s = -g_p. Where that leaves the state undetermined,
because there are rests all around, it is the end of a long run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parfit.arrays import Array
from parfit.equilibria.conservation import conserved
from parfit.model.calculus.standstill import standing_still
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.pointwise import Initial, Pointwise
from parfit.simulation.status import Reason
from parfit.simulation.through import Through
from parfit.spectrum import shortest_solutions, solved

GROWTH = 8.0  # each run is so many times as long as the one before
MOST_RUNS = 40
NEAR = 0.01  # of a state: how far from the end of a run its rest may be
GONE = 1e-6  # of the largest value on the way: what is left of a state that goes to 0
MOST_STEPS = 30  # of Newton's method
SMALLEST_STEP = 1e-11  # next to a state: as Newton's method squares it, the next one would be rounding
ROUNDING = 1e-11  # what is 0 next to the largest, of eigenvalues
STILL = 1e-13  # how far a state may be off the rest in a direction that leads away from it
N_MORE = 8  # points of a sample of rates, beyond the number of states
CUT = 1e-11  # singular values below this part of the largest are 0
TIGHTEST = 1e-6  # EPS of the runs, at most
RESTS = (Reason.OK, math.nan, -1)  # how it ends well


class Found(NamedTuple):
    """A rest (n_states,), its derivatives (n_states, n_active) if these were wanted, and how it ended."""

    y: Array
    s: Array | None
    end: tuple[Any, ...]


class _Laws(NamedTuple):
    """Combinations of the states that never change, (k, n_states), and their derivatives (k, n_states, n_active)."""

    coefs: Array
    slopes: Array | None = None  # None where they do not depend on parameters


class Resting:
    """A model that is brought to rest again and again, with derivatives by `active` parameters (subscripts from 0).

    `late`: time stands still when all is over, rather than before all begins.
    """

    def __init__(self, model: Model, active: Sequence[int], method: Method, late: bool = False):
        still, self._active = standing_still(model, late), tuple(active)
        self.model = replace(still, jumps=())
        self._field = Pointwise(self.model, self.model.states, active, by=self.model.states)
        self._initial = Initial(model, active)
        self._method = method.accurate(min(method.eps, TIGHTEST))
        self._events = Through(still, active, self._method) if still.jumps else None
        self._known: _Laws | None = None

    def __call__(self, p: Array, sensitivities: bool, y0: Array | None = None, s0: Array | None = None) -> Found:
        """The rest that is reached from the initial values, or from others with their derivatives."""
        if y0 is None:
            y0, s0 = self._initial(p)
        with np.errstate(all="ignore"):
            if self._events is not None:
                y0, s0, is_over = self._events(p, y0, s0 if sensitivities else None, self.first_length(p, y0))
                if not is_over:
                    return _Way(self, p, y0, s0).moving(y0)
            return _Way(self, p, y0, s0).found(sensitivities)

    def rates(self, p: Array, y: Array) -> tuple[Array, Array, Array]:
        """g (n,), g_y (n, n) and g_p (n, n_active) at a state."""
        g, g_p, g_y = self._field(np.zeros(1), y[np.newaxis], p, by_state=True)
        return g[0], g_y[0], g_p[0]

    def first_length(self, p: Array, y: Array) -> float:
        """The longest time in which a state would change by its own effect on itself."""
        diagonal = np.abs(np.diag(self.rates(p, y)[1]))
        known = diagonal[np.isfinite(diagonal) & (diagonal > 0.0)]
        return float(1.0 / known.min()) if known.size else 1.0

    def run(self, p: Array, y: Array, length: float, s: Array | None = None) -> Any:
        """The solution after some time, from a state on."""
        from parfit.simulation.simulator import Simulator  # which imports what is here

        active = () if s is None else self._active
        return Simulator(self.model, [length], self._method, active)(p, s is not None, y, s)

    @property
    def most_steps(self) -> int:
        return self._method.max_steps

    @property
    def eps(self) -> float:
        return self._method.eps

    @cached_property
    def laws(self) -> _Laws:
        """What is conserved whatever the parameters are: at the model's own values, whoever asks first."""
        random, p = np.random.default_rng(0), self.model.values
        points = _around(random, _typical(self._initial(p)[0]))
        usual = np.where(p != 0.0, p, 1.0)
        rates = [self.rates(usual * random.uniform(0.5, 1.5, p.size), y)[0] for y in points]
        return _Laws(_coefs(np.array(rates)))

    def laws_here(self, p: Array, size: Array) -> _Laws:
        """What is conserved at these parameters, on which the combinations may depend."""
        points = _around(np.random.default_rng(0), size)
        g, g_p, _ = self._field(np.zeros(len(points)), points, p)
        coefs = _coefs(g)
        kept = np.isfinite(g).all(axis=1) & np.isfinite(g_p).all(axis=(1, 2))
        # With g c = 0 at all points, g c_p = -g_p c.
        right = -np.einsum("ijk,lj->lki", g_p[kept], coefs)
        shape = len(coefs), len(self._active), int(kept.sum())
        many = np.broadcast_to(g[kept], (shape[0] * shape[1], *g[kept].shape))
        slopes = shortest_solutions(many, right.reshape(-1, shape[2]), CUT).reshape(*shape[:2], size.size)
        return _Laws(coefs, slopes.transpose(0, 2, 1))


def _typical(y0: Array) -> Array:
    """Sizes of states that begin so; what begins with 0, or with no number, is like the largest."""
    sizes = np.where(np.isfinite(y0), np.abs(y0), 0.0)
    return np.where(sizes > 0.0, sizes, float(sizes.max(initial=0.0)) or 1.0)


def _around(random: np.random.Generator, size: Array) -> Array:
    return size * random.uniform(0.5, 1.5, (size.size + N_MORE, size.size))


def _coefs(rates: Array) -> Array:
    found = conserved(rates, np.zeros(rates.shape[1]))
    return np.array([law.coefs for law in found]).reshape(len(found), rates.shape[1])


class _Way:
    """The way to rest from one state at one set of parameters."""

    def __init__(self, resting: Resting, p: Array, y0: Array, s0: Array | None):
        self._resting, self._p, self._y0, self._s0 = resting, p, y0, s0
        self._largest = np.abs(y0)
        self._laws = resting.laws
        self._undetermined = False

    @property
    def _size(self) -> Array:
        return np.where(self._largest > 0.0, self._largest, 1.0)

    def found(self, sensitivities: bool) -> Found:
        y, elapsed, n_steps = self._y0, 0.0, 0
        length = GROWTH ** math.floor(math.log(self._resting.first_length(self._p, self._y0), GROWTH))
        for _ in range(MOST_RUNS):
            run = self._resting.run(self._p, y, length)
            n_steps += run.counts.steps
            if not run.status or n_steps > self._resting.most_steps:
                break
            before, y = y, run.y[-1]
            elapsed, length = elapsed + length, length * GROWTH
            self._largest = np.maximum(self._largest, np.abs(y))
            rest = self._root_near(y)
            if rest is not None:
                return Found(rest, self._slopes(rest) if sensitivities else None, RESTS)
            if self._undetermined and (np.abs(y - before) <= self._resting.eps * self._largest).all():
                return self._settled(elapsed, sensitivities)
        return self.moving(y)

    def _root_near(self, y: Array) -> Array | None:
        """The root that the run would end in, by Newton's method; None if it is not near enough to say so."""
        z = y
        for _ in range(MOST_STEPS):
            step = self._newton_step(z)
            self._undetermined = step is None
            if step is None:
                return None
            z = z + step
            z[self._largest == 0.0] = 0.0  # what was 0 and stays 0, but for rounding
            near = NEAR * np.maximum(np.abs(y), np.abs(z)) + GONE * self._largest
            if not (np.abs(z - y) <= near).all():
                return None
            if (np.abs(step) <= SMALLEST_STEP * self._size).all():
                return z if self._attracts(z, y - z) else None
        return None

    def _newton_step(self, y: Array) -> Array | None:
        """None if rests lie all around, even among those states that have the same of what is conserved."""
        g, g_y, _ = self._resting.rates(self._p, y)
        found = self._solved(g_y, np.append(-g, self._laws.coefs @ (self._y0 - y))[:, np.newaxis])
        if found is None and self._laws.slopes is None:
            here = self._resting.laws_here(self._p, _typical(self._y0))
            if len(here.coefs) > len(self._laws.coefs):
                self._laws = here
                return self._newton_step(y)
        return None if found is None else found[:, 0]

    def _solved(self, g_y: Array, right: Array) -> Array | None:
        """x with g_y x and what is conserved as given; None if that does not determine it."""
        matrix = np.concatenate((g_y, self._laws.coefs)) * self._size
        rows = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0)
        rows[rows == 0.0] = 1.0
        found = solved(matrix / rows, right / rows)
        return None if found is None else found * self._size[:, np.newaxis]

    def _attracts(self, rest: Array, off: Array) -> bool:
        """Whether the equations lead to the rest from a state that is off it by so much."""
        g_y = self._resting.rates(self._p, rest)[1] * self._size / self._size[:, np.newaxis]
        values, left = np.linalg.eig(g_y.T)
        leaving = values.real > ROUNDING * np.abs(values).max(initial=0.0)
        parts = np.abs((off / self._size) @ left[:, leaving])
        return bool((parts <= STILL).all())

    def _slopes(self, rest: Array) -> Array:
        """By the implicit function theorem; what is conserved has the derivatives that it had at the start."""
        assert self._s0 is not None
        _, g_y, g_p = self._resting.rates(self._p, rest)
        kept = self._laws.coefs @ self._s0
        if self._laws.slopes is not None:
            kept = kept + np.einsum("ijk,j->ik", self._laws.slopes, self._y0 - rest)
        found = self._solved(g_y, np.concatenate((-g_p, kept)))
        return np.full(g_p.shape, np.nan) if found is None else found

    def _settled(self, elapsed: float, sensitivities: bool) -> Found:
        """The end of a run in which nothing changes any more, once more with derivatives if these are wanted."""
        run = self._resting.run(self._p, self._y0, elapsed, self._s0 if sensitivities else None)
        if not run.status:
            return self.moving(self._y0)
        return Found(run.y[-1], None if run.s is None else run.s[-1], RESTS)

    def moving(self, y: Array) -> Found:
        """That there is no rest: the state that changes most, next to its size, and its rate."""
        rates = self._resting.rates(self._p, y)[0]
        state = int(np.nan_to_num(np.abs(rates) / self._size, nan=np.inf).argmax())
        return Found(np.full(y.size, np.nan), None, (Reason.NO_REST, float(rates[state]), state))
