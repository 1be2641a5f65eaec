"""The profile of one quantity: both sides, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Problem
from parfit.estimation.profiles.constrained import Held
from parfit.estimation.profiles.target import Target
from parfit.estimation.profiles.threshold import Threshold
from parfit.estimation.profiles.walk import End, Point, Side, Walk

LIMITED = (End.LIMIT, End.JUMP)  # ends at which there is a limit
SKEW = 1.25  # from this ratio of the two halves on, an interval is told to be longer on one side


class Finding(Enum):
    """How well the data determine something."""

    DETERMINED = "determined"
    LOWER_ONLY = "only a lower limit"
    UPPER_ONLY = "only an upper limit"
    NOT_DETERMINED = "not determined"


@dataclass(frozen=True, eq=False)
class Profile:
    """A quantity in its own units along its profile; arrays are in the order of its value, (n_points,)."""

    name: str
    best: float
    threshold: Threshold
    lower: Side
    upper: Side
    values: Array
    rises: Array  # of F, in parts of the threshold
    parameters: Array  # all parameters, unscaled, (n_points, n_params)
    at_bounds: tuple[tuple[str, ...], ...]  # other parameters that a bound keeps back, point by point
    width: float  # half of the interval of the linear theory, in the units of the scaled parameter
    linear: tuple[float, float]  # its ends
    parabola: Array  # the rise of the linear theory at the values
    n_evaluations: int

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the interval; infinite where there is no limit."""
        low = float(self.values[0]) if self.lower.end in LIMITED else -np.inf
        return low, float(self.values[-1]) if self.upper.end in LIMITED else np.inf

    @property
    def finding(self) -> Finding:
        low, high = np.isfinite(self.limits)
        if low and high:
            return Finding.DETERMINED
        if low or high:
            return Finding.LOWER_ONLY if low else Finding.UPPER_ONLY
        return Finding.NOT_DETERMINED

    @property
    def skewness(self) -> float:
        """The upper half of the interval by the lower; NaN where one of them has no end."""
        low, high = self.limits
        return (high - self.best) / (self.best - low) if np.isfinite([low, high]).all() else np.nan

    def pressed(self, side: int) -> tuple[str, ...]:
        """Other parameters that are at a bound at the lower (0) or the upper (1) end."""
        return self.at_bounds[-1 if side else 0]


@np.errstate(all="ignore")  # far out a step may be too long for a number; its point is refused
def walked(
    problem: Problem,
    parameters: ParameterMap,
    target: Target,
    threshold: Threshold,
    sign: float,
    tell: Callable[[float], None] = lambda part: None,
) -> Side:
    """Go one way (sign 1 or -1) from the minimum, where the map stands; `tell` hears what part is done."""
    held = Held(problem, parameters, target)
    return Walk(held, held.place(parameters.point), threshold.rise, sign, tell).made()


@np.errstate(all="ignore")
def joined(parameters: ParameterMap, target: Target, threshold: Threshold, lower: Side, upper: Side) -> Profile:
    """The profile of two sides."""
    best, curvature = upper.points[0], upper.curvature
    points = [*lower.points[::-1], *upper.points[1:]]
    width = float(np.sqrt(threshold.rise / curvature)) if curvature > 0.0 else np.inf
    scaled = np.array([each.value for each in points])
    return Profile(
        target.name,
        target.shown(best.value),
        threshold,
        lower,
        upper,
        np.array([target.shown(value) for value in scaled]),
        np.array([(each.total - best.total) / threshold.rise for each in points]),
        np.array([parameters.expand(each.p) for each in points]),
        tuple(_names(parameters, target, each) for each in points),
        width,
        (target.shown(best.value - width), target.shown(best.value + width)),
        ((scaled - best.value) / width) ** 2,
        1 + lower.n_evaluations + upper.n_evaluations,
    )


def profiled(problem: Problem, parameters: ParameterMap, target: Target, threshold: Threshold) -> Profile:
    """Profile a quantity about the minimum, where the map stands."""
    lower, upper = (walked(problem, parameters, target, threshold, sign) for sign in (-1.0, 1.0))
    return joined(parameters, target, threshold, lower, upper)


def together(old: Sequence[Profile], new: Sequence[Profile]) -> tuple[Profile, ...]:
    """New profiles, after those of other quantities that have the same threshold."""
    names, limit = {each.name for each in new}, new[0].threshold
    return (*(each for each in old if each.threshold == limit and each.name not in names), *new)


def _names(parameters: ParameterMap, target: Target, place: Point) -> tuple[str, ...]:
    """The other parameters that a bound keeps back."""
    names = [parameters.names[parameters.active[k]] for k in place.pressed]
    return tuple(name for name in names if name != target.name)
