"""A second look at the limit of a parameter: whether F is lower there in another valley.

A walk follows the valley that it began in. Where F is no parabola there may be others, which open only on the way. The
ends of other profiles may lie in them, if these are far from the linear theory; from there they are found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Problem
from parfit.estimation.profiles.constrained import Held, Place
from parfit.estimation.profiles.target import ParameterTarget
from parfit.estimation.profiles.threshold import Threshold
from parfit.estimation.profiles.walk import NEXT_TO, ROUGH, End, Side, Walk

LIKE_A_PARABOLA = 1.5  # times the half-width of the linear theory, or as small a part of it: such ends are left out
MOST_ENDS, MOST_STEPS = 3, 6  # that are tried, and steps of each: who is in a valley needs few


@np.errstate(all="ignore")
def doubt(side: Side, rise: float) -> float:
    """How far from the linear theory a side has found its limit, as a factor; 0 where that is near enough, or none."""
    way = abs(side.points[-1].value - side.points[0].value)
    part = way * np.sqrt(max(side.curvature, 0.0) / rise)
    factor = float(max(part, np.divide(1.0, part)))
    return factor if side.end is End.LIMIT and factor > LIKE_A_PARABOLA else 0.0


def ends_for(number: int, doubts: Mapping[int, float]) -> list[int]:
    """The sides, two of each profile, from whose ends one looks at another: the most doubtful of other profiles."""
    others = [k for k in sorted(doubts) if k // 2 != number // 2 and doubts[k] > 0.0]
    return sorted(others, key=lambda k: -doubts[k])[:MOST_ENDS]


@np.errstate(all="ignore")  # the ends of others may be far out
def looked_again(
    problem: Problem,
    parameters: ParameterMap,
    target: ParameterTarget,
    threshold: Threshold,
    side: Side,
    ends: Sequence[Array],
    tell: Callable[[float], None] = lambda part: None,
) -> Side:
    """The same side, or a longer one if F is lower at its end by way of the ends (n_active,) of other profiles."""
    held = Held(problem, parameters, target)
    found: Place | None = None
    lowest = side.points[0].total + (1.0 - NEXT_TO) * threshold.rise
    for p in ends:
        tell(0.0)
        there = _reached(held, p, side.points[-1].value, ROUGH * threshold.rise)
        if there is not None and there.total < lowest:
            found, lowest = there, there.total
    if found is None:
        return replace(side, n_evaluations=side.n_evaluations + held.n_evaluations)
    sign = float(np.sign(side.points[-1].value - side.points[0].value))
    more = Walk(held, held.place(parameters.point), threshold.rise, sign, tell).made(found)
    n = side.n_evaluations + held.n_evaluations
    return replace(more, points=(*side.points[:-1], *more.points[1:]), n_evaluations=n)


def _reached(held: Held, near: Array, value: float, tol: float) -> Place | None:
    """The minimum with the parameter at a value, from a point in its valley."""
    assert isinstance(held.target, ParameterTarget)
    moved = near.copy()
    moved[held.target.k] = value
    return held.corrected(held.place(moved), value, tol, abs(value - float(near[held.target.k])), MOST_STEPS)
