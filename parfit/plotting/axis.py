"""Axes: the range of the data, and the ticks along it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.plotting.figure import HUGE
from parfit.plotting.scale import Scale, brief, scale_for
from parfit.plotting.ticks import LabelledTicks, log_ticks, longest, round_ticks, tick_labels

TINY = 1e-305  # below, the steps between ticks would no longer be numbers
ROUNDING = 1e-12  # a relative difference that is held to be none, lest rounding errors fill the plot


@dataclass(frozen=True)
class Axis:
    """The range of the data along an axis, and the character cells over which it is spread."""

    low: float  # along the scale, as the next one
    high: float
    n_cells: int
    scale: Scale

    @property
    def margin(self) -> float:
        """Cells at either end that keep what is on the border off the frame."""
        return 0.5 + self.n_cells / 50

    def place(self, values: Array) -> Array:
        """Cells from the left or lower end."""
        part = (self.scale.along(values) - self.low) / (self.high - self.low)
        return self.margin + part * (self.n_cells - 2 * self.margin)

    def ticks(self, most: int) -> LabelledTicks:
        """At most so many round numbers within the frame, or else the ends of the data; with their labels."""
        cell = (self.high - self.low) / (self.n_cells - 2 * self.margin)
        ends = [self.scale.value(self.low), self.scale.value(self.high)]
        if self.scale.is_log:  # where the margin can be worth decades, so that ticks stay near the data
            lowest, highest = self.low - cell / 4, self.high + cell / 4
            if self.scale.linear and self.low >= 0.0:
                lowest = 0.0  # a negative tick would be a puzzle
            return log_ticks(self.scale, lowest, highest, most, cell) or (ends, [brief(f"{end:.3g}") for end in ends])
        lowest, highest = self.low - cell * self.margin, self.high + cell * self.margin
        exponent = math.floor(math.log10((self.high - self.low) / most)) - 1
        return round_ticks(lowest, highest, most) or (ends, tick_labels(ends, exponent))

    def ticks_across(self) -> LabelledTicks:
        """As many ticks along the lower axis as leave their labels apart."""
        for most in range(min(12, self.n_cells // 7), 2, -1):
            values, labels = self.ticks(most)
            if self._is_wide_enough(values, labels):
                return values, labels
        return self.ticks(2)

    def _is_wide_enough(self, values: Sequence[float], labels: Sequence[str]) -> bool:
        if not self.scale.is_log:
            return len(values) * (longest(labels) + 3) <= self.n_cells
        places = self.place(np.array(values))  # not evenly spaced
        return not places.size or float(np.diff(places).min(initial=np.inf)) >= longest(labels) + 2


def axis_for(values: Sequence[Array], n_cells: int, is_log: bool) -> Axis:
    """An axis for these values, in cells."""
    scale = scale_for(values, is_log)
    low, high = span([scale.along(each) for each in values], around=1.0 if scale.is_log else None)
    return Axis(low, high, n_cells, scale)


def span(values: Sequence[Array], around: float | None = None) -> tuple[float, float]:
    """The smallest and the largest value; `around` a constant, by default its size, a range to see it in."""
    known = np.concatenate([np.zeros(0), *values])
    known = known[np.isfinite(known)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    largest = max(abs(low), abs(high))
    if high - low > max(ROUNDING * largest, TINY):
        return low, high
    reach = around or (largest if largest > TINY else 1.0)
    return max(low - reach, -HUGE), min(high + reach, HUGE)
