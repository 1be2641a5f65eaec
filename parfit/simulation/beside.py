"""Experiments beside each other: each is integrated by itself, with steps of its own, and all make one solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array

OK = 0  # of the kernel: the end was reached


class Beside(NamedTuple):
    """The integration of one experiment, and where it stands in that of all."""

    integrator: Callable[..., Any]
    parameters: NDArray[np.intp]  # its own among all
    columns: list[int]  # the derivatives by its active parameters among all
    states: slice


def one_by_one(
    parts: Sequence[Beside],
    n_times: int,
    n_active: int,
    p: Array,
    sensitivities: bool,
    y_start: Array | None = None,
    s_start: Array | None = None,
    every: int = 0,
    trace: list[Any] | None = None,
    looseness: float = 1.0,
) -> tuple[Array, Array | None, tuple[Any, ...]]:
    """States, sensitivities and how it ended, as an integrator of the kernel has them.

    What an experiment does not depend on has derivatives of 0; rows after its own last time are NaN. The first
    experiment that fails says how it ended, and those after it are not integrated.
    """
    n = parts[-1].states.stop
    y = np.full((n_times, n), np.nan)
    s = np.full((n_times, n, n_active), np.nan) if sensitivities else None
    ends = []
    for part in parts:
        begin = [] if y_start is None else [y_start[part.states], _rows(s_start, part)]
        notes: list[Any] = []
        how: dict[str, Any] = {"every": every, "trace": notes} if every else {}
        own = np.ascontiguousarray(p[part.parameters])
        own_y, own_s, end = part.integrator(own, sensitivities, *begin, **how, looseness=looseness)
        rows = slice(0, len(own_y))
        y[rows, part.states] = own_y
        if s is not None:
            s[rows, part.states] = 0.0
            s[rows, part.states, part.columns] = own_s
        if trace is not None:
            trace += [(t, h, order, _among(states, part.states, n)) for t, h, order, states in notes]
        ends.append(end)
        if end[0] != OK:
            break
    return y, s, _ended(ends, parts)


def _rows(s_start: Array | None, part: Beside) -> Array | None:
    return None if s_start is None else np.ascontiguousarray(s_start[part.states][:, part.columns])


def _among(states: list[float], place: slice, n: int) -> list[float]:
    """The states of one experiment in the row of all, where the others are not known."""
    row = [float("nan")] * n
    row[place] = states
    return row


def _ended(ends: Sequence[tuple[Any, ...]], parts: Sequence[Beside]) -> tuple[Any, ...]:
    """How the last of them ended, with the work of all, and the first time at which one was found to be stiff."""
    reason, time, state = ends[-1][:3]
    counts = tuple(map(sum, zip_longest(*(end[3] for end in ends), fillvalue=0)))
    stiff = [end[4] for end in ends if len(end) > 4 and end[4] == end[4]]
    where = state + parts[len(ends) - 1].states.start if state >= 0 else state
    return reason, time, where, counts, min(stiff, default=float("nan"))
