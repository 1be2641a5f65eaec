"""Round numbers for an axis, and their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from parfit.plotting.scale import Scale, brief, short

LabelledTicks = tuple[list[float], list[str]]
WITHIN_DECADES = ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))  # multiples of powers of ten, from close to wide
DECADES_APART = (2, 3, 5, 10, 20, 50, 100, 200)


def round_ticks(lowest: float, highest: float, most: int) -> LabelledTicks | None:
    """At least two and at most so many round numbers within limits, with their labels; none if that cannot be."""
    exponent = math.floor(math.log10((highest - lowest) / most)) - 1
    for power in range(exponent, exponent + 4):
        for factor in (1, 2, 5):
            step = factor * 10.0**power
            first, last = math.ceil(lowest / step), math.floor(highest / step)
            if 2 <= last - first + 1 <= most:
                values = [k * step for k in range(first, last + 1)]
                return values, tick_labels(values, power)
    return None


def log_ticks(scale: Scale, lowest: float, highest: float, most: int, apart: float) -> LabelledTicks | None:
    """The same along a logarithmic way; the limits are places along it, between which ticks are so far apart."""
    if not scale.linear and highest - lowest < 1.0:
        return round_ticks(10.0**lowest, 10.0**highest, most)
    for values in _levels(scale, lowest, highest):
        places = scale.along(np.array(values))
        inside = (places >= lowest) & (places <= highest)
        if 2 <= np.count_nonzero(inside) <= most and np.diff(places[inside]).min() >= apart:
            within = np.array(values)[inside].tolist()
            return within, [short(value) for value in within]
    return None


def _levels(scale: Scale, lowest: float, highest: float) -> Iterator[list[float]]:
    """Values that could have ticks: multiples of powers of ten, closer ones first."""
    if scale.linear:
        first = math.floor(math.log10(scale.linear))
        last = first + math.ceil(max(abs(lowest), abs(highest)))
    else:
        first, last = math.floor(lowest), math.ceil(highest)
    sets = [(factors, range(first, last + 1)) for factors in WITHIN_DECADES]
    sets += [((1,), range(step * math.ceil(first / step), last + 1, step)) for step in DECADES_APART]
    for factors, exponents in sets:
        values = [float(f"{f}e{k}") for k in exponents for f in factors if -305 <= k <= 306]
        if not scale.linear:
            yield values
            continue
        for least in (scale.linear, 2.0 * scale.linear):  # the end of the even part may be too near to 0
            sizes = [value for value in values if value >= least]
            yield [*(-value for value in reversed(sizes)), 0.0, *sizes]


def tick_labels(values: Sequence[float], power: int) -> list[str]:
    """The values with the digits that matter if they are 10**power apart, all in the shorter notation."""
    values = [value + 0.0 if abs(value) > 10.0**power / 2 else 0.0 for value in values]
    fixed = [f"{value:.{max(0, -power)}f}" for value in values] if abs(power) < 20 else [" " * 99]
    largest = max(map(abs, values)) or 1.0
    floating = [_scientific(value, max(0, math.floor(math.log10(largest)) - power)) for value in values]
    return fixed if longest(fixed) <= max(7, longest(floating)) else floating


def _scientific(value: float, digits: int) -> str:
    """Such as 2.5e-7, without the zeros and signs that say nothing."""
    return brief(f"{value:.{digits}e}") if value else "0"


def longest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)
