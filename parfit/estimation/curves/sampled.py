"""Curves that stand for states: which variables have one, and their values at the sample times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.errors import ParfitError
from parfit.estimation.spread import spread
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.variables import split


def values_at(curves: Mapping[str, Curve], names: Sequence[str], times: Array, derivative: int = 0) -> Array:
    """Values or derivatives of the named curves, (n_times, n_names)."""
    values = np.empty((times.size, len(names)))
    for k, name in enumerate(names):
        values[:, k] = curves[name](times, derivative)
    return values


Weights = Mapping[str, ArrayLike]  # of residuals by variable, at the sample times or one for all; 1 if not given


def weights_at(weights: Weights | None, names: Sequence[str], times: Array) -> Array:
    """Those of the named variables, (n_times, n_names)."""
    found = np.ones((times.size, len(names)))
    for k, name in enumerate(names):
        if weights is not None and name in weights:
            found[:, k] = weights[name]
    return found


def observed_weights(data: Observations, names: Iterable[str], times: Array) -> dict[str, Array]:
    """What curves weigh at the sample times: as the observations that they go through, and between them.

    Of replicates it is their mean; before the first and after the last observation that of the nearest.
    """
    found = {}
    for name in names:
        t, _, weights = counted(data, name)
        found[name] = np.interp(times, t, weights) if t.size else np.zeros(times.size)
    return found


def counted(data: Observations, name: str) -> tuple[Array, Array, Array]:
    """Times, values and weights of what counts of a variable's observations; of replicates the means."""
    data = data.on_the_way
    j = data.names.index(name)
    rows = data.weights[:, j] > 0
    times, which = np.unique(data.times[rows], return_inverse=True)
    n = np.bincount(which, minlength=times.size)
    values, weights = (np.bincount(which, part[rows, j]) / n for part in (data.values, data.weights))
    return times, values, weights


def weights_of_curves(
    data: Observations,
    curves: Mapping[str, Curve],
    times: Array,
    guessed: Mapping[str, Array],
    of_1977: bool = False,
) -> dict[str, Array]:
    """What the residuals of curves and of guesses (values at the sample times) weigh at the sample times.

    Of a guess nothing was observed: its spread counts as much as that of a curve on average, so that its units do not
    matter. In 1977 it counted like an observation without a weight, and does where no observation has one.
    """
    found = observed_weights(data, curves, times)
    if of_1977 and all((weights == 1.0).all() for weights in found.values()):
        return found
    size = float(np.mean([spread_of_values(found[name] * curve(times)) for name, curve in curves.items()] or [0.0]))
    for name, values in guessed.items():
        own = spread_of_values(values)
        found[name] = np.full(times.size, size / own if size > 0.0 and own > 0.0 else 1.0)
    return found


def spread_of_values(values: Array) -> float:
    """(n_times,): the standard deviation of values, or their size where they are all the same."""
    column = values[:, np.newaxis]
    return float(np.sqrt(spread(column, np.ones_like(column)) / max(values.size, 1)))


def sample_times(times: ArrayLike, start: float | None = None) -> Array:
    """Times for a discretization: finite and increasing, the first one the initial time where that matters."""
    array = np.array(times, dtype=float)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or (np.diff(array) <= 0).any():
        raise ParfitError("the sample times must be finite numbers that increase")
    if start is not None and array[0] != start:
        raise ParfitError(
            f"the first sample time must be the initial time {start:g}, where the integrals begin, not {array[0]:g}"
        )
    return array


def given_values(
    model: Model, times: Array, curves: Mapping[str, Curve], guessed: Mapping[str, ArrayLike]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], Array]:
    """Smoothed states, smoothed aux quantities, guessed states, and the values of all states, (n_times, n_states).

    Every state must be smoothed (a curve) or guessed (values at the sample times), and none of them both.
    """
    smoothed, aux = split(model, curves)
    names = split(model, guessed)[0]
    if len(names) < len(guessed):
        raise ParfitError("only states can be guessed: an aux quantity follows from them")
    both = [name for name in names if name in smoothed]
    if both:
        raise ParfitError(f"{', '.join(both)}: both smoothed and guessed; choose one of the two")
    require_all(model, (*smoothed, *names))
    y = np.empty((times.size, len(model.states)))
    for k, name in enumerate(model.states):
        if name in smoothed:
            y[:, k] = curves[name](times)
            continue
        values = np.asarray(guessed[name], dtype=float)
        if values.shape != times.shape:
            raise ParfitError(f"{name}: {times.size} guessed values are needed, one at each sample time")
        y[:, k] = values
    return smoothed, aux, names, y


def require_all(model: Model, names: Iterable[str]) -> None:
    """Refuse to go on where a state has no curve."""
    missing = [name for name in model.states if name not in set(names)]
    if missing:
        raise ParfitError(
            f"{', '.join(missing)}: neither smoothed nor guessed; this method takes a curve for every state",
            "CREOBS guesses one, and DFIT 1 does without",
        )
