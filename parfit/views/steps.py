"""How a parameter moves by steps in per cent: straight on, or by equal steps of its logarithm or square root."""

from __future__ import annotations

from parfit.estimation.parameters import Scaling

PERCENTS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
FIRST_PERCENT = PERCENTS.index(2.0)
DIGITS = 10  # significant ones of what was reached by steps, whose rounding errors nobody wants to read
NOTHING = 1e-9  # next to a step, what is left of a difference that should be 0


def stepped(value: float, size: float, percent: float, n: int, scaling: Scaling) -> float:
    """A parameter n steps on; `size` is what the per cent are of, unless the steps are those of a logarithm."""
    if scaling is Scaling.LOGARITHM:
        new = value * (1.0 + percent / 100.0) ** n
    elif scaling is Scaling.SQUARE_ROOT:
        new = scaling.unscaled(max(scaling.scaled(value) + n * percent / 100.0 * scaling.scaled(size), 0.0))
    else:
        new = value + n * percent / 100.0 * size
    step = abs(percent / 100.0 * size)
    return 0.0 if abs(new) < NOTHING * step and scaling is not Scaling.LOGARITHM else float(f"{new:.{DIGITS}g}")


def size_of(value: float, first: float) -> float:
    """What a step is a part of: the parameter's own size, now or in the beginning, so that it can pass 0."""
    return max(abs(value), abs(first)) or 1.0


def other_percent(place: int, change: int) -> int:
    """The place among the steps, coarser or finer."""
    return min(max(place + change, 0), len(PERCENTS) - 1)
