"""Curves: piecewise cubic functions of time, through data or by least squares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from parfit import spectrum
from parfit.arguments import whole
from parfit.arrays import Array, Unchanging
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.model import splines
from parfit.model.naming import numbers

MULTIPLICITY = {"spline": 1, "hermite": 2}  # how often a joint counts as a knot: C2 or C1
ORDER = 4  # coefficients of a cubic


@dataclass(frozen=True, eq=False)
class Curve(Unchanging):
    """On [breaks[i], breaks[i+1]] the value is sum_m coefs[m, i] (t - breaks[i])^(3-m).

    breaks (k+1,) increases, coefs is (4, k), both read-only; outside the breaks the end pieces continue.
    """

    breaks: Array
    coefs: Array

    def __post_init__(self) -> None:
        for name in ("breaks", "coefs"):
            array = numbers(getattr(self, name), f"the {name} of a curve")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        pieces = self.breaks.size - 1
        if self.breaks.ndim != 1 or pieces < 1 or self.coefs.shape != (ORDER, pieces):
            raise ParfitError(f"a curve of {pieces} pieces needs coefficients of shape (4, {pieces})")
        if not np.all(np.diff(self.breaks) > 0):
            raise ParfitError("the breaks of a curve must increase")

    def __call__(self, t: ArrayLike, derivative: int = 0) -> Array:
        """The value or a derivative at times t of any shape; at a break that of the piece to its right."""
        return splines.polynomial(self.breaks, self.coefs, numbers(t, "the times"), whole(0)("derivative", derivative))


def linear(t: ArrayLike, y: ArrayLike) -> Curve:
    """Straight lines through the points (t, y)."""
    times, values = _points(t, y, repeated=False)
    coefs = np.zeros((ORDER, times.size - 1))
    coefs[2] = np.diff(values) / np.diff(times)
    coefs[3] = values[:-1]
    return _finite(Curve(times, coefs))


def interpolating(t: ArrayLike, y: ArrayLike, kind: str) -> Curve:
    """The cubic spline, or the monotone cubic Hermite curve of Fritsch and Carlson, through points (t, y)."""
    from scipy.interpolate import CubicSpline, PchipInterpolator  # here and below: to import it takes long

    _multiplicity(kind)
    times, values = _points(t, y, repeated=False)
    with np.errstate(all="ignore"):  # what overflows is refused below
        curve = CubicSpline(times, values) if kind == "spline" else PchipInterpolator(times, values)
    return _finite(Curve(curve.x, curve.c))


def least_squares(t: ArrayLike, y: ArrayLike, joints: ArrayLike, kind: str, weights: ArrayLike | None = None) -> Curve:
    """The curve with these interior joints that is nearest to the points (t, y); weights multiply residuals.

    "spline" has two continuous derivatives at the joints. "hermite" has one, which is a cubic B-spline with
    every joint doubled (de Boor, A Practical Guide to Splines, chapter IX).
    """
    multiplicity = _multiplicity(kind)
    times, values, scale = _weighted_points(t, y, weights)
    inner = _joints(joints, times)
    _require_data(times, inner, multiplicity)
    knots = knots_of(times, inner, multiplicity)
    solution, rank = spectrum.least_squares(design(times, knots) * scale[:, None], values * scale)
    if rank < solution.size:
        raise ParfitError("the data do not determine the curve: joints are too close together, or weights too unequal")
    with np.errstate(all="ignore"):  # what overflows is refused below
        breaks, coefs = splines.pieces(knots, solution, ORDER)
    return _finite(Curve(breaks, coefs))


def interpolating_with_slopes(t: ArrayLike, y: ArrayLike, slopes: tuple[float, float]) -> Curve:
    """The cubic spline through points (t, y) that has these slopes at its ends."""
    from scipy.interpolate import CubicSpline

    times, values = _points(t, y, repeated=False)
    try:
        with np.errstate(all="ignore"):  # what overflows is refused here or below
            curve = CubicSpline(times, values, bc_type=((1, slopes[0]), (1, slopes[1])))
    except ValueError:
        raise ParfitError("a curve through these points overflows; scale times or values") from None
    return _finite(Curve(curve.x, curve.c))


def design(times: Array, knots: Array) -> Array:
    """The cubic B-splines of these knots at the times, (n_times, n_knots - 4)."""
    return splines.basis(times, knots, ORDER)


def determined(times: Array, knots: Array) -> bool:
    """Whether data at these distinct times, in order, determine a curve with these knots."""
    return _undetermined(times, knots) is None


def knots_of(times: Array, joints: Array, multiplicity: int) -> Array:
    """The knots of the B-splines between the first and the last time, with joints as often as they count."""
    ends = np.ones(ORDER)
    return np.concatenate([times[0] * ends, np.repeat(joints, multiplicity), times[-1] * ends])


def _multiplicity(kind: str) -> int:
    if kind not in MULTIPLICITY:
        raise ParfitError(f"a curve is of kind {' or '.join(MULTIPLICITY)}, not {kind!r}")
    return MULTIPLICITY[kind]


def _points(t: ArrayLike, y: ArrayLike, repeated: bool) -> tuple[Array, Array]:
    """Points in order of time."""
    times, values = np.asarray(t, dtype=float), np.asarray(y, dtype=float)
    if times.ndim != 1 or times.shape != values.shape:
        raise ParfitError(f"a curve needs as many values as times, not {values.size} for {times.size}")
    if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
        raise ParfitError("a curve cannot pass through a point that is not finite; remove it")
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    if np.unique(times).size < 2:
        raise ParfitError("a curve needs points at two different times at least")
    again = times[1:][np.diff(times) == 0]
    if again.size and not repeated:
        raise ParfitError(
            f"a curve cannot pass through two points at t = {again[0]:g}; remove one, or smooth with joints"
        )
    return times, values


def _weighted_points(t: ArrayLike, y: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array, Array]:
    """Points that count, in order of time, with their weights."""
    times = np.asarray(t, dtype=float)
    scale = np.ones(times.shape) if weights is None else np.asarray(weights, dtype=float)
    if scale.shape != times.shape or not np.all(np.isfinite(scale)) or np.any(scale < 0):
        raise ParfitError("every point of a curve needs one weight, finite and not negative")
    values = np.asarray(y, dtype=float)
    counts = scale > 0
    if values.shape == times.shape:
        times, values, scale = times[counts], values[counts], scale[counts]
    ordered, values = _points(times, values, repeated=True)
    return ordered, values, scale[np.argsort(times, kind="stable")]


def _joints(joints: ArrayLike, times: Array) -> Array:
    """The joints, which must increase and lie between the first and the last point."""
    inner = np.asarray(joints, dtype=float).reshape(-1)
    outside = inner[~((inner > times[0]) & (inner < times[-1]))]
    if outside.size:
        raise ParfitError(
            f"{_listed(outside)} not inside the data, which run from {times[0]:g} to {times[-1]:g}; "
            "remove what is outside"
        )
    wrong = inner[1:][np.diff(inner) <= 0]
    if wrong.size:
        raise ParfitError(f"joints must increase: remove {wrong[0]:g}, or put it in its place")
    return inner


def _require_data(times: Array, joints: Array, multiplicity: int) -> None:
    """Refuse joints that the data cannot determine, and say which to remove."""
    distinct = np.unique(times)
    if distinct.size < ORDER:
        raise ParfitError(f"{distinct.size} different times are too few for a cubic; give more data, or use linear")
    lacking = _undetermined(distinct, knots_of(times, joints, multiplicity))
    if lacking is None:
        return
    low, high = lacking
    surplus = _surplus(distinct, joints, multiplicity)
    remove = _listed(surplus).removesuffix(" is").removesuffix(" are")
    raise ParfitError(f"there are too few data between {low:g} and {high:g}: remove {remove}")


def _surplus(times: Array, joints: Array, multiplicity: int) -> list[float]:
    """Joints without which the data determine the curve: one if one will do."""
    surplus: list[float] = []
    while (lacking := _undetermined(times, knots_of(times, joints, multiplicity))) is not None:
        near = [joint for joint in joints if lacking[0] <= joint <= lacking[1]]
        rest = [joints[joints != joint] for joint in near]
        enough = [_undetermined(times, knots_of(times, each, multiplicity)) is None for each in rest]
        chosen = enough.index(True) if any(enough) else len(near) // 2
        surplus.append(near[chosen])
        joints = rest[chosen]
    return sorted(surplus)


def _undetermined(times: Array, knots: Array) -> tuple[float, float] | None:
    """The support of a B-spline that no point is left for, by the Schoenberg-Whitney condition."""
    first, last = knots[0], knots[-1]
    position = 0
    for low, high in zip(knots[:-ORDER], knots[ORDER:], strict=True):
        while position < times.size and times[position] <= low and not (low == first == times[position]):
            position += 1
        at_end = position < times.size and times[position] == high == last
        if position == times.size or not (times[position] < high or at_end):
            return float(low), float(high)
        position += 1
    return None


def _listed(joints: Array | Sequence[float]) -> str:
    words = [f"{joint:g}" for joint in joints]
    return f"joint {words[0]} is" if len(words) == 1 else f"joints {', '.join(words)} are"


def _finite(curve: Curve) -> Curve:
    if not np.all(np.isfinite(curve.coefs)):
        raise ParfitError("a curve through these points overflows; scale times or values")
    return curve
