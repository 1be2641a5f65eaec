"""Residuals as pictures: over time, and against what was computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.estimation.diagnosis.study import Residuals
from parfit.pictures.axes import time_label
from parfit.pictures.series import NEUTRAL, level, series_of
from parfit.pictures.small import small_multiples
from parfit.plotting import Figure, Picture, Series, band
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

RESIDUALS = "residuals"  # the kind of series
UP = "WEIGHTED RESIDUAL"
LIMIT = 2.0  # standard errors of the fit, which about 1 residual in 20 exceeds


def weighted(env: Environment, run: Trajectory, name: str) -> tuple[Array, Array, Array]:
    """Times, computed values and w (y - v) of the observations of a variable; NaN where the weight is 0."""
    data = env.observations
    assert data is not None
    j = data.names.index(name)
    seen = data.observed[:, j]
    times, weights = data.times[seen], data.weights[seen, j]
    reached = np.isfinite(run.column(name))
    computed = np.interp(times, run.times[reached], run.column(name)[reached])
    residuals = np.where(weights > 0.0, weights * (computed - data.values[seen, j]), np.nan)
    return times, computed, residuals


def over_time(env: Environment, names: Sequence[str]) -> Figure:
    """The weighted residuals of the last integration over time, and within which limits most of them should lie."""
    data, run = env.observations, _run(env)
    assert data is not None
    ends = _ends(data.times)
    everything = np.concatenate([weighted(env, run, name)[2] for name in data.names])
    series = (*_levels(env, ends, everything), *residuals(env, run, names))
    return Figure(series, time_label(env), UP, env.model.name)


def residuals(env: Environment, run: Trajectory, names: Sequence[str]) -> list[Series]:
    """The weighted residuals over time."""
    found = {name: weighted(env, run, name) for name in names}
    return [series_of(env, name, "residuals", t, each, RESIDUALS) for name, (t, _, each) in found.items()]


def against_computed(env: Environment, names: Sequence[str]) -> Picture:
    """The weighted residuals of the last integration against the curve, a plot for each variable."""
    series = []
    for name in names:
        _, computed, found = weighted(env, _run(env), name)
        if computed.size:
            ends = np.array([computed.min(), computed.max()])
            series.append(series_of(env, name, "residuals", computed, found, RESIDUALS))
            series.append(series_of(env, name, "0", ends, np.zeros(2)))
    figure = Figure(tuple(series), "COMPUTED VALUE", UP, env.model.name)
    return small_multiples(env, figure, same_axis=False)


def studied(found: Residuals, variables: Sequence[str], title: str = "") -> Figure:
    """The residuals of statistics over time, with a line at 0; `variables` number the symbols, as in other plots."""
    series = [level(0.0, _ends(found.times))]
    for name in dict.fromkeys(found.names):
        own = np.array([each == name for each in found.names])
        label, k = f"residuals of {name}", variables.index(name)
        series.append(Series(label, found.times[own], found.weighted[own], RESIDUALS, k, name, "residuals"))
    return Figure(tuple(series), "TIME", "RESIDUAL", title)


def _ends(times: Array) -> Array:
    """The first and the last of the times that are finite."""
    finite = times[np.isfinite(times)]
    return np.array([finite.min(), finite.max()]) if finite.size else np.zeros(2)


def _run(env: Environment) -> Trajectory:
    assert env.integration is not None
    return env.integration.trajectory


def _levels(env: Environment, ends: Array, everything: Array) -> list[Series]:
    """A line at zero, and the limits within which most residuals lie if the model is right."""
    known = everything[np.isfinite(everything)]
    n_free = known.size - len(env.parameters.active)
    if n_free <= 0:
        return [level(0.0, ends, "solid")]
    limit = LIMIT * float(np.sqrt(known @ known / n_free))
    label = f"+-{limit:.3g}, {LIMIT:g} standard errors"
    edge = np.full(2, limit)
    return [level(0.0, ends, "solid"), band(label, ends, -edge, edge, NEUTRAL)]
