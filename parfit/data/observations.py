"""Observations: what was measured in one experiment, when, and how much each value counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.arrays import Array, Unchanging, distinct, read_only
from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.conditions.design import Design
from parfit.model.naming import base_of
from parfit.model.textfile import at_place

DIGITS = 2  # of a weight that is made by the size of a variable
LEAST = 0.01  # of the largest observation of a variable: what is smaller has no larger relative weight


@dataclass(frozen=True, eq=False)
class Observations(Unchanging):
    """The measurements of one experiment, rows in order of time; `make_observations` builds and checks them.

    Times may repeat (replicates), and the last may be inf: there the equations have come to rest. A weight multiplies
    the residual of its value (thesis, eq. 1.1.2).
    All arrays are read-only.
    """

    times: Array  # (n_rows,), non-decreasing, inf at the end of time
    names: tuple[str, ...]  # states or aux quantities, spelled as in the model
    values: Array  # (n_rows, n_names), NaN where not observed
    weights: Array  # (n_rows, n_names), 0 where not observed
    sds: Array | None = None  # (n_rows, n_names), NaN where none was given; None if there are none at all
    source: str = ""  # the file, for messages
    begin: float | None = None  # the initial time that they came with, if any
    labels: Mapping[str, str] = field(default_factory=dict)  # names, and t, as the file has them, with units
    design: Design | None = None  # the experiments, if there are several or if something was set or given

    def label(self, name: str) -> str:
        """A variable, or t, with its unit if the file gave one."""
        return self.labels.get(name, name)

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Where there is a value, (n_rows, n_names)."""
        return ~np.isnan(self.values)

    @cached_property
    def n_observations(self) -> int:
        """How many values there are."""
        return int(np.count_nonzero(self.observed))

    @property
    def fitted_names(self) -> tuple[str, ...]:
        """The variables without those of experiments that are left out of fits."""
        off = [] if self.design is None else [f"[{name}]" for name in self.design.off]
        return tuple(name for name in self.names if not any(name.endswith(each) for each in off))

    @property
    def maxima(self) -> Array:
        """The largest |value| of each name, (n_names,); 0 for a name without values."""
        maxima: Array = np.where(self.observed, np.abs(self.values), 0.0).max(axis=0, initial=0.0)
        return maxima

    def sample_times(self, t0: float) -> Array:
        """The initial time and then the distinct times after it, increasing."""
        if self.times.size and self.times[0] < t0:
            raise DataError(
                f"the observation at time {self.times[0]:g} is before the initial time {t0:g}; "
                "remove it or begin the model earlier",
                self.source or None,
            )
        return distinct(np.append(self.times[np.isfinite(self.times)], t0))

    @property
    def has_rest(self) -> bool:
        """Whether something was observed when all had come to rest, at the time inf."""
        return bool(np.isinf(self.times).any())

    @property
    def on_the_way(self) -> Observations:
        """Those at finite times only."""
        if not self.has_rest:
            return self
        kept = np.isfinite(self.times)
        sds = None if self.sds is None else read_only(self.sds[kept])
        parts = (read_only(each[kept]) for each in (self.times, self.values, self.weights))
        times, values, weights = parts
        return replace(self, times=times, values=values, weights=weights, sds=sds)


