"""The pictures of NUDGE: states with observations, residuals, or one variable against another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.model.naming import base_of, labelled
from parfit.pictures.phase import path
from parfit.pictures.residuals import residuals
from parfit.pictures.series import level, observed, points, solution
from parfit.plotting import Figure, Series
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

STATES, RESIDUALS, PHASE = "states", "residuals", "phase"
BEYOND = 1.0  # of the range of the observations: a curve that is farther off is not followed, lest they be flattened
NARROWEST = 1e-6  # part of all times to which can be zoomed


@dataclass(frozen=True)
class Look:
    """Which picture, of which variables (a place among the choices), and of which times (all if None)."""

    picture: str = STATES
    choice: int = 0
    window: tuple[float, float] | None = None
    experiment: str = ""  # one of several

    def toggled(self, picture: str) -> Look:
        """Another picture, or back to the states."""
        return replace(self, picture=STATES if self.picture == picture else picture, choice=0)

    def zoomed(self, all_times: tuple[float, float], factor: float) -> Look:
        """Times around the same middle, but so many times as long."""
        low, high = self.window or all_times
        half, middle = (high - low) / 2 * factor, (low + high) / 2
        if 2 * half >= all_times[1] - all_times[0]:
            return replace(self, window=None)
        if 2 * half < NARROWEST * (all_times[1] - all_times[0]):
            return self
        return self._within(all_times, middle - half, middle + half)

    def shifted(self, all_times: tuple[float, float], part: float) -> Look:
        """Earlier or later times, by a part of their length."""
        if self.window is None:
            raise ParfitError("all times are shown; z zooms in, and then < > go along")
        low, high = self.window
        return self._within(all_times, low + part * (high - low), high + part * (high - low))

    def _within(self, all_times: tuple[float, float], low: float, high: float) -> Look:
        back = max(all_times[0] - low, 0.0) - max(high - all_times[1], 0.0)
        return replace(self, window=(low + back, high + back))


def choices(env: Environment, picture: str, experiment: str = "") -> list[tuple[str, ...]]:
    """The sets of variables that a picture can show: those that were observed, all, and each; or every pair."""
    seen = _of(experiment, () if env.observations is None else env.observations.names)
    names = (*_of(experiment, env.model.states), *(name for name in seen if name not in env.model.states))
    if picture == PHASE:
        pairs: list[tuple[str, ...]] = list(combinations(names, 2))
        if not pairs:
            raise ParfitError("a phase plane needs two variables, and there is one")
        return pairs
    if picture == RESIDUALS:
        names = seen
        if not names:
            raise ParfitError("without observations there are no residuals")
    sets = [tuple(seen) or names, names, *((name,) for name in names)]  # beside all states the data may be flat
    return list(dict.fromkeys(sets))


def _of(experiment: str, names: Sequence[str]) -> tuple[str, ...]:
    """The variables of one of several experiments."""
    return tuple(name for name in names if not experiment or name == labelled(base_of(name), experiment))


def figure(env: Environment, run: Trajectory, look: Look) -> Figure:
    """What there is to see."""
    found = choices(env, look.picture, look.experiment)
    names = found[look.choice % len(found)]
    if look.picture == PHASE:
        return Figure(tuple(_phase(env, run, look, *names)), names[0], names[1], "phase plane")
    if look.picture == RESIDUALS:
        ends = np.array(look.window or all_times(env))
        shown = [_cut(each, look) for each in residuals(env, run, names)]
        return Figure((level(0.0, ends), *shown), y_label="RESIDUAL")
    lines = [_followed(_cut(line, look), _limits(env, line.variable)) for line in solution(env, run, names)]
    return Figure((*lines, *(_cut(each, look) for each in observed(env, names))), title=look.experiment)


def all_times(env: Environment) -> tuple[float, float]:
    return float(env.samples.times[0]), float(env.samples.times[-1])


def _phase(env: Environment, run: Trajectory, look: Look, across: str, up: str) -> list[Series]:
    x, y = (_cut(line, look).y for line in solution(env, run, (across, up)))
    way = path(env, across, up, x, y)
    data = env.observations
    if data is None or not {across, up} <= set(data.names):
        return [way]
    seen_x, seen_y = (_cut(points(env, name), look).y for name in (across, up))
    way = _followed(way, _limits(env, up), _limits(env, across))
    return [way, Series("observed", seen_x, seen_y, "points", way.number, up, "observed")]


def _cut(series: Series, look: Look) -> Series:
    """The part of a line, or the points, within the times that are shown."""
    if look.window is None:
        return series
    low, high = look.window
    inside = (series.x >= low) & (series.x <= high)
    if not series.is_line:
        return replace(series, x=series.x[inside], y=series.y[inside])
    t = np.concatenate([[low], series.x[inside], [high]])
    return replace(series, x=t, y=np.interp(t, series.x, series.y))


def _limits(env: Environment, name: str) -> tuple[float, float] | None:
    """How far the curve of a variable is followed beside its observations."""
    data = env.observations
    known = np.empty(0) if data is None or name not in data.names else data.values[:, data.names.index(name)]
    known = known[np.isfinite(known)]
    if not known.size:
        return None
    reach = BEYOND * (float(np.ptp(known)) or float(np.abs(known).max()) or 1.0)
    return float(known.min()) - reach, float(known.max()) + reach


def _followed(line: Series, up: tuple[float, float] | None, across: tuple[float, float] | None = None) -> Series:
    """A line up to where it is too far from the observations; its label says when it goes farther."""
    x, y = (
        values if limits is None else np.clip(values, *limits) for values, limits in ((line.x, across), (line.y, up))
    )
    if np.array_equal(x, line.x, equal_nan=True) and np.array_equal(y, line.y, equal_nan=True):
        return line
    return replace(line, x=x, y=y, label=f"{line.label} (goes beyond)")
