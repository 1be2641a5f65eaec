"""Joints of a smoothing curve chosen automatically: enough to follow the data, too few to follow their noise.

Generalized cross-validation (Craven & Wahba 1979) chooses among two families: joints spread evenly over the
observation times, and joints put one at a time where they help most, each of which is then exchanged for a better one
if there is any. A joint whose place was sought has used up more of the data than one that was not (Friedman,
Multivariate adaptive regression splines, 1991), so that it is charged for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from parfit.arrays import Array
from parfit.model.curves import MULTIPLICITY, ORDER, design, determined, knots_of
from parfit.spectrum import orthonormal

PLACE_COST = 2.0  # degrees of freedom that the search for a joint's place takes; 1.5 to 3 do about as well
EVEN_COST = 0.4  # of one evenly spread, for each coefficient: against undersmoothing (Kim & Gu 2004)
MOST_JOINTS = 30
MOST_SOUGHT = 15  # of them one at a time, which takes longer; as many as 1977 had room for
MOST_PLACES = 60  # times that are tried for a joint
MOST_POINTS = 200  # more are averaged in groups before the search
MOST_USED = 0.9  # part of the degrees of freedom that may be used up
PATIENCE = 4  # numbers of joints without progress after which the search ends
SWEEPS = 2  # exchanges of all joints after each new one
EXACT = 1e-6  # of the range of the data: a curve this near to them need not be nearer
ROUNDING = 1e-13  # of the data themselves, offset and all: their last digits
NOTHING = 1e-9  # of a function's size: what is left of it counts as rounding error

Joints = tuple[float, ...]


def choose(t: Array, y: Array, weights: Array, kind: str) -> Array:
    """The joints for points in order of time; none if the data do not ask for any."""
    counts = weights > 0
    data = _Data(*_averaged(t[counts], _scaled(y[counts]), _scaled(weights[counts])), MULTIPLICITY[kind])
    if not data.has_room(1, EVEN_COST * data.multiplicity):
        return np.empty(0)
    even = _best(data, _even(data), EVEN_COST * data.multiplicity)
    best = min((data.score((), 0.0), ()), even, _best(data, _sought(data), PLACE_COST))
    times = t[counts]
    nearest = [int(np.argmin(np.abs(times - joint))) for joint in best[1]]
    return times[nearest]  # themselves, unless points were averaged


class _Data:
    """Weighted points, and what a choice of joints makes of them."""

    def __init__(self, t: Array, y: Array, weights: Array, multiplicity: int):
        self.t, self.weights, self.multiplicity = t, weights, multiplicity
        self.values = y * weights
        self.times = np.unique(t)
        inner = self.times[1:-1]
        picked = np.linspace(0, inner.size - 1, min(inner.size, MOST_PLACES)).round().astype(int)
        self.places: Array = inner[picked]
        near = max(EXACT * np.ptp(y), ROUNDING * np.abs(y).max(initial=0.0))
        self.enough = float(near**2 * (weights @ weights))
        self._bases: dict[Joints, Array] = {}
        self.extended: dict[Joints, Joints | None] = {}  # by the joint that lowers the sum of squares most

    def basis(self, joints: Joints) -> Array:
        """Orthonormal columns that span the curves with these joints, (n, n_coefficients)."""
        if joints not in self._bases:
            columns = design(self.t, knots_of(self.t, np.array(joints), self.multiplicity)) * self.weights[:, None]
            self._bases = {joints: orthonormal(columns)}  # they are asked for several times in a row
        return self._bases[joints]

    def residuals(self, basis: Array) -> Array:
        left: Array = self.values - basis @ (basis.T @ self.values)
        return left

    def sum_of_squares(self, joints: Joints) -> float:
        residuals = self.residuals(self.basis(joints))
        return float(residuals @ residuals)

    def score(self, joints: Joints, place_cost: float) -> float:
        """The criterion of generalized cross-validation."""
        free = self.t.size - self.used(len(joints), place_cost)
        return max(self.sum_of_squares(joints), self.enough) * self.t.size / free**2

    def used(self, n_joints: int, place_cost: float) -> float:
        return ORDER + n_joints * (self.multiplicity + place_cost)

    def has_room(self, n_joints: int, place_cost: float) -> bool:
        return n_joints <= MOST_JOINTS and self.used(n_joints, place_cost) <= MOST_USED * self.times.size

    def allows(self, joints: Joints) -> bool:
        distinct = len(set(joints)) == len(joints)
        return distinct and determined(self.times, knots_of(self.t, np.array(joints), self.multiplicity))


def _best(data: _Data, family: Callable[[int, Joints], Joints | None], place_cost: float) -> tuple[float, Joints]:
    """The joints of the lowest score, for more and more of them until nothing is gained any more."""
    best: tuple[float, Joints] = (np.inf, ())
    joints: Joints = ()
    for n in range(1, MOST_JOINTS + 1):
        more = family(n, joints) if data.has_room(n, place_cost) else None
        if more is None:
            break
        joints = more
        best = min(best, (data.score(joints, place_cost), joints))
        if n - len(best[1]) >= PATIENCE or data.sum_of_squares(joints) <= data.enough:
            break
    return best


def _even(data: _Data) -> Callable[[int, Joints], Joints | None]:
    """Joints with as many observation times between any two neighbours."""

    def spread(n: int, before: Joints) -> Joints | None:
        picked = np.linspace(0, data.times.size - 1, n + 2).round().astype(int)[1:-1]
        joints = tuple(data.times[picked].tolist())
        return joints if data.allows(joints) else None

    return spread


def _sought(data: _Data) -> Callable[[int, Joints], Joints | None]:
    """Joints where they help most: one more than before, and then each in turn put where it helps most now."""

    def improve(n: int, before: Joints) -> Joints | None:
        joints = _with_another(data, before) if n <= MOST_SOUGHT else None
        for _ in range(SWEEPS if joints is not None else 0):
            assert joints is not None
            old = joints
            for joint in old:
                rest = tuple(other for other in joints if other != joint)
                joints = (_with_another(data, rest) or joints) if len(rest) < len(joints) else joints
            if joints == old:
                break
        return joints

    return improve


def _with_another(data: _Data, joints: Joints) -> Joints | None:
    """The joints with the one more that lowers the sum of squares most; exchanges ask for the same again."""
    if joints not in data.extended:
        data.extended[joints] = _extended(data, joints)
    return data.extended[joints]


def _extended(data: _Data, joints: Joints) -> Joints | None:
    for k in np.argsort(-_gains(data, joints), kind="stable"):
        more = tuple(sorted([*joints, float(data.places[k])]))
        if data.allows(more):
            return more
    return None


def _gains(data: _Data, joints: Joints) -> Array:
    """By how much a further joint at each place would lower the sum of squares, (n_places,)."""
    basis = data.basis(joints)
    residuals = data.residuals(basis)
    gains = np.zeros(data.places.size)
    others: list[Array] = []
    for knots in _further(data, joints):
        functions = bumps(data.t, knots) * data.weights
        size = np.linalg.norm(functions, axis=1)
        for _ in range(2):  # once leaves too much of what is in the basis already
            functions = functions - (functions @ basis) @ basis.T
            for other in others:
                functions = functions - np.sum(functions * other, axis=1, keepdims=True) * other
        left = np.linalg.norm(functions, axis=1)
        counts = left > NOTHING * size
        functions = np.where(counts[:, None], functions / np.where(counts, left, 1.0)[:, None], 0.0)
        gains += (functions @ residuals) ** 2
        others.append(functions)
    return gains


def _further(data: _Data, joints: Joints) -> Iterator[Array]:
    """The knots of a B-spline about each place that only a joint there makes possible; as many as the joint brings."""
    present = knots_of(data.t, np.array(joints), data.multiplicity)
    new = np.repeat(data.places[:, None], data.multiplicity, axis=1)
    knots = np.sort(np.hstack([np.tile(present, (data.places.size, 1)), new]), axis=1)
    middle = np.searchsorted(present, data.places)
    for k in range(data.multiplicity):
        around = middle[:, None] + k + np.arange(-2, ORDER - 1)
        yield np.take_along_axis(knots, around, axis=1)


def bumps(t: Array, knots: Array) -> Array:
    """Cubic B-splines at times t, one for each row of five knots, (n_rows, n); by de Boor's recursion."""
    values = ((knots[:, :-1, None] <= t) & (t < knots[:, 1:, None])).astype(float)
    for degree in range(1, ORDER):
        rising = _slope(t - knots[:, : -degree - 1, None], knots[:, degree:-1] - knots[:, : -degree - 1])
        falling = _slope(knots[:, degree + 1 :, None] - t, knots[:, degree + 1 :] - knots[:, 1:-degree])
        values = rising * values[:, :-1] + falling * values[:, 1:]
    return values[:, 0]


def _slope(distance: Array, length: Array) -> Array:
    # A piece of no length contributes nothing.
    slope: Array = distance / np.where(length > 0, length, np.inf)[..., None]
    return slope


def _scaled(values: Array) -> Array:
    """Of size 1, so that no square overflows."""
    return values / (np.abs(values).max(initial=0.0) or 1.0)


def _averaged(t: Array, y: Array, weights: Array) -> tuple[Array, Array, Array]:
    """The points, or if they are very many the means of neighbours, with the weights that means have."""
    if t.size <= MOST_POINTS:
        return t, y, weights
    starts = np.linspace(0, t.size, MOST_POINTS, endpoint=False).astype(int)
    squares = np.add.reduceat(weights**2, starts)
    means = [np.add.reduceat(weights**2 * values, starts) / squares for values in (t, y)]
    return means[0], means[1], np.sqrt(squares)
