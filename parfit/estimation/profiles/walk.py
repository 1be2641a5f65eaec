"""One side of a profile: from the best point outwards, until F has risen to its limit or cannot.

D. M. Bates and D. G. Watts, Nonlinear Regression Analysis and Its Applications (1988), chapter 6: the predictor
follows the others along -(Jo'Jo)^-1 Jo'Jk; here its length is such that F is expected to rise by a part of the limit.
The end is found by the secant on the root of the rise, which is nearly a straight line.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.profiles.constrained import Held, Place
from parfit.simulation.status import Status

PART = 0.15  # of the limit, by which F is to rise from one point to the next
NEARLY = 1.6  # such parts that are left: then the next point is to be the end
GROWTH = 2.0  # from one step to the next, at most
FIRST = 0.4  # of its size, the first step at most: by all of it the others may be led to 0, where nothing is seen
SHRINK = 0.25  # of a step that fails
SHORTEST = 1e-4  # next to the way so far, a step for which it is not worth going on
ROUGH, FINE = 1e-3, 1e-6  # of the limit, what a correction may leave: on the way, and at the end
BETWEEN = 0.02, 1.2  # of the way from one point to the next, where the secant may lead
TOO_HIGH = 2.0  # limits, to which F rises by a step that was too long: between its ends may be other valleys
NEXT_TO = 0.02  # of the limit: what is missing where the secant takes over
ENOUGH = 1e-5  # of the limit, how near to it the end is
ROUNDING = 1e-12  # of the way to a bound, or to the farthest point
MOST_POINTS, MOST_SECANTS = 200, 20
BETTER = 1e-3  # of the limit: F that is lower by more belongs to another minimum


class End(Enum):
    """Why a side has ended."""

    LIMIT = "limit found"
    JUMP = "a jump across the limit"
    BOUND = "at its bound"
    OPEN = "flat: no limit"
    FAILED = "cannot be integrated beyond"
    LOST = "the others could not be fitted beyond"


class BetterPointError(Exception):
    """F is lower than at the point that was taken for the minimum."""

    def __init__(self, place: Place):
        self.place = place
        super().__init__()


@dataclass(frozen=True, eq=False)
class Point:
    """What is kept of a place."""

    p: Array  # (n_active,), scaled
    value: float  # of the quantity
    total: float  # F
    pressed: tuple[int, ...]  # subscripts of active parameters that a bound keeps back


@dataclass(frozen=True, eq=False)
class Side:
    """Points from the best one outwards, the last at the end."""

    points: tuple[Point, ...]
    end: End
    status: str | None  # why the equations could not be integrated beyond
    curvature: float  # of F along the profile at the best point
    n_evaluations: int  # without that of the best point

    def plain(self) -> dict[str, Any]:
        """All of it as JSON can say it."""
        points = [[each.p.tolist(), each.value, each.total, list(each.pressed)] for each in self.points]
        rest = {"curvature": self.curvature, "n_evaluations": self.n_evaluations}
        return {"points": points, "end": self.end.name, "status": self.status, **rest}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Side:
        """The same again."""
        points = tuple(Point(np.array(p), value, total, tuple(at)) for p, value, total, at in plain["points"])
        return cls(points, End[plain["end"]], plain["status"], plain["curvature"], plain["n_evaluations"])


class Walk:
    """Goes one way (sign 1 or -1) from the minimum."""

    def __init__(self, held: Held, best: Place, rise: float, sign: float, tell: Callable[[float], None]):
        self._held, self._best, self._rise, self._sign, self._tell = held, best, rise, sign, tell
        self._places, self._n_before = [best], held.n_evaluations
        self._length = 0.0
        self._curvature = held.tangent(best)[3]
        width = np.sqrt(rise / self._curvature) if self._curvature > 0.0 else np.inf
        self._farthest = held.target.farthest(best.value, float(width))
        self._bound = held.target.limits[sign > 0.0]

    def made(self, beyond: Place | None = None) -> Side:
        """All of it, or what lies beyond a point."""
        self._places += [] if beyond is None else [beyond]
        while len(self._places) < MOST_POINTS:
            at = self._places[-1]
            if self._is_at_bound(at):
                return self._side(End.BOUND)
            if abs(at.value - self._best.value) >= (1.0 - ROUNDING) * self._farthest:
                return self._side(End.OPEN)
            found = self._next(at)
            if isinstance(found, Side):
                return found
            is_short = self._risen(found) < 1.0 and self._is_at_bound(
                found
            )  # nothing lies beyond that could be a limit
            if self._risen(found) >= 1.0 - NEXT_TO and not is_short:
                inner, end = self._ended(at, found)
                if abs(self._risen(end) - 1.0) <= NEXT_TO:
                    self._places.append(end)
                    return self._side(End.LIMIT)
                if self._is_jump(inner, end):
                    self._places.append(inner)
                    return self._side(End.JUMP)
                if inner is at:
                    return self._side(End.LOST)
                # The secant has lost its way between two points that are far apart: from the inner one by short steps.
                self._length = SHRINK * abs(end.value - inner.value) / GROWTH
                found = inner
            self._places.append(found)
            self._tell(max(self._risen(found), 0.0))
        return self._side(End.LOST)

    def _side(self, end: End, status: Status | None = None) -> Side:
        points = tuple(Point(each.p, each.value, each.total, each.pressed) for each in self._places)
        why = None if status is None else str(status)
        return Side(points, end, why, self._curvature, self._held.n_evaluations - self._n_before)

    def _is_jump(self, inner: Place, outer: Place) -> bool:
        """Whether F is within its limit at one point and beyond it at the next, however near."""
        way = abs(outer.value - inner.value)
        is_near = way <= SHORTEST * max(abs(inner.value - self._best.value), way)
        return is_near and self._risen(inner) < 1.0 < self._risen(outer)

    def _is_at_bound(self, at: Place) -> bool:
        left, way = (abs(self._bound - each.value) for each in (at, self._best))
        return bool(np.isfinite(way)) and left <= ROUNDING * way

    def _risen(self, place: Place) -> float:
        """In parts of the limit."""
        return (place.total - self._best.total) / self._rise

    def _next(self, at: Place) -> Place | Side:
        """The next point, by shorter steps where one fails."""
        direction, _, slope, curvature = self._held.tangent(at)
        length = self._predicted(at, slope, curvature)
        status, is_high = None, False
        least = SHORTEST * abs(at.value - self._best.value) if len(self._places) > 1 else SHORTEST * length
        while length > least:
            value = at.value + self._sign * length
            start = self._held.place(at.p + self._sign * length * direction)
            found = self._held.corrected(start, value, ROUGH * self._rise, length) or self._held.refitted(at, value)
            if found is not None and self._risen(found) <= TOO_HIGH:
                self._length = length
                return self._checked(found)
            is_high = found is not None
            status = None if start.evaluation.usable else start.evaluation.status
            length *= SHRINK
        if is_high and len(self._places) > 1:  # however short the step was
            return self._side(End.JUMP)
        return self._side(End.LOST if status is None else End.FAILED, status)

    def _predicted(self, at: Place, slope: float, curvature: float) -> float:
        """The length of the step by which F rises as it should."""
        left = 1.0 - self._risen(at)
        rise = self._rise * (left if left < NEARLY * PART else PART)
        first = max(self._sign * slope, 0.0)
        root = first + np.sqrt(first * first + curvature * rise)
        length = rise / root if root > 0.0 else np.inf
        longest = GROWTH * self._length if self._length else FIRST * self._held.target.size(at.value)
        left_to_go = self._farthest - abs(at.value - self._best.value)
        return float(min(length, longest, left_to_go, abs(self._bound - at.value)))

    def _checked(self, found: Place) -> Place:
        if self._risen(found) < -BETTER:
            raise BetterPointError(found)
        return found

    def _ended(self, inner: Place, outer: Place) -> tuple[Place, Place]:
        """Where F has risen to the limit, from two points next to it; before it the last point within."""
        found = self._fine(outer, outer.value, outer.value - inner.value)
        outer = found or outer  # which on the way was found roughly only: F is lower there
        for _ in range(MOST_SECANTS):
            if found is None:
                break
            if abs(self._risen(found) - 1.0) <= ENOUGH:
                return inner, found
            is_within = self._risen(found) < 1.0 < self._risen(outer)
            inner, outer = (found, outer) if is_within else (inner, found)
            low, high = (np.sqrt(max(self._risen(each), 0.0)) for each in (inner, outer))
            part = float(np.clip((1.0 - low) / (high - low), *BETWEEN)) if high > low else 0.5
            way = outer.value - inner.value
            start = self._held.place(inner.p + part * (outer.p - inner.p))
            found = self._fine(start, inner.value + part * way, way)
        return inner, outer

    def _fine(self, start: Place, value: float, way: float) -> Place | None:
        found = self._held.corrected(start, value, FINE * self._rise, abs(way)) or self._held.refitted(start, value)
        return None if found is None else self._checked(found)
