"""How curves follow the parameters, as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.commands.looking import pictures
from parfit.commands.looking.plotitems import Drawn, Request
from parfit.commands.looking.plotquestions import PARAMETERS
from parfit.errors import CommandError
from parfit.plotting import Figure, Grid, Series
from parfit.session.environment import Environment
from parfit.simulation.simulator import Trajectory

KINDS = ("solid", "dashed", "dotted")  # so that more than four parameters can be told apart without colours
ALIKE = 4


def sensitivities(request: Request) -> Drawn:
    """p dy/dp over time at the present parameters: by how much y would change if p changed in proportion."""
    env = request.env
    env.require("parameters")
    variables = request.variables()
    map_ = env.parameters
    default = [map_.names[k] for k in map_.active]
    names = request.ask.names(PARAMETERS, env.model.parameters, "parameter", default=default)
    if not variables or not names:
        raise CommandError("no variables or no parameters were chosen; RETURN in place of 0 takes all of them")
    active = [env.model.parameters.index(name) for name in names]
    run = env.simulator(active)(env.values, True)
    curves = {variable: _scaled(run, variable, env.values[active]) for variable in variables}
    figures = [_figure(env, run.times, variable, active, curves[variable]) for variable in variables]
    remarks = [
        _most_and_least(variable, run.times, names, env.values[active], curves[variable]) for variable in variables
    ]
    if not run.status:
        remarks.append(f"The integration stopped: {run.status}.")
    if len(figures) == 1:
        return Drawn(picture=figures[0], remarks=remarks)
    panels = tuple(Figure(each.series, "", each.y_label) for each in figures)
    return Drawn(picture=Grid(panels, "TIME", f"{env.model.name}: SENSITIVITIES"), remarks=remarks)


def _scaled(run: Trajectory, variable: str, values: Array) -> Array:
    """p dy/dp; for a parameter of 0 the derivative itself, (n_times, n_chosen)."""
    return run.sensitivity(variable) * np.where(values == 0.0, 1.0, values)


def _figure(env: Environment, times: Array, variable: str, active: Sequence[int], curves: Array) -> Figure:
    series = [Series("0", times[[0, -1]], np.zeros(2), "dotted", pictures.NEUTRAL)]
    for j, k in enumerate(active):
        name = env.model.parameters[k]
        label = name if env.values[k] != 0.0 else f"{name} (is 0: d/d{name} itself)"
        series.append(Series(label, times, curves[:, j], KINDS[k // ALIKE % len(KINDS)], k))
    return Figure(tuple(series), "TIME", f"p d{variable}/dp", env.model.name)


def _most_and_least(variable: str, times: Array, names: Sequence[str], values: Array, curves: Array) -> str:
    """The parameters that a variable follows most and least, in a line."""
    sizes = np.nan_to_num(np.abs(curves[:, values != 0.0]))  # of which 1 % can be told
    names = [name for name, value in zip(names, values, strict=True) if value != 0.0]
    if not names:
        return f"{variable}: all these parameters are 0, so the curves are derivatives that cannot be compared."
    largest = sizes.max(axis=0)
    most, least = int(np.argmax(largest)), int(np.argmin(largest))
    if not largest[most]:
        return f"{variable} follows none of these parameters."
    when = times[int(np.argmax(sizes[:, most]))]
    text = f"{variable}: {names[most]} most, 1 % of it is worth {largest[most] / 100:.3g} at t = {when:.6g}"
    if most == least:
        return f"{text}."
    if not largest[least]:
        others = ", ".join(name for name, size in zip(names, largest, strict=True) if not size)
        return f"{text}; {others} not at all."
    return f"{text}; {names[least]} least, {largest[least] / 100:.3g}."
