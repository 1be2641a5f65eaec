"""Solutions and curves with the observations: what fits show of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from parfit.pictures.series import guessed, observed, smoothed, solution
from parfit.plotting import Figure, Series
from parfit.session.environment import Environment
from parfit.simulation.simulator import Trajectory


def fitted(env: Environment, run: Trajectory | None, title: str = "") -> Figure | None:
    """The observed variables of a solution, with the observations."""
    if run is None or env.observations is None:
        return None
    return over_time([*solution(env, run, env.observations.names), *observed(env)], title)


def curves(env: Environment, title: str) -> Figure:
    """The observations, the curves through them, the guesses, and the solution where there is one."""
    assert env.smoothing is not None
    names = list(env.smoothing.curves)
    lines = [] if env.integrated is None else solution(env, env.integrated, names)
    return over_time([*lines, *smoothed(env, names), *guessed(env), *observed(env)], title)


def over_time(series: Sequence[Series], title: str, y_label: str = "STATE") -> Figure:
    """Series over time."""
    return Figure(tuple(series), "TIME", y_label, title)
