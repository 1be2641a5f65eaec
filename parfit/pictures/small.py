"""A plot of many variables as small plots of one each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parfit.plotting import Figure, Grid, Series

CURVE = "computed"  # what a label says that is the variable's name alone


def small_multiples(figure: Figure, variables: Sequence[str], same_axis: bool = True) -> Figure | Grid:
    """A plot for every variable; what belongs to none of them is in every plot.

    One variable alone keeps the figure as it is. The plots share the axis across, unless it is not the same.
    """
    own = {name: [each for each in figure.series if each.variable == name] for name in variables}
    own = {name: series for name, series in own.items() if series}
    if len(own) < 2:
        return figure
    common = [each for each in figure.series if each.variable not in own]
    panels = []
    for name, series in own.items():
        alike = len({each.number for each in series}) == 1  # then the same look in all plots, and in the legend
        shown = [_alone(each, 0 if alike else each.number) for each in series]
        panels.append(replace(figure, series=(*common, *shown), y_label=name, x_label="", title=""))
    if not same_axis:
        return Grid(tuple(panels), "", f"{figure.title}: {figure.y_label} AGAINST {figure.x_label}")
    title = f"{figure.title}: {figure.y_label}" if figure.y_label != "STATE" else figure.title
    return Grid(tuple(panels), figure.x_label, title)


def _alone(series: Series, number: int) -> Series:
    """In a plot that shows nothing but its variable, whose name it need not say."""
    return replace(series, label=series.what or CURVE, number=number)
