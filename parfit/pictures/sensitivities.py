"""How curves follow the parameters, as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.pictures.axes import time_label
from parfit.pictures.series import level
from parfit.plotting import Figure, Grid, Series
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

KINDS = ("solid", "dashed", "dotted")  # so that more than four parameters can be told apart without colours
ALIKE = 4


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """p dy/dp over time: by how much y would change if p changed in proportion."""

    run: Trajectory
    fine: Trajectory  # the same at times close enough for a smooth picture
    names: Sequence[str]  # of the parameters
    values: Array  # theirs, (n_names,)

    def of(self, run: Trajectory, variable: str) -> Array:
        """p dy/dp of a variable; for a parameter of 0 the derivative itself, (n_times, n_names)."""
        return run.sensitivity(variable) * np.where(self.values == 0.0, 1.0, self.values)


def sensitivities(env: Environment, names: Sequence[str]) -> Sensitivities:
    """The sensitivities to parameters, at their present values."""
    active = [env.model.parameters.index(name) for name in names]
    simulator = env.simulator(active)
    run = simulator(env.values, True)
    fine = run if simulator.finer is simulator else simulator.finer(env.values, True)
    return Sensitivities(run, fine, names, env.values[active])


def followed(env: Environment, found: Sensitivities, variables: Sequence[str]) -> Figure | Grid:
    """The sensitivities of variables, in a plot for each."""
    figures = [_figure(env, found, variable) for variable in variables]
    if len(figures) == 1:
        return figures[0]
    panels = tuple(Figure(each.series, "", each.y_label) for each in figures)
    return Grid(panels, time_label(env), f"{env.model.name}: SENSITIVITIES")


def _figure(env: Environment, found: Sensitivities, variable: str) -> Figure:
    times, curves = found.fine.times, found.of(found.fine, variable)
    series = [level(0.0, times[[0, -1]])]
    for j, name in enumerate(found.names):
        k = env.model.parameters.index(name)
        label = name if found.values[j] != 0.0 else f"{name} (is 0: d/d{name} itself)"
        series.append(Series(label, times, curves[:, j], KINDS[k // ALIKE % len(KINDS)], k, name))
    return Figure(tuple(series), time_label(env), f"p d{variable}/dp", env.model.name)
