"""Guessed observations: a curve through a few points, and the points changed one at a time.

Points are times in increasing order and ordinates, (n,) each with n >= 2, from the first sample time to the last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.errors import ParfitError
from parfit.model.curves import Curve, interpolating_with_slopes

ROUNDING = 1e-6  # of the length of the sample times: nearer to an end of them means the end
MOST_POINTS = 1000
CLEARLY = 0.25  # of the gap to the next point: so far off a point can be named

Points = tuple[Array, Array]


def guessed_curve(t: ArrayLike, y: ArrayLike) -> Curve:
    """The cubic spline through points, at each end with the slope of the line through the two points closest to it.

    Thesis, Appendix A, CREOBS.
    """
    times, values = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
    with np.errstate(all="ignore"):  # what overflows is refused by the curve
        slopes = np.diff(values) / np.diff(times)
    return interpolating_with_slopes(times, values, (float(slopes[0]), float(slopes[-1])))


def snapped(t: float, samples: Array) -> float:
    """A time between the first and the last sample time; what is very near to them becomes equal to them."""
    first, last = float(samples[0]), float(samples[-1])
    near = ROUNDING * (last - first)
    if abs(t - first) <= near:
        return first
    if abs(t - last) <= near:
        return last
    if not first < t < last:
        raise ParfitError(f"{t:g} is not between the first and the last sample time, {first:g} and {last:g}")
    return t


def require_ends(times: Sequence[float], samples: Array) -> None:
    """Raise a `ParfitError` if a time is there twice, or the first or the last sample time is missing."""
    twice = [t for k, t in enumerate(times) if t in times[:k]]
    if twice:
        raise ParfitError(f"there can be only one point at t = {twice[0]:g}")
    missing = [f"{what} {t:g}" for what, t in (("FIRST", samples[0]), ("LAST", samples[-1])) if t not in times]
    if missing:
        raise ParfitError(f"INCLUDE FIRST AND LAST SAMPLE TIMES: {' and '.join(missing)} not among the points")


def ordered(times: ArrayLike, ordinates: ArrayLike) -> Points:
    """Points in order of time."""
    t, y = np.asarray(times, dtype=float), np.asarray(ordinates, dtype=float)
    order = np.argsort(t, kind="stable")
    return t[order], y[order]


def nearest(points: Points, t: float) -> int:
    """Which point is meant by a time: the nearest, if it is clearly nearer than its neighbours."""
    times = points[0]
    k = int(np.argmin(np.abs(times - t)))
    gaps = np.diff(times)[max(k - 1, 0) : k + 1]
    if abs(times[k] - t) > CLEARLY * gaps.min():
        raise ParfitError(f"there is no point near t = {t:g}; the nearest is at {times[k]:g}")
    return k


def edited(points: Points, k: int, y: float) -> Points:
    """Point k with another ordinate."""
    ordinates = points[1].copy()
    ordinates[k] = y
    return points[0], ordinates


def added(points: Points, t: float, y: float) -> Points:
    """One point more."""
    if t in points[0]:
        raise ParfitError(f"there is a point at t = {t:g} already; EDIT gives it another ordinate")
    return ordered(np.append(points[0], t), np.append(points[1], y))


def removed(points: Points, k: int) -> Points:
    """Without point k."""
    _require_inner(points, k)
    return np.delete(points[0], k), np.delete(points[1], k)


def moved(points: Points, k: int, t: float) -> Points:
    """Point k at another time, with the ordinate it had."""
    _require_inner(points, k)
    return added(removed(points, k), t, float(points[1][k]))


def _require_inner(points: Points, k: int) -> None:
    if k in (0, points[0].size - 1):
        raise ParfitError(
            f"the point at t = {points[0][k]:g} must stay, because the first and the last sample time are needed; "
            "EDIT gives it another ordinate"
        )
