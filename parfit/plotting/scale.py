"""Where values lie along an axis: evenly, or by their logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass

MOST_DECADES = 6  # below the largest value that are told from zero, lest rounding errors fill the plot
EVEN_PART = 0.5  # decades, the length of either half of an even part
ROUNDING = 1.0 + 1e-12
SMALLEST = 1e-300  # of an even part


@dataclass(frozen=True)
class Scale:
    """A way along an axis.

    Logarithms cope with zero and with negative values: from -`linear` to `linear` the way is even, on either side
    as long as half a decade; beyond, negative values mirror the positive ones. So nothing is left out.
    """

    is_log: bool = False
    linear: float = 0.0  # 0 where all values are positive, and logarithms do

    def along(self, values: Array) -> Array:
        """How far values lie along it."""
        if not self.is_log:
            return values
        if not self.linear:
            return np.log10(values)
        sizes = np.abs(values) / self.linear
        beyond = EVEN_PART + np.log10(np.maximum(sizes, 1.0))
        placed: Array = np.sign(values) * np.where(sizes > 1.0, beyond, EVEN_PART * sizes)
        return placed

    def value(self, place: float) -> float:
        """What lies at a place along it."""
        if not self.is_log:
            return place
        if not self.linear:
            return float(10.0**place)
        size = abs(place)
        part = 10.0 ** (size - EVEN_PART) if size > EVEN_PART else size / EVEN_PART
        return math.copysign(self.linear * part, place)

    def named(self, label: str, briefly: bool = False) -> str:
        """The label of the axis, with what must be known to read it."""
        if not self.is_log:
            return label
        how = f"log{' >' if briefly else ', linear within '}{short(self.linear)}" if self.linear else "log"
        return f"{label} ({how})" if label else f"({how})"


def scale_for(values: Sequence[Array], is_log: bool) -> Scale:
    """An even way, or a logarithmic one with an even part where zero or negative values need it."""
    if not is_log:
        return Scale()
    known = np.concatenate([np.zeros(0), *values])
    known = known[np.isfinite(known)]
    sizes = np.abs(known[known != 0.0])
    if not sizes.size:
        return Scale()
    if known.min() > 0.0:
        return Scale(True)
    least = max(float(sizes.min()), float(sizes.max()) * 10.0**-MOST_DECADES, SMALLEST)
    power = math.floor(math.log10(least))
    return Scale(True, max(linear for f in (1, 2, 5) if (linear := float(f"{f}e{power}")) <= least * ROUNDING))


def short(value: float) -> str:
    """A round number such as 0.01, 500 or 2e-7."""
    if not value or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    return brief(f"{value:.0e}")


def brief(number: str) -> str:
    """A number without the zeros and signs of its exponent that say nothing."""
    mantissa, _, exponent = number.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else number
