"""Smoothing: a least-squares curve through the observations of one variable."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array, Unchanging, read_only
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.curves.joints import choose
from parfit.model.curves import MULTIPLICITY, ORDER, Curve, least_squares

MOST_CHOSEN = 100  # variables whose joints are remembered: who asks for advice, follows it and asks again waits once
_CHOSEN: dict[tuple[bytes, bytes, bytes, str], Array] = {}


@dataclass(frozen=True, eq=False)
class Points(Unchanging):
    """The values of one variable that count, in order of time; arrays (n,)."""

    t: Array
    y: Array
    weights: Array

    @property
    def n_times(self) -> int:
        """Different times, on which it depends how many joints there can be."""
        return int(np.unique(self.t).size)


@dataclass(frozen=True, eq=False)
class Smoothed(Unchanging):
    """A curve with its joints, and how far it is from the points: residuals (n,), values minus curve, unweighted."""

    points: Points
    joints: Array
    curve: Curve
    residuals: Array

    @property
    def root_mean_square(self) -> float:
        size = abs(self.largest[0]) or 1.0  # squares of very large numbers overflow
        return size * float(np.sqrt(np.mean((self.residuals / size) ** 2)))

    @property
    def largest(self) -> tuple[float, float]:
        """The residual of largest size, and its time."""
        k = int(np.argmax(np.abs(self.residuals)))
        return float(self.residuals[k]), float(self.points.t[k])


def points_of(data: Observations, name: str) -> Points:
    """What was observed of a variable on the way, without what is missing or has no weight."""
    data = data.on_the_way
    j = data.names.index(name)
    counts = data.weights[:, j] > 0
    return Points(*(read_only(part[counts]) for part in (data.times, data.values[:, j], data.weights[:, j])))


def smooth(points: Points, joints: ArrayLike, kind: str) -> Smoothed:
    """The curve of a kind ("spline" or "hermite") with these joints, in any order, that is nearest to the points.

    Raises a `ParfitError` that says which joints to remove or to move, if the points do not determine it.
    """
    ordered = np.sort(np.asarray(joints, dtype=float).reshape(-1))
    refuse_excess(points, ordered.size, kind)
    _refuse_misplaced(points, ordered)
    try:
        curve = least_squares(points.t, points.y, ordered, kind, points.weights / points.weights.max())
    except ParfitError as error:
        raise ParfitError(f"SINGULAR PROBLEM--REDISTRIBUTE JOINTS OR REMOVE SOME JOINTS: {error}") from None
    return Smoothed(points, read_only(ordered), curve, read_only(points.y - curve(points.t)))


def smooth_automatically(points: Points, kind: str) -> Smoothed:
    """The same with joints chosen by generalized cross-validation, which is remembered for a while."""
    key = points.t.tobytes(), points.y.tobytes(), points.weights.tobytes(), kind
    joints = _CHOSEN.get(key)
    if joints is None:
        if len(_CHOSEN) >= MOST_CHOSEN:
            _CHOSEN.clear()
        joints = _CHOSEN[key] = choose(points.t, points.y, points.weights, kind)
    return smooth(points, joints, kind)


def left_by_curves(observations: Observations, curves: Mapping[str, Curve]) -> float:
    """The sum of squares between curves and the observations that they go through."""
    total = 0.0
    for name, curve in curves.items():
        points = points_of(observations, name)
        total += float(np.sum((points.weights * (points.y - curve(points.t))) ** 2))
    return total


def excess(n_times: int, n_joints: int, kind: str) -> int:
    """How many joints are too many for so many different times (thesis, Appendix B, SMOOTH)."""
    multiplicity = MULTIPLICITY[kind]
    lacking = ORDER + multiplicity * n_joints - n_times
    return max(-(-lacking // multiplicity), 0)


def _refuse_misplaced(points: Points, joints: Array) -> None:
    first, last = points.t[0], points.t[-1]
    outside = joints[~((joints > first) & (joints < last))]
    twice = joints[1:][np.diff(joints) == 0]
    if outside.size:
        raise ParfitError(
            f"joint {outside[0]:g} is not between the first and the last observation, {first:g} and {last:g}"
        )
    if twice.size:
        raise ParfitError(f"joint {twice[0]:g} is there twice")


def refuse_excess(points: Points, n_joints: int, kind: str) -> None:
    """Raise a `ParfitError` if there are more joints than the points can determine, wherever they are."""
    n = points.n_times
    if n < ORDER:
        raise ParfitError(f"{n} different times are too few to be smoothed; {ORDER} are needed at least")
    too_many = excess(n, n_joints, kind)
    if too_many:
        most = n_joints - too_many
        raise ParfitError(
            f"EXCESS OF {too_many} JOINT{'S' if too_many > 1 else ''}: values at {n} different times determine "
            f"{most} at most"
        )
