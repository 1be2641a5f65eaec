"""Pictures that commands draw by themselves, as OPTION SHOW wants them: of some variables, in small plots, or none.

Of several experiments they show the one in sight, if one is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parfit.model.naming import family
from parfit.pictures.axes import STATE, state_label
from parfit.pictures.small import small_multiples
from parfit.plotting import Bars, Figure, Grid, Picture, Series
from parfit.session.environment import Environment


def automatic(env: Environment, picture: Picture | None) -> Picture | None:
    """The picture as it is wanted; one with none of the variables that are wanted stays as it is."""
    wanted = env.display
    if picture is None or wanted.shown == ():
        return None
    if isinstance(picture, Bars):
        return picture
    if wanted.shown or env.in_sight:
        names = [each for name in wanted.shown or () for each in family(name, env.variables)]
        picture = _of_variables(env, picture, env.sighted(names or env.variables))
    return small_multiples(env, picture) if wanted.each and isinstance(picture, Figure) else picture


def _of_variables(env: Environment, picture: Figure | Grid, names: Sequence[str]) -> Figure | Grid:
    """What shows these variables, and what belongs to none."""
    if not any(each.variable in names for each in _series(picture)):
        return picture
    if isinstance(picture, Grid):
        return _some_panels(picture, names)
    series = tuple(each for each in picture.series if not each.variable or each.variable in names)
    label = state_label(env, series) if picture.y_label.startswith(STATE) else picture.y_label
    return replace(picture, series=series, y_label=label)


def _some_panels(grid: Grid, names: Sequence[str]) -> Figure | Grid:
    panels = tuple(panel for panel in grid.panels if any(each.variable in names for each in panel.series))
    if len(panels) == 1:
        return replace(panels[0], x_label=grid.x_label or panels[0].x_label, title=grid.title)
    return replace(grid, panels=panels)


def _series(picture: Figure | Grid) -> list[Series]:
    return (
        list(picture.series) if isinstance(picture, Figure) else [s for panel in picture.panels for s in panel.series]
    )
