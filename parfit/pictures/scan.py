"""Sums of squares against the values of a parameter."""

from __future__ import annotations

import numpy as np

from parfit.estimation.strategies.scan import Trials
from parfit.plotting import Figure, Series

STEEP = 100.0  # factor between sums of squares, from which on their logarithms are drawn


def scanned(found: Trials, which: str) -> Figure:
    """The curve through what was tried, and the best."""
    shown = sorted((*found.tried, found.best), key=lambda each: each.value)
    x = np.array([each.value for each in shown])
    y = np.array([each.sum_of_squares if np.isfinite(each.sum_of_squares) else np.nan for each in shown])
    best = Series("the best", np.array([found.best.value]), np.array([found.best.sum_of_squares]), "points", 1)
    known = y[np.isfinite(y)]
    steep = bool(known.size and known.min() > 0.0 and known.max() > STEEP * known.min())
    return Figure((Series("F", x, y, "solid"), best), which, "SUM OF SQUARES", y_log=steep)
