"""Where searches have ended, in the order of their sums of squares: every minimum is a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.plotting import Figure, Series

STEEP = 100.0  # factor between sums of squares, from which on their logarithms are drawn


def waterfall(totals: Sequence[float]) -> Figure:
    """The sums of squares, the least first."""
    y = np.sort([each for each in totals if np.isfinite(each)])
    steep = bool(y.size and y[0] > 0.0 and y[-1] > STEEP * y[0])
    series = Series("where searches ended", np.arange(1.0, y.size + 1.0), y, "points", 0)
    return Figure((series,), "SEARCHES, THE BEST FIRST", "SUM OF SQUARES", y_log=steep)
