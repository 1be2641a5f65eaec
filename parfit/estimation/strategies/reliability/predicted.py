"""Profiles of predictions: how far curves can go at certain times while all parameters follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.profiles.profile import LIMITED, Profile
from parfit.estimation.profiles.target import QuantityTarget
from parfit.estimation.profiles.walk import BetterPointError, End
from parfit.estimation.strategies.parallel import Crew, Forgotten
from parfit.estimation.strategies.reliability.settling import require_fit, settled
from parfit.estimation.strategies.reliability.sides import Sides, Targeted, limit_of
from parfit.estimation.strategies.reliability.wanted import Request, with_times
from parfit.session.environment import Environment

ELSEWHERE = "the parameters are not at the minimum that profiles belong to"


@dataclass(frozen=True, eq=False)
class Predicted:
    """Profiles of variables at times, and between which times a side (-1 or 1) of a variable has no limit."""

    profiles: tuple[Profile, ...]
    unlimited: tuple[tuple[str, float, float, float], ...]


def predicted(
    env: Environment,
    names: Sequence[str],
    times: Array,
    level: float,
    tell: Callable[[float], None] = lambda part: None,
    crew: Crew | None = None,
) -> Predicted:
    """Profile every variable at every time at which a parameter moves it."""
    require_fit(env, "profiles")
    start = settled(env)
    if start.env is not env:
        raise NumericalError(f"{ELSEWHERE}; FIT goes there")
    limit = limit_of(start, Request(level))
    targets = _targets(env, names, times)
    sides = Sides(env, targets, [target.name for target, _ in targets], limit, Forgotten())
    try:
        sides.done(tell, crew)
    except BetterPointError:
        raise NumericalError(f"{ELSEWHERE}; PROFILE finds a better one, and adopts it") from None
    found = sides.profiles()
    return Predicted(found, tuple(_unlimited(targets, found, times)))


def _targets(env: Environment, names: Sequence[str], times: Array) -> list[Targeted]:
    wider = with_times(env, times)
    problem = wider.problem()
    at = problem.evaluate(env.parameters.point)
    assert at.trajectory is not None
    places = np.searchsorted(wider.samples.times, times)
    return [
        (QuantityTarget(env.parameters, name, int(place), f"{name} at {time!r}"), problem)
        for name in names
        for time, place in zip(times.tolist(), places, strict=True)
        if at.trajectory.sensitivity(name)[place].any()
    ]


def _unlimited(
    targets: Sequence[Targeted], found: Sequence[Profile], times: Array
) -> list[tuple[str, float, float, float]]:
    """Sides without a limit, from the time before theirs to the time after."""
    lost = []
    for (target, problem), each in zip(targets, found, strict=True):
        assert isinstance(target, QuantityTarget)
        k = int(np.searchsorted(times, problem.simulator.times[target.place]))
        first, last = float(times[max(k - 1, 0)]), float(times[min(k + 1, times.size - 1)])
        for side, sign in ((each.lower, -1.0), (each.upper, 1.0)):
            if side.end not in (*LIMITED, End.BOUND):
                lost.append((target.variable, first, last, sign))
    return lost
