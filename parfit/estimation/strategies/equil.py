"""Where the equations come to rest at the present parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.equilibria.equilibria import Equilibria, find, follows_time
from parfit.errors import NumericalError
from parfit.session.environment import Environment
from parfit.simulation.first_states import first_state
from parfit.simulation.status import Reason, Status

MOST_POINTS = 50  # of the solution, at which the search begins too


@dataclass(frozen=True)
class Request:
    """The times that are held fixed; none: the beginning, the middle and the end, where time matters at all."""

    times: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Result:
    """What was found at each time; of equations that do not depend on time at one."""

    env: Environment
    times: tuple[float, ...]
    found: tuple[Equilibria, ...]
    timed: bool  # whether the equations depend on time


def equil(
    env: Environment, request: Request | None = None, progress: Callable[[float], None] = lambda part: None
) -> Result:
    """Find the equilibria; `progress` hears what part of the times is done."""
    timed = follows_time(env.model)
    times = (request or Request()).times or usual_times(env)
    if not timed:
        times = times[:1]
    sizes, points = region(env)
    found = []
    for k, t in enumerate(times):
        found.append(find(env.model, t, env.values, sizes, points))
        progress((k + 1) / len(times))
    return Result(env, tuple(times), tuple(found), timed)


def usual_times(env: Environment) -> tuple[float, ...]:
    """The beginning, the middle and the end of the sample times."""
    first, last = float(env.samples.times[0]), float(env.samples.times[-1])
    return first, 0.5 * (first + last), last


def region(env: Environment) -> tuple[Array, Array]:
    """Sizes of the states, and points to begin at: the initial state, the smallest observations, and the solution."""
    with np.errstate(all="ignore"):
        initial = first_state(env.model)(env.values)[0]
        bad = np.flatnonzero(~np.isfinite(initial))
        if bad.size:
            raise NumericalError(str(Status(Reason.START, env.model.t0, env.model.states[int(bad[0])])))
        run = env.simulator()(env.values)
    lowest = initial.copy()
    if env.observations is not None:
        for name, values in zip(env.observations.names, env.observations.values.T, strict=True):
            if name in env.model.states and np.isfinite(values).any():
                lowest[env.model.states.index(name)] = np.nanmin(values)
    y = np.where(np.isnan(run.y), initial, run.y) if run.status else initial[np.newaxis]
    points = np.concatenate((initial[np.newaxis], lowest[np.newaxis], y[:: max(1, len(y) // MOST_POINTS)]))
    return np.maximum(np.abs(env.sizes), np.abs(np.concatenate((points[:1], y))).max(axis=0)), points
