"""Smooth curves through the observations.

result = smooth(env, Request("spline", {"y1": [4, 8]}))     # joints of other variables by cross-validation
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from numpy.typing import ArrayLike

from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.curves import smoothing
from parfit.estimation.curves.smoothing import Points, Smoothed, points_of, smooth_automatically
from parfit.model.curves import ORDER
from parfit.session.environment import Environment
from parfit.session.records import Smoothing


@dataclass(frozen=True, eq=False)
class Request:
    """The kind of curve, and the joints of variables; those of others are chosen by cross-validation."""

    kind: str = "spline"  # or "hermite"
    joints: Mapping[str, ArrayLike] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """The curves, and the variables that have too few values for one, with the number of their times."""

    env: Environment
    curves: Mapping[str, Smoothed]
    left_out: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, Smoothed] = field(default_factory=dict)  # curves that others have replaced


def smooth(env: Environment, request: Request, tell: Callable[[str], None] = lambda name: None) -> Result:
    """A curve for each observed variable; `tell` hears the name of each before its curve is found."""
    smoothable, left_out = split(env)
    if not smoothable:
        raise StateError(f"no variable has values at {ORDER} different times, which a curve needs", "LOAD more data")
    found = {}
    for name, points in smoothable.items():
        tell(name)
        found[name] = _curve(points, request.joints.get(name), request.kind)
    return Result(env.with_smoothing(smoothing_of(request.kind, found)), found, left_out)


def resmooth(env: Environment, request: Request) -> Result:
    """Other joints for the variables that are named; the others keep their curves, and the kind stays."""
    env.require("observations", "smoothing")
    old = env.smoothing
    assert env.observations is not None
    assert old is not None
    before = {name: present(env, name) for name in request.joints}
    found = {name: _curve(each.points, request.joints[name], old.kind) for name, each in before.items()}
    changed = smoothing_of(old.kind, found)
    new = Smoothing(old.kind, {**old.joints, **changed.joints}, {**old.curves, **changed.curves})
    return Result(env.with_smoothing(new), found, before=before)


def split(env: Environment) -> tuple[dict[str, Points], dict[str, int]]:
    """The values of the variables that can be smoothed, and how many times those have that cannot."""
    env.require("observations")
    assert env.observations is not None
    points = {name: points_of(env.observations, name) for name in env.observations.names}
    few = {name: each.n_times for name, each in points.items() if each.n_times < ORDER}
    return {name: each for name, each in points.items() if name not in few}, few


def present(env: Environment, name: str) -> Smoothed:
    """A curve of the environment, and how far it is from the observations."""
    assert env.observations is not None
    assert env.smoothing is not None
    points, curve = points_of(env.observations, name), env.smoothing.curves[name]
    return Smoothed(points, env.smoothing.joints[name], curve, points.y - curve(points.t))


def smoothing_of(kind: str, found: Mapping[str, Smoothed]) -> Smoothing:
    """Curves as an environment keeps them."""
    joints = {name: each.joints for name, each in found.items()}
    return Smoothing(kind, joints, {name: each.curve for name, each in found.items()})


def _curve(points: Points, joints: ArrayLike | None, kind: str) -> Smoothed:
    return smooth_automatically(points, kind) if joints is None else smoothing.smooth(points, joints, kind)
