"""One variable against another."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.pictures.axes import label_of
from parfit.pictures.series import colour_of
from parfit.plotting import Figure, Series
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory


def phase(env: Environment, run: Trajectory, across: str, up: str) -> Figure:
    """A variable, or t, against another."""
    x, y = (run.fine.times if name == "t" else run.fine.column(name) for name in (across, up))
    return Figure((path(env, across, up, x, y),), label_of(env, across), label_of(env, up), env.model.name)


def path(env: Environment, across: str, up: str, x: Array, y: Array) -> Series:
    """The way of a solution in the plane of two variables."""
    number = colour_of(env, up) if up in env.variables else 0
    return Series(f"{up} against {across}", x, y, "solid", number, up)
