"""Profiles as pictures: how F rises along them, and how the other parameters move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.profiles.profile import Profile
from parfit.plotting import Figure, Grid, Picture, Series

UP = "RISE OF F / LIMIT"
DECADES = 50.0  # from this ratio of its ends on, an axis is logarithmic
HIGHEST = 1.3  # of the limit: what of the parabola is drawn
N_PARABOLA = 60  # points


def risen(profiles: Sequence[Profile]) -> Picture:
    """The rise of F over each quantity, its limit, and dotted the parabola of the linear theory."""
    panels = [Figure(_rise(each), each.name, UP, x_log=_spans_decades(each)) for each in profiles]
    return _panels(panels, "PROFILES", f"PROFILES: {UP}")


def _spans_decades(found: Profile) -> bool:
    """Whether a profile is seen only on a logarithmic axis."""
    low, high = float(found.values.min()), float(found.values.max())
    return low > 0.0 and high > DECADES * low


def _rise(found: Profile) -> tuple[Series, ...]:
    ends = np.array([found.values[0], found.values[-1]])
    series = [
        Series("profile", found.values, found.rises, "solid", 0),
        Series("linear theory", *_parabola(found), "dotted", 7),
        Series("limit", ends, np.ones(2), "dashed", 1),
        Series("best", np.array([found.best]), np.zeros(1), "points", 0),
    ]
    kept = [bool(names) for names in found.at_bounds]
    if any(kept):
        series.append(Series("another at a bound", found.values[kept], found.rises[kept], "points", 1))
    return tuple(series)


def _parabola(found: Profile) -> tuple[Array, Array]:
    """As far as it is seen; through the points of the profile, whatever scaling they were computed in."""
    order = np.argsort(found.values, kind="stable")
    x = np.linspace(found.values[0], found.values[-1], N_PARABOLA)
    root = np.sqrt(np.abs(found.parabola)) * np.sign(found.values - found.best)
    y = np.interp(x, found.values[order], root[order]) ** 2
    return x, np.where(y <= HIGHEST, y, np.nan)


def along(profiles: Sequence[Profile], map_: ParameterMap) -> Picture:
    """The other active parameters along each profile, in parts of their best values."""
    panels = []
    for found in profiles:
        series = []
        for number, k in enumerate(map_.active):
            best = map_.full[k]
            if map_.names[k] == found.name or best == 0.0:
                continue
            series.append(Series(map_.names[k], found.values, found.parameters[:, k] / best, "solid", number))
        is_log = _spans_decades(found)
        panels.append(Figure(tuple(series), found.name, "OTHERS / THEIR BEST", x_log=is_log, y_log=is_log))
    title = "THE OTHER PARAMETERS ALONG THE PROFILES"
    return _panels(panels, title, f"{title} / THEIR BEST VALUES")


def _panels(panels: Sequence[Figure], title: str, title_of_many: str) -> Picture:
    """A picture, or small ones that have room for a name only: what is drawn in all of them is said above."""
    if len(panels) == 1:
        return replace(panels[0], title=title)
    return Grid(tuple(replace(panel, y_label=panel.x_label, x_label="") for panel in panels), "", title_of_many)
