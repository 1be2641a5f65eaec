"""Pictures that commands show of themselves: observations with the curves through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from parfit import plotting
from parfit.arrays import Array
from parfit.plotting import Figure, Series
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment

NEUTRAL = 7  # number of a line that belongs to no variable: it is grey
N_FINE = 200  # times at least, for a curve that looks smooth


def fine_times(env: Environment) -> Array:
    """The sample times, and others close enough for a smooth curve."""
    times = env.samples.times
    fine: Array = np.union1d(times, np.linspace(times[0], times[-1], N_FINE))
    return fine


def observed(env: Environment, names: Iterable[str] | None = None) -> list[Series]:
    """The observations, of all variables or of some."""
    data = env.observations
    if data is None:
        return []
    chosen = data.names if names is None else [name for name in data.names if name in set(names)]
    columns = {name: data.values[:, j] for j, name in enumerate(data.names)}
    return [Series(f"{name} observed", data.times, columns[name], "points", number(env, name)) for name in chosen]


def smoothed(env: Environment, names: Sequence[str], derivative: int = 0) -> list[Series]:
    """The curves of SMOOTH, or their derivatives."""
    assert env.smoothing is not None
    t, curves = fine_times(env), env.smoothing.curves
    label = "{}' smoothed" if derivative else "{} smoothed"
    return [Series(label.format(name), t, curves[name](t, derivative), "dashed", number(env, name)) for name in names]


def number(env: Environment, name: str) -> int:
    """Which variable it is: the same symbol and colour wherever it is plotted."""
    return env.variables.index(name)


def show(ask: Dialogue, series: Sequence[Series], title: str, y_label: str = "STATE") -> None:
    """Draw what is to be seen at once."""
    figure = Figure(tuple(series), "TIME", y_label, title)
    ask.say(plotting.draw(figure, *ask.console.size, ask.console.colour, ask.console.unicode))
