"""Integrations that begin anew at break points, with derivatives by the values there (PEIDE 1975, section 5).

Values at break points are parameters of an extended model. There they are added to the initial values, which only
tells the kernel whose derivatives can differ from zero: every segment is given its states and derivatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.curves.sampled import counted
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.language.expression import Name
from parfit.model.model import Model, Part
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Step, Trajectory


class Restart(NamedTuple):
    """A state that begins anew at a break point."""

    time: float
    state: int
    value: float  # first guess: what was observed
    weight: float  # of an observation there
    observed: bool  # at that time; if not, value and weight are between those of its neighbours


def restarts_at(times: Sequence[float], model: Model, observations: Observations) -> list[Restart]:
    """What begins anew at the times: all states that were observed then, or both before and after; by time."""
    curves = [(i, *counted(observations, name)) for i, name in enumerate(model.states) if name in observations.names]
    return [
        Restart(time, i, float(np.interp(time, t, v)), float(np.interp(time, t, w)), time in t)
        for time in sorted(set(times))
        for i, t, v, w in curves
        if t.size and t[0] <= time <= t[-1]
    ]


def extended_model(model: Model, restarts: Sequence[Restart]) -> Model:
    """The model with the values at break points as further parameters, those of each experiment in its own."""
    names = [f"{model.states[each.state]}({each.time!r})" for each in restarts]
    added = [(name, each.state, each.value) for name, each in zip(names, restarts, strict=True)]
    return replace(_with_starts(model, added), parts=tuple(_extended_parts(model, added)))


def _with_starts(model: Model, added: Sequence[tuple[str, int, float]]) -> Model:
    """The model with parameters that are added to initial values: their names, states and values."""
    initial = list(model.initial)
    for name, state, _ in added:
        initial[state] = initial[state] + Name(name)
    return replace(
        model,
        parameters=(*model.parameters, *(name for name, _, _ in added)),
        values=np.append(model.values, [value for _, _, value in added]),
        initial=tuple(initial),
        source="",  # its derivation is not worth being kept on disk
    )


def _extended_parts(model: Model, added: Sequence[tuple[str, int, float]]) -> Iterator[Part]:
    first, n = 0, len(model.parameters)
    for part in model.parts:
        last = first + len(part.model.states)
        own = [k for k, (_, state, _) in enumerate(added) if first <= state < last]
        starts = [(added[k][0], added[k][1] - first, added[k][2]) for k in own]
        yield Part(part.name, _with_starts(part.model, starts), (*part.places, *(n + k for k in own)))
        first = last


def extended_map(parameters: ParameterMap, model: Model, restarts: Sequence[Restart]) -> ParameterMap:
    """The parameters with those of an extended model, which are neither scaled nor bounded."""
    n = len(restarts)
    return ParameterMap(
        model.parameters,
        np.append(parameters.full, [each.value for each in restarts]),
        parameters.frozen,
        (*parameters.scaling, *[Scaling.NONE] * n),
        np.append(parameters.lower, np.full(n, -np.inf)),
        np.append(parameters.upper, np.full(n, np.inf)),
    )


@dataclass(frozen=True, eq=False)
class _Segment:
    """From one break point to the next: what integrates it, and what begins anew at its end."""

    simulator: Simulator
    anew: tuple[tuple[int, int], ...]  # states, and the parameters that are their values

    def __call__(self, p: Array, sensitivities: bool, y: Array | None, s: Array | None) -> Trajectory:
        """Integrate it; a model that is not extended has only the first of the parameters."""
        return self.simulator(p[: len(self.simulator.model.parameters)], sensitivities, y, s)

    def handed_over(self, run: Trajectory, p: Array) -> tuple[Array, Array | None]:
        """States and derivatives with which the next segment begins; new parameters have the last columns."""
        y = run.y[-1].copy()
        s = None if run.s is None else np.pad(run.s[-1], ((0, 0), (0, len(self.anew))))
        for column, (state, k) in enumerate(self.anew, -len(self.anew)):
            y[state] = p[k]
            if s is not None:
                s[state] = 0.0
                s[state, column] = 1.0
        return y, s


class Restarting:
    """An extended model, integrated from break point to break point.

    `active` are subscripts of its parameters, increasing; values at break points that are not among them are not
    used. Its times have each break point three times: with the states before it, with none, which is the gap in a
    picture, and with those after it. So whoever looks for a time finds the states before.
    """

    def __init__(
        self,
        model: Model,
        extended: Model,
        restarts: Sequence[Restart],
        times: ArrayLike,
        method: Method | None = None,
        active: Sequence[int] | None = None,
        scale: ArrayLike | None = None,
    ):
        self._again = partial(Restarting, model, extended, restarts, times, method, scale=scale)
        n = len(model.parameters)
        chosen = tuple(range(len(extended.parameters))) if active is None else tuple(active)
        own = tuple(k for k in chosen if k < n)
        self.used = [(k, restarts[k - n]) for k in chosen if k >= n]  # parameters, and what they restart
        self.break_times = sorted({each.time for _, each in self.used})
        grid = np.array(times, dtype=float)
        self._segments: list[_Segment] = []
        for begin, end in pairwise([None, *self.break_times, float(grid[-1])]):
            assert end is not None
            inside = grid[grid <= end] if begin is None else grid[(grid >= begin) & (grid <= end)]
            here = (*own, *(k for k, each in self.used if each.time < end))
            simulator = Simulator(model if begin is None else extended, inside, method, here, scale, begin=begin)
            anew = [(each.state, k) for k, each in self.used if each.time == end]
            self._segments.append(_Segment(simulator, tuple(anew)))
        rows = [self._segments[0].simulator.times]
        for segment in self._segments[1:]:
            rows += [segment.simulator.times[:1], segment.simulator.times]
        self.model, self.method = extended, self._segments[0].simulator.method
        self.compiled, self.times = extended.compiled(chosen), np.concatenate(rows)

    def __call__(self, parameters: ArrayLike | None = None, sensitivities: bool = False) -> Trajectory:
        """Integrate all segments, or those up to where it fails."""
        p = self.model.values if parameters is None else np.array(parameters, dtype=float)
        y = np.full((self.times.size, len(self.model.states)), np.nan)
        s = np.full((*y.shape, len(self.compiled.active)), np.nan) if sensitivities else None
        row, ends = 0, []
        y_start: Array | None = None
        s_start: Array | None = None
        for segment in self._segments:
            run = segment(p, sensitivities, y_start, s_start)
            rows = slice(row, row + len(run.times))
            y[rows], row = run.y, rows.stop + 1
            if s is not None and run.s is not None:
                s[rows] = 0.0  # by what comes later
                s[rows, :, : run.s.shape[2]] = run.s
            ends.append(run._end)
            if not run.status:
                break
            y_start, s_start = segment.handed_over(run, p)
        return Trajectory(self, p, (y, s, _together(ends)))

    @np.errstate(all="ignore")
    def steps(self, parameters: ArrayLike, every: int) -> list[Step]:
        """The steps of the integration of all segments, one in `every`."""
        p = np.array(parameters, dtype=float)
        found: list[Step] = []
        start: Array | None = None
        for segment in self._segments:
            found += segment.simulator.steps(p[: len(segment.simulator.model.parameters)], every, start)
            run = segment(p, False, start, None)
            if not run.status:
                break
            start, _ = segment.handed_over(run, p)
        return found

    def with_active(self, active: Sequence[int]) -> Restarting:
        """The same with other active parameters, which are all the break points it has."""
        return self._again(active=active)

    def rows_before(self) -> NDArray[np.intp]:
        """The rows with the states that each restart replaces, (n_restarts,)."""
        return np.searchsorted(self.times, [each.time for _, each in self.used])


def _together(ends: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """How the last segment ended, with the work of all."""
    *where, _ = ends[-1][:4]
    return (*where, tuple(map(sum, zip(*(end[3] for end in ends), strict=True))))
