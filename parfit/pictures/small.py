"""A plot of many variables as small plots of one each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from parfit.model.naming import base_of, labelled
from parfit.pictures.axes import STATE, label_of
from parfit.plotting import Figure, Grid, Series
from parfit.session.environment import Environment

CURVE = "computed"  # what a label says that is the variable's name alone
FEW = 3  # curves of several experiments that one picture can hold
MUCH = 20.0  # times as large as another: that one would be flat beside it


def apart(env: Environment, figure: Figure) -> Figure | Grid:
    """Small plots if the variables are of sizes too different for a common axis, or if experiments are many curves."""
    by_experiments = where_many(env, figure)
    if isinstance(by_experiments, Grid):
        return by_experiments
    sizes = [size for name in env.variables if (size := _size(figure.series, name))]
    return small_multiples(env, figure) if sizes and max(sizes) > MUCH * min(sizes) else figure


def where_many(env: Environment, figure: Figure) -> Figure | Grid:
    """A plot for every experiment where they are more curves than one picture can hold; variables look alike."""
    if not env.model.parts or len({each.variable for each in figure.series if each.variable}) <= FEW:
        return figure
    written = list(dict.fromkeys(map(base_of, env.variables)))
    panels = []
    for part in env.model.parts:
        own = [each for each in figure.series if each.variable == labelled(base_of(each.variable), part.name)]
        shown = [replace(each, **_without_experiment(each, written)) for each in own]
        if shown:
            common = [each for each in figure.series if not each.variable]
            panels.append(replace(figure, series=(*common, *shown), y_label=part.name, x_label="", title=""))
    return Grid(_alike(panels), figure.x_label, figure.title) if len(panels) > 1 else figure


def _alike(panels: Sequence[Figure]) -> tuple[Figure, ...]:
    """With one scale for all, so that they can be compared, unless what happened in one would be flat in it."""
    known = [np.concatenate([each.known()[1] for each in panel.series]) for panel in panels]
    known = [values[np.isfinite(values)] for values in known]
    sizes = [float(np.ptp(values)) for values in known if values.size]
    if not sizes or not max(sizes) <= MUCH * min(sizes):
        return tuple(panels)
    everything = np.concatenate(known)
    common = float(everything.min()), float(everything.max())
    return tuple(replace(panel, y_range=common) for panel in panels)


def _without_experiment(series: Series, written: Sequence[str]) -> dict[str, Any]:
    name = base_of(series.variable)
    label = series.label.replace(series.variable, name, 1)
    return {"label": label, "number": written.index(name), "variable": name}


def _size(series: Sequence[Series], name: str) -> float:
    """The largest of what was observed, so that a picture that moves keeps its form; or else of its lines."""
    own = [each for each in series if each.variable == name]
    seen = [each for each in own if not each.is_line] or own
    values = np.concatenate([np.zeros(1), *(each.known()[1] for each in seen)])
    return float(np.nanmax(np.abs(values)))


def small_multiples(env: Environment, figure: Figure, same_axis: bool = True) -> Figure | Grid:
    """A plot for every variable; what belongs to none of them is in every plot.

    One variable alone keeps the figure as it is. The plots share the axis across, unless it is not the same.
    """
    own = {name: [each for each in figure.series if each.variable == name] for name in env.variables}
    own = {name: series for name, series in own.items() if series}
    if len(own) < 2:
        return figure
    common = [each for each in figure.series if each.variable not in own]
    panels = []
    for name, series in own.items():
        alike = len({each.number for each in series}) == 1  # then the same look in all plots, and in the legend
        shown = [_alone(each, 0 if alike else each.number) for each in series]
        panels.append(replace(figure, series=(*common, *shown), y_label=label_of(env, name), x_label="", title=""))
    if not same_axis:
        return Grid(tuple(panels), "", f"{figure.title}: {figure.y_label} AGAINST {figure.x_label}")
    title = figure.title if figure.y_label.startswith(STATE) else f"{figure.title}: {figure.y_label}"
    return Grid(tuple(panels), figure.x_label, title)


def _alone(series: Series, number: int) -> Series:
    """In a plot that shows nothing but its variable, whose name it need not say."""
    return replace(series, label=series.what or CURVE, number=number)