def make_observations(
    times: ArrayLike,
    names: Iterable[str],
    values: ArrayLike,
    weights: ArrayLike | None = None,
    sds: ArrayLike | None = None,
    source: str = "",
    begin: float | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
    design: Design | None = None,
) -> Observations:
    """Observations sorted by time (stable); values, weights and sds are (n_rows, n_names) or broadcast to it.

    Without weights, a value with a standard deviation weighs 1 / sd and any other 1.
    """
    names = tuple(names)
    with at_place(source or None):
        time = _numbers(times, "times")
        if time.ndim != 1 or np.isnan(time).any() or (time == -np.inf).any():
            raise DataError(f"times must be a list of numbers, not of shape {time.shape} or with NaN or -inf")
        if len(set(names)) != len(names):
            raise DataError(f"a name occurs twice among {', '.join(names)}; put replicates into rows of their own")
        shape = (time.size, len(names))
        value = _numbers(values, "values")
        if value.shape != shape:
            raise DataError(f"values have shape {value.shape}; {shape[0]} times and {shape[1]} names need {shape}")
        if np.isinf(value).any():
            raise DataError("a value is infinite; write NaN for what was not observed")
        seen = ~np.isnan(value)
        sd = None if sds is None else _sds(_broadcast(sds, shape, "sds"), seen)
        weight = _weights(None if weights is None else _broadcast(weights, shape, "weights"), sd, seen)
    order = np.argsort(time, kind="stable")
    return Observations(
        read_only(time[order]),
        names,
        read_only(value[order]),
        read_only(weight[order]),
        None if sd is None else read_only(sd[order]),
        source,
        begin,
        {name: label for name, label in labels.items() if name in (*names, "t")},
        design,
    )


def _sds(sds: Array, seen: NDArray[np.bool_]) -> Array | None:
    given = seen & ~np.isnan(sds)
    if not (np.isfinite(sds[given]) & (sds[given] > 0)).all():
        raise DataError("a standard deviation is not positive and finite")
    return np.where(given, sds, np.nan) if given.any() else None


def _weights(weights: Array | None, sds: Array | None, seen: NDArray[np.bool_]) -> Array:
    if weights is None:
        weights = np.ones(seen.shape) if sds is None else weights_from(sds)
    if not (np.isfinite(weights[seen]) & (weights[seen] >= 0)).all():
        raise DataError("a weight is negative, infinite or missing, or a standard deviation is too small")
    return np.where(seen, weights, 0.0)


def weights_from(sds: Array) -> Array:
    """The weights that standard deviations stand for: 1 / sd, and 1 where there is none."""
    with np.errstate(over="ignore", divide="ignore"):
        return np.where(np.isnan(sds), 1.0, 1.0 / sds)


def _numbers(array: ArrayLike, what: str) -> Array:
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be an array of numbers") from None


def _broadcast(array: ArrayLike, shape: tuple[int, int], what: str) -> Array:
    numbers = _numbers(array, what)
    try:
        return np.broadcast_to(numbers, shape)
    except ValueError:
        raise DataError(f"{what} have shape {numbers.shape}; the values need {shape}") from None


def quantities_of(data: Observations) -> dict[str, list[int]]:
    """The columns of each quantity; one that was observed in several experiments has several.

    It was measured in the same way in all of them: so an experiment in which hardly anything happened must not weigh
    its noise like the signal of another.
    """
    found: dict[str, list[int]] = {}
    for j, name in enumerate(data.names):
        found.setdefault(base_of(name), []).append(j)
    return found


def sizes_of(data: Observations) -> dict[str, float]:
    """How much the values of each quantity vary about their mean, or their size where they do not vary."""
    found = {}
    for name, columns in quantities_of(data).items():
        values = data.values[:, columns][data.observed[:, columns]]
        if values.size:
            found[name] = float(np.std(values)) or float(np.abs(values).max())
    return found


def weights_by_size(data: Observations) -> Array:
    """Weights by which variables of all sizes count: the reciprocals of the sizes, in a few digits."""
    weights = data.weights.copy()
    columns = quantities_of(data)
    for name, size in sizes_of(data).items():
        for column in columns[name] if size > 0.0 else ():
            weights[data.observed[:, column], column] = float(f"{1.0 / size:.{DIGITS}g}")
    return weights


def relative_weights(data: Observations) -> Array:
    """Weights 1/y for errors in proportion to what is measured; what is next to nothing weighs like the least."""
    weights = data.weights.copy()
    for name, columns in quantities_of(data).items():
        largest = float(data.maxima[columns].max())
        if data.observed[:, columns].any() and not largest > 0.0:
            raise DataError(f"all observations of {name} are 0, so that they have no relative weights")
        for column in columns:
            seen = data.observed[:, column]
            weights[seen, column] = 1.0 / np.maximum(np.abs(data.values[seen, column]), LEAST * largest)
    return weights
