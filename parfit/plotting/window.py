"""The part of a picture that is in sight: lines cut where they leave it, and the axes that go with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.plotting.axis import span
from parfit.plotting.figure import Figure, Grid, Series
from parfit.plotting.scale import Scale, scale_for

Range = tuple[float, float]


@dataclass(frozen=True)
class Window:
    """What is in sight across, and upwards; without the latter as much as is needed for all that is in sight."""

    x: Range
    y: Range | None = None


def seen(picture: Figure | Grid, window: Window) -> Figure | Grid:
    """The part of a picture, computed anew for it where that can be; small plots have heights of their own."""
    if isinstance(picture, Grid):
        return replace(picture, panels=tuple(_seen(panel, Window(window.x)) for panel in picture.panels))
    return _seen(picture, window)


def extent(picture: Figure | Grid) -> Window:
    """All of a picture."""
    series = picture.series if isinstance(picture, Figure) else [s for panel in picture.panels for s in panel.series]
    x, y = zip(*(each.known() for each in series), strict=True) if series else ((), ())
    return Window(span(x), span(y))


def scales(picture: Figure | Grid) -> tuple[Scale, Scale]:
    """The ways along both axes."""
    figure = picture if isinstance(picture, Figure) else picture.panels[0]
    x, y = zip(*(each.known() for each in figure.series), strict=True) if figure.series else ((), ())
    return scale_for(x, figure.x_log), scale_for(y, figure.y_log)


def _seen(figure: Figure, window: Window) -> Figure:
    series = tuple(_cut(each.between(*window.x), window) for each in figure.series)
    return replace(figure, series=series, x_range=window.x, y_range=window.y)


def _cut(series: Series, window: Window) -> Series:
    """What of a series is in sight."""
    x, y = series.known()
    low, high = window.y or (-np.inf, np.inf)
    if not series.is_line:
        inside = (x >= window.x[0]) & (x <= window.x[1]) & (y >= low) & (y <= high)
        errors = None if series.errors is None else np.where(inside, _shortened(series, y, low, high), np.nan)
        return replace(series, x=np.where(inside, x, np.nan), y=np.where(inside, y, np.nan), errors=errors)
    if series.kind == "band":  # two lines after each other, which stay as long as they were
        x, y = np.where((x < window.x[0]) | (x > window.x[1]), np.nan, x), np.clip(y, low, high)
        return replace(series, x=x, y=y)
    x, y = _within(x, y, *window.x)
    y, x = _within(y, x, low, high)
    return replace(series, x=x, y=y)


def _shortened(series: Series, y: Array, low: float, high: float) -> Array:
    """Error bars no longer than to the nearer edge, so that they do not widen what is in sight."""
    assert series.errors is not None
    shortened: Array = np.minimum(series.errors, np.minimum(y - low, high - y))
    return shortened


def _within(x: Array, y: Array, low: float, high: float) -> tuple[Array, Array]:
    """A line where x is within limits, with the points at which it crosses them."""
    if x.size < 2 or not np.isfinite([low, high]).any():
        return x, y
    with np.errstate(all="ignore"):
        crossings = np.sort(np.stack([(low - x[:-1]) / np.diff(x), (high - x[:-1]) / np.diff(x)]), axis=0)
        enters, leaves = np.nan_to_num(np.clip(crossings, 0.0, 1.0), nan=0.0)
        flat = np.diff(x) == 0.0
        inside = (x[:-1] >= low) & (x[:-1] <= high)
        enters, leaves = np.where(flat, 0.0, enters), np.where(flat, np.where(inside, 1.0, 0.0), leaves)
    known = np.isfinite(x[:-1]) & np.isfinite(x[1:]) & (leaves > enters)
    first, last = _at(x, y, enters), _at(x, y, leaves)
    goes_on = known[:-1] & known[1:] & (leaves[:-1] == 1.0) & (enters[1:] == 0.0)
    begins, ends = known & ~np.append(False, goes_on), known & ~np.append(goes_on, False)
    parts = np.stack([begins, known, ends], axis=1).ravel()  # a gap after each end
    gap = np.full(x.size - 1, np.nan)
    columns = [np.stack([first[k], last[k], gap], axis=1).ravel()[parts] for k in (0, 1)]
    return columns[0], columns[1]


def _at(x: Array, y: Array, part: Array) -> tuple[Array, Array]:
    """Points between each and the next."""
    return (
        np.where(part == 1.0, x[1:], x[:-1] + part * np.diff(x)),
        np.where(part == 1.0, y[1:], y[:-1] + part * np.diff(y)),
    )
