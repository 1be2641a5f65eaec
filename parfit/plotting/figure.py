"""What can be drawn: series over common axes, several such plots side by side, and bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass

EMPTY = "nothing to plot"
LINES = ("errors", "band", "solid", "dashed", "dotted")  # in the order in which they are drawn
SYMBOLS = ("residuals", "points")  # above them
HUGE = 1e307  # larger numbers are drawn here, so that differences, and ticks beyond the data, are still numbers


@dataclass(frozen=True, eq=False)
class Series:
    """What is known of one variable in one way: x and y (n,), where NaN and infinity are gaps."""

    label: str
    x: Array
    y: Array
    kind: str  # one of SYMBOLS, "solid" (integration), "dashed" (smoothing), "dotted" (guesses) or "band"
    number: int = 0  # of the variable: chooses symbol and colour, the same for its points and its lines
    variable: str = ""  # its name; empty for what belongs to none
    what: str = ""  # what of the variable it is: the label where everything is of that variable
    errors: Array | None = None  # standard deviations of points, (n,), NaN where there is none
    again: Callable[[float, float], tuple[Array, Array]] | None = None  # x and y, closely, between two ends

    @property
    def is_line(self) -> bool:
        return self.kind in LINES

    def bars(self, is_log: bool = False) -> list[Series]:
        """The error bars of points, one standard deviation to either side; on a logarithmic axis none down to zero."""
        if self.errors is None:
            return []
        x, y = self.known()
        lower, upper, gap = y - self.errors, y + self.errors, np.full(x.size, np.nan)
        if is_log:
            lower = np.where((lower <= 0.0) & (y > 0.0), y, lower)
        across, ends = (np.column_stack(each).ravel() for each in ((x, x, gap), (lower, upper, gap)))
        return [replace(self, x=across, y=ends, kind="errors", errors=None)]

    def between(self, low: float, high: float) -> Series:
        """The same from one end to another, with as much detail as a picture of that part shows."""
        if self.again is None:
            return self
        x, y = self.again(low, high)
        return replace(self, x=x, y=y)

    def known(self) -> tuple[Array, Array]:
        """x and y of equal length, both NaN where either is not a number that can be drawn."""
        x, y = (np.asarray(values, dtype=np.float64).ravel() for values in (self.x, self.y))
        n = min(len(x), len(y))
        gap = ~(np.isfinite(x[:n]) & np.isfinite(y[:n]))
        return np.where(gap, np.nan, np.clip(x[:n], -HUGE, HUGE)), np.where(gap, np.nan, np.clip(y[:n], -HUGE, HUGE))


def band(
    label: str, x: Array, lower: Array, upper: Array, number: int = 0, variable: str = "", what: str = ""
) -> Series:
    """What lies between two curves over the same x: one after the other, with a gap between them."""
    gap = np.array([np.nan])
    both = np.concatenate((x, gap, x)), np.concatenate((lower, gap, upper))
    return Series(label, *both, "band", number, variable, what)


def halves(series: Series) -> tuple[Array, Array, Array]:
    """x, the lower and the upper curve of a band."""
    x, y = series.known()
    n = x.size // 2
    return x[:n], y[:n], y[n + 1 :]


@dataclass(frozen=True, eq=False)
class Figure:
    """Series over common axes."""

    series: tuple[Series, ...]
    x_label: str = "TIME"
    y_label: str = "STATE"
    title: str = ""
    x_log: bool = False
    y_log: bool = False
    x_range: tuple[float, float] | None = None  # of the data; None takes that of the series
    y_range: tuple[float, float] | None = None

    def anything(self) -> bool:
        """Whether there is a point to draw."""
        return any(np.isfinite(series.known()[0]).any() for series in self.series)


@dataclass(frozen=True, eq=False)
class Grid:
    """Small plots side by side, each with its own scale; what is the same in several is in the legend once.

    With one `x_label` for all of them they have a common axis across, of which the lowest plots show the ticks.
    """

    panels: tuple[Figure, ...]
    x_label: str = "TIME"
    title: str = ""

    def aligned(self) -> Grid:
        """With a common axis across, if there is one."""
        across = [x[np.isfinite(x)] for panel in self.panels for x, _ in (each.known() for each in panel.series)]
        known = np.concatenate([np.zeros(0), *across])
        if not self.x_label or not known.size:
            return self
        x_range = float(known.min()), float(known.max())
        return replace(self, panels=tuple(replace(panel, x_range=x_range) for panel in self.panels))

    @property
    def series(self) -> tuple[Series, ...]:
        """Those of all panels; of equals, as the legend shows them, the first."""
        found: dict[tuple[str, str, int], Series] = {}
        for each in (series for panel in self.panels for series in panel.series):
            found.setdefault((each.label, each.kind, each.number), each)
        return tuple(found.values())


@dataclass(frozen=True, eq=False)
class Bars:
    """Vectors with common names of their components: a column for each vector, a bar for each component."""

    names: tuple[str, ...]
    vectors: tuple[Array, ...]  # (n_names,) each
    headings: tuple[str, ...]
    title: str = ""


Picture = Figure | Grid | Bars
