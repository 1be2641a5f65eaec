"""The one vocabulary of pictures: observations are points, solutions lines, curves dashed, guesses dotted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from parfit.arrays import Array
from parfit.model.curves import Curve
from parfit.plotting import Series
from parfit.session.environment import Environment
from parfit.simulation.simulator import N_FINE
from parfit.simulation.trajectory import Trajectory

NEUTRAL = 7  # number of a line that belongs to no variable: it is grey


def colour_of(env: Environment, name: str) -> int:
    """Which variable it is: the same symbol and colour wherever it is plotted."""
    return env.variables.index(name)


def series_of(env: Environment, name: str, what: str, x: Array, y: Array, kind: str = "solid") -> Series:
    """Something of a variable; `what` it is says the label after the name."""
    return Series(f"{name} {what}".rstrip(), x, y, kind, colour_of(env, name), name, what)


def fine_times(env: Environment) -> Array:
    """The sample times, and others close enough for a smooth curve."""
    times = env.samples.times
    fine: Array = np.union1d(times, np.linspace(times[0], times[-1], N_FINE))
    return fine


def observed(env: Environment, names: Iterable[str] | None = None) -> list[Series]:
    """The observations, of all variables or of some, in the order of the data."""
    data = env.observations
    if data is None:
        return []
    chosen = data.names if names is None else [name for name in data.names if name in set(names)]
    return [points(env, name) for name in chosen]


def points(env: Environment, name: str) -> Series:
    """The observations of a variable."""
    data = env.observations
    assert data is not None
    j = data.names.index(name)
    found = series_of(env, name, "observed", data.times, data.values[:, j], "points")
    return found if data.sds is None else replace(found, errors=data.sds[:, j])


def solution(
    env: Environment, run: Trajectory, names: Iterable[str], what: str = "", kind: str = "solid"
) -> list[Series]:
    """Variables as they were integrated, as smooth curves."""
    between = lru_cache(maxsize=2)(run.between)  # once for all variables

    def again(name: str, low: float, high: float) -> tuple[Array, Array]:
        part = between(low, high)
        return part.times, part.column(name)

    lines = [series_of(env, name, what, run.fine.times, run.fine.column(name), kind) for name in names]
    return [replace(line, again=partial(again, line.variable)) for line in lines]


def smoothed(env: Environment, names: Sequence[str], derivative: int = 0) -> list[Series]:
    """The curves through the observations, or their derivatives."""
    assert env.smoothing is not None
    t, curves = fine_times(env), env.smoothing.curves
    lines = [
        _of_curve(series_of(env, name, "smoothed", t, curves[name](t, derivative), "dashed"), curves[name], derivative)
        for name in names
    ]
    return [replace(line, label=f"{line.variable}' smoothed") for line in lines] if derivative else lines


def guessed(env: Environment, names: Iterable[str] | None = None) -> list[Series]:
    """The guesses on states that were not observed, of all or of some."""
    chosen = env.guesses if names is None else names
    return [guessed_curve(env, name, env.guesses[name].curve) for name in chosen]


def guessed_curve(env: Environment, name: str, curve: Curve) -> Series:
    """A guess on a state."""
    t = fine_times(env)
    return _of_curve(series_of(env, name, "guessed", t, curve(t), "dotted"), curve)


def _of_curve(series: Series, curve: Curve, derivative: int = 0) -> Series:
    """A line that is known between its points as well."""

    def again(low: float, high: float) -> tuple[Array, Array]:
        t = np.linspace(max(low, float(series.x[0])), min(high, float(series.x[-1])), N_FINE)
        return t, curve(t, derivative)

    return replace(series, again=again)


def level(value: float, ends: Array, kind: str = "dotted") -> Series:
    """A grey line across, between two ends."""
    return Series(f"{value:g}", ends, np.full(2, value), kind, NEUTRAL)
