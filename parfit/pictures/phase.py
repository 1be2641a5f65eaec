"""One variable against another."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.pictures.series import colour_of
from parfit.plotting import Figure, Series
from parfit.session.environment import Environment
from parfit.simulation.simulator import Trajectory


def phase(env: Environment, run: Trajectory, across: str, up: str) -> Figure:
    """A variable, or t, against another."""
    return Figure((path(env, across, up, of(run, across), of(run, up)),), across, up, env.model.name)


def path(env: Environment, across: str, up: str, x: Array, y: Array) -> Series:
    """The way of a solution in the plane of two variables."""
    number = colour_of(env, up) if up in env.variables else 0
    return Series(f"{up} against {across}", x, y, "solid", number, up)


def of(run: Trajectory, name: str) -> Array:
    """A variable of a solution, or t."""
    return run.times if name == "t" else run.column(name)
