"""Solutions and curves with the observations: what fits show of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.pictures.axes import state_label, time_label
from parfit.pictures.series import guessed, observed, smoothed, solution
from parfit.pictures.small import apart
from parfit.plotting import Figure, Grid, Series
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory


def fitted(env: Environment, run: Trajectory | None, title: str = "") -> Figure | Grid | None:
    """The observed variables of a solution, with the observations."""
    if run is None or env.observations is None:
        return None
    return over_time(env, [*solution(env, run, env.observations.names), *observed(env)], title)


def curves(env: Environment, title: str) -> Figure | Grid:
    """The observations, the curves through them, the guesses, and the solution where there is one."""
    assert env.smoothing is not None
    names = list(env.smoothing.curves)
    lines = [] if env.integrated is None else solution(env, env.integrated, names)
    return over_time(env, [*lines, *smoothed(env, names), *guessed(env), *observed(env)], title)


def over_time(env: Environment, series: Sequence[Series], title: str, y_label: str = "") -> Figure | Grid:
    """Series over time; in small plots where one frame would flatten a variable."""
    return apart(env, together(env, series, title, y_label))


def together(env: Environment, series: Sequence[Series], title: str, y_label: str = "") -> Figure:
    """Series over time, in one frame."""
    return Figure(tuple(series), time_label(env), y_label or state_label(env, series), title)
