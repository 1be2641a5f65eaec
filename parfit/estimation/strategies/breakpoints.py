"""Break points chosen by the program: where the solution leaves the data, or cannot be continued."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.problems.restarting import Restart, restarts_at
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.simulation.simulator import Simulator

FAR = 0.5  # standard deviations of the data: a solution further away from them has left them
MOST = 50  # break points, but for those without which it cannot be integrated: each adds columns of derivatives


def possible_times(direct: TrajectoryFit) -> Array:
    """Distinct observation times after the initial and before the last one."""
    times = np.unique(direct.observations.on_the_way.times)
    inside: Array = times[(times > direct.simulator.model.t0) & (times < times[-1])]
    return inside


def chosen_times(direct: TrajectoryFit, scale: Array | None = None) -> list[float]:
    """Where to break an integration from the present parameters: not at all if it stays near the data."""
    model, data = direct.simulator.model, direct.observations
    possible = {float(time): restarts_at([time], model, data) for time in possible_times(direct)}
    possible = {time: restarts for time, restarts in possible.items() if restarts}
    found = _walk(direct, scale, possible, FAR * _spreads(data, model.states))
    if len(found) <= MOST:
        return found
    necessary = _walk(direct, scale, possible, np.full(len(model.states), np.inf))
    spread = np.linspace(0, len(found) - 1, MOST).round().astype(int)
    return sorted({*(found[k] for k in spread), *necessary})


def _spreads(observations: Observations, states: Sequence[str]) -> Array:
    """Standard deviations of the values of each state, or the size of those that are all the same, (n_states,)."""
    spreads = np.ones(len(states))
    for j, name in enumerate(observations.names):
        values = observations.values[observations.observed[:, j], j]
        if name in states and values.size:
            spreads[states.index(name)] = values.std() or np.abs(values).max() or 1.0
    return spreads


def _walk(direct: TrajectoryFit, scale: Array | None, possible: dict[float, list[Restart]], far: Array) -> list[float]:
    """Integrate until the solution is too far from the data, begin anew there, and so on to the end."""
    full, found = direct.simulator, list[float]()
    p = direct.parameters.expand(direct.parameters.point)
    begin: float | None = None
    y: Array | None = None
    while True:
        times = full.times if begin is None else full.times[full.times >= begin]
        run = Simulator(full.model, times, full.method, (), scale, begin=begin)(p, y_start=y)
        reached = dict(zip(run.times.tolist(), run.y, strict=True))
        ahead = [time for time in possible if (begin is None or time > begin) and np.isfinite(reached[time]).all()]
        left = [time for time in ahead if _is_far(reached[time], possible[time], far)]
        if not left and (run.status or not ahead):
            return found
        begin = left[0] if left else ahead[-1]
        y = reached[begin].copy()
        for each in possible[begin]:
            y[each.state] = each.value
        found.append(begin)


def _is_far(y: Array, restarts: Sequence[Restart], far: Array) -> bool:
    return any(abs(y[each.state] - each.value) > far[each.state] for each in restarts)
