"""A bootstrap as a picture: a histogram for each parameter."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.estimation.resampling import Bootstrap
from parfit.plotting import Figure, Grid, Picture, Series

MOST_BINS = 30
BEYOND = 0.5  # of the interval, how far fits are drawn that lie beyond it
TITLE, UP = "FITS TO DATA DRAWN ANEW", "FITS"


def histograms(found: Bootstrap) -> Picture:
    """How many fits lie where, with the value that data were drawn with and the limits."""
    panels = [_histogram(found, k) for k in range(len(found.names))]
    if len(panels) == 1:
        only = panels[0]
        return Figure(only.series, found.names[0], UP, TITLE)
    return Grid(tuple(panels), "", TITLE)


def _histogram(found: Bootstrap, k: int) -> Figure:
    x, y = _steps(found.values[:, k], *found.limits[:, k].tolist())
    high = np.array([0.0, y.max(initial=1.0)])
    series = [
        Series("fits", x, y, "solid", 0),
        Series("value", np.full(2, found.best[k]), high, "solid", 1),
        *(Series("limit", np.full(2, end), high, "dotted", 7) for end in found.limits[:, k]),
    ]
    return Figure(tuple(series), "", found.names[k])


def _steps(values: Array, low: float, high: float) -> tuple[Array, Array]:
    """The outline of a histogram, with about as many bins as the root of the number, about the limits: a few fits that
    are far away would have all others in one bin."""
    n = int(np.clip(round(np.sqrt(values.size)), 5, MOST_BINS))
    beyond = BEYOND * (high - low)
    near = values[(values >= low - beyond) & (values <= high + beyond)]
    counts, edges = np.histogram(near, n)
    return np.repeat(edges, 2), np.concatenate(([0.0], np.repeat(counts, 2), [0.0]))
