"""Curves that stand for states: which variables have one, and their values at the sample times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.errors import ParfitError
from parfit.model.curves import Curve
from parfit.model.model import Model

Array = NDArray[np.float64]


def values_at(curves: Mapping[str, Curve], names: Sequence[str], times: Array, derivative: int = 0) -> Array:
    """Values or derivatives of the named curves, (n_times, n_names)."""
    values = np.empty((times.size, len(names)))
    for k, name in enumerate(names):
        values[:, k] = curves[name](times, derivative)
    return values


def split(model: Model, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which of the names are states and which are aux quantities, both in the model's order."""
    wanted, aux = set(names), [name for name, _ in model.aux]
    unknown = sorted(wanted.difference(model.states, aux))
    if unknown:
        raise ParfitError(f"{', '.join(unknown)}: neither a state nor an aux quantity of {model.name}")
    return tuple(name for name in model.states if name in wanted), tuple(name for name in aux if name in wanted)


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
            f"{', '.join(missing)}: neither smoothed nor guessed; this method takes a curve for every state. "
            "CREOBS guesses one, and DFIT 1 does without"
        )
