"""All roots of a function of one variable within limits: a fine scan, then Brent's method."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass

Function = Callable[[Array], tuple[Array, Array]]  # points (k,) -> values and slopes (k,)

N_EVEN = 4001  # points of the scan at equal distances
N_GEOMETRIC = 5001  # and on each side of 0 at equal ratios, for roots next to 0 and far away
N_FINER = 65  # points between two of the scan where a root is or may be, for two or three that lie close together
N_CLOSER = 200  # points on each side of one that happens to be a root
NEAREST, FARTHEST = 1e-9, 1e3  # the first and the last of these, next to the limit of the others
ROUNDING = 1e-15  # of the function, next to its largest values around: a minimum so small touches 0
POLE = 1e-3  # what must be left of the values beside a root; at a pole or a jump more is left
UNDERFLOW = 1e-280  # values beside such that are 0 only because numbers cannot be smaller
LONG = 1e-3  # next to the limit, on which a function that is 0 throughout is no single root


@dataclass(frozen=True)
class Root:
    """A root, the slope there, and the signs of the function before and behind it."""

    at: float
    slope: float
    before: int
    behind: int


@dataclass(frozen=True)
class Scan:
    """What a scan found: single roots in order, and intervals on which the function is 0."""

    roots: tuple[Root, ...]
    intervals: tuple[tuple[float, float], ...] = ()


@np.errstate(all="ignore")
def scan(function: Function, top: float) -> Scan:
    """The roots from -`FARTHEST` top to `FARTHEST` top, single and double; the scan is finest up to top."""
    mesh, values, slopes = _evaluated(function, _mesh(top))
    near = _crosses(values) | _turns(values, slopes)
    finer = np.linspace(mesh[:-1][near], mesh[1:][near], N_FINER).ravel()
    finer = np.concatenate((finer, _around(mesh, values == 0.0)))
    mesh, values, slopes = _evaluated(function, np.unique(np.concatenate((mesh, finer))))
    roots, intervals = _zeros(function, mesh, values, LONG * top)
    for k in np.flatnonzero(_crosses(values)).tolist():
        roots += _crossing(function, float(mesh[k]), float(mesh[k + 1]))
    for k in np.flatnonzero(_turns(values, slopes)).tolist():
        a, b = float(mesh[k]), float(mesh[k + 1])
        around = np.abs(mesh) <= 2.0 * max(abs(a), abs(b))
        roots += _touching(function, a, b, ROUNDING * float(np.abs(values[around]).max()))
    return Scan(tuple(sorted(roots, key=lambda root: root.at)), tuple(intervals))


def _zeros(
    function: Function, mesh: Array, values: Array, long: float
) -> tuple[list[Root], list[tuple[float, float]]]:
    """Where the function is 0 at points of the scan: one or a few side by side, and intervals longer than `long`."""
    roots: list[Root] = []
    intervals: list[tuple[float, float]] = []
    for first, last in _runs(values == 0.0):
        points = mesh[first : last + 1]
        beside = np.abs(values[[k for k in (first - 1, last + 1) if 0 <= k < values.size]])
        underflow = bool((beside < UNDERFLOW).any())
        if underflow and beside.size == 1:
            continue  # the function falls to 0 towards infinity
        if not underflow and points[-1] - points[0] > long:
            intervals.append((float(points[0]), float(points[-1])))
            continue
        at = float(points[np.abs(points).argmin()])
        roots.append(_root(function, at, _sign(values, first - 1), _sign(values, last + 1)))
    return roots, intervals


def _evaluated(function: Function, mesh: Array) -> tuple[Array, Array, Array]:
    """Points with values and slopes, where there is a value."""
    values, slopes = function(mesh)
    known = np.isfinite(values)
    return mesh[known], values[known], slopes[known]


def _around(mesh: Array, zero: NDArray[np.bool_]) -> Array:
    """Points ever closer to those single ones that happen to be roots, as another root may be next to them."""
    single = np.flatnonzero(zero[1:-1] & ~zero[:-2] & ~zero[2:]) + 1
    parts = np.geomspace(NEAREST, 1.0, N_CLOSER)[:-1, np.newaxis]
    at, left, right = mesh[single], mesh[single - 1], mesh[single + 1]
    return np.concatenate((at - parts * (at - left), at + parts * (right - at))).ravel()


def _crosses(values: Array) -> NDArray[np.bool_]:
    """Between which points the sign changes."""
    return np.asarray(np.sign(values[:-1]) * np.sign(values[1:]) < 0.0)


def _turns(values: Array, slopes: Array) -> NDArray[np.bool_]:
    """Between which points of one sign the function comes nearer to 0 and goes away again."""
    sign, slope = np.sign(values), np.sign(slopes)
    return np.asarray((sign[:-1] == sign[1:]) & (sign[:-1] * slope[:-1] < 0.0) & (sign[1:] * slope[1:] > 0.0))


def _mesh(top: float) -> Array:
    far = top * np.geomspace(NEAREST, FARTHEST, N_GEOMETRIC)
    return np.unique(np.concatenate((np.linspace(-top, top, N_EVEN), far, -far)))


def _runs(flags: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last place of each run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(int)))
    for first, behind in edges.reshape(-1, 2).tolist():
        yield first, behind - 1


def _sign(values: Array, k: int) -> int:
    return int(np.sign(values[k])) if 0 <= k < values.size else 0


def _root(function: Function, at: float, before: int, behind: int) -> Root:
    return Root(at + 0.0, float(function(np.array([at]))[1][0]) + 0.0, before, behind)  # never -0


def _crossing(function: Function, a: float, b: float) -> list[Root]:
    """The root between two points of different signs; none if the function jumps or has a pole there."""

    def value(y: float) -> float:
        return float(function(np.array([y]))[0][0])

    ends = value(a), value(b)
    at = _zero(value, a, b)
    if not abs(value(at)) <= POLE * max(map(abs, ends)):
        return []
    return [_root(function, at, int(np.sign(ends[0])), int(np.sign(ends[1])))]


def _touching(function: Function, a: float, b: float, rounding: float) -> list[Root]:
    """The roots between two points of one sign, between which the function turns: none, a double one, or two."""

    def slope(y: float) -> float:
        return float(function(np.array([y]))[1][0])

    turn = _zero(slope, a, b)
    value, side = (float(function(np.array([y]))[0][0]) for y in (turn, a))
    if abs(value) <= rounding:
        return [_root(function, turn, int(np.sign(side)), int(np.sign(side)))]
    if value * side > 0.0:
        return []
    return _crossing(function, a, turn) + _crossing(function, turn, b)


def _zero(function: Callable[[float], float], a: float, b: float) -> float:
    """Where a function of different signs at a and b changes its sign, as accurately as numbers can tell."""
    from scipy.optimize import brentq  # late, because it takes long to import

    return float(brentq(function, a, b, xtol=1e-300, rtol=4.0 * np.finfo(float).eps, disp=False))
