"""B-splines and piecewise polynomials on arrays (de Boor, A Practical Guide to Splines, chapters VII, IX and X).

scipy.interpolate has all of it, but its import takes longer than what is done with the first curve.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array


def basis(times: Array, knots: Array, order: int) -> Array:
    """The B-splines of these knots at the times, (n_times, n_knots - order); beyond the ends the last ones go on."""
    found = np.zeros((times.size, knots.size - order))
    at = _intervals(times, knots, order)
    rows = np.arange(times.size)
    for j, values in enumerate(_present(times, at, knots, order)):
        found[rows, at - order + 1 + j] = values
    return found


def pieces(knots: Array, coefs: Array, order: int) -> tuple[Array, Array]:
    """A spline, the sum of its B-splines times coefs (n_knots - order,), as polynomials between different knots.

    Gives their ends (k + 1,) and coefficients (order, k), the highest power first, of the distance to the left end.
    """
    inner = np.arange(order - 1, knots.size - order, dtype=np.intp)
    left = inner[knots[inner] < knots[inner + 1]]
    breaks = np.append(knots[left], knots[left[-1] + 1])
    found = np.empty((order, left.size))
    factorial, weights = 1.0, coefs
    for derivative in range(order):
        degree = order - 1 - derivative
        present = _present(breaks[:-1], left, knots, degree + 1)
        value = np.zeros(left.size)
        for j in range(degree + 1):
            value += weights[left - degree + j] * present[j]
        found[degree] = value / factorial
        factorial *= derivative + 1.0
        weights = _slopes(weights, knots, degree, derivative)
    return breaks, found


def polynomial(breaks: Array, coefs: Array, t: Array, derivative: int) -> Array:
    """Piecewise polynomials, or a derivative of them, at times of any shape; the end pieces go on."""
    piece = np.clip(np.searchsorted(breaks, t, side="right") - 1, 0, breaks.size - 2)
    s = t - breaks[piece]
    value, power, n = np.zeros(np.shape(t)), np.ones(np.shape(t)), len(coefs)
    with np.errstate(all="ignore"):  # far from the ends they may overflow
        for k in range(derivative, n):
            factor = float(np.prod(np.arange(k, k - derivative, -1)))
            value = value + coefs[n - 1 - k][piece] * power * factor
            power = power * s
    return np.where(np.isnan(t), np.nan, value)


def _intervals(times: Array, knots: Array, order: int) -> NDArray[np.intp]:
    """The subscript of the knot to the left of each time, or of the first or the last that counts."""
    found: NDArray[np.intp] = np.clip(
        np.searchsorted(knots, times, side="right") - 1, order - 1, knots.size - order - 1
    )
    return found


def _present(times: Array, at: NDArray[np.intp], knots: Array, order: int) -> Array:
    """The B-splines that are not 0 in the interval of each time, which begins with knots[at], (order, n_times)."""
    values = np.zeros((order, times.size))
    values[0] = 1.0
    for j in range(1, order):
        before = values[:j].copy()
        values[0] = 0.0
        for n in range(1, j + 1):
            high, low = knots[at + n], knots[at + n - j]
            length = high - low
            part = np.where(length == 0.0, 0.0, before[n - 1] / np.where(length == 0.0, 1.0, length))
            values[n - 1] += part * (high - times)
            values[n] = part * (times - low)
    return values


def _slopes(weights: Array, knots: Array, degree: int, derivative: int) -> Array:
    """The coefficients of the derivative of a spline of this degree, which is that derivative of the first one.

    They are counted as those of the first, of which there is one more at its beginning.
    """
    n = weights.size - derivative - 1
    if degree == 0 or n <= 0:
        return weights
    first = derivative + 1 + np.arange(n)
    length = knots[first + degree] - knots[first]
    real = length > 0.0
    slopes = np.where(real, degree * np.diff(weights[derivative:]) / np.where(real, length, 1.0), 0.0)
    return np.concatenate((np.zeros(derivative + 1), slopes))
