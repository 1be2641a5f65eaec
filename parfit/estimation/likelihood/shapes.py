"""Residuals of one variable over the size of their errors, as a noise model has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from parfit.arrays import Array
from parfit.estimation.noise import VariableNoise

# A state, an aux quantity or a parameter at the observations (n,), and its derivatives by the active parameters.
Column = Callable[[str], tuple[Array, Array | None]]


class Shaped(NamedTuple):
    """What is squared, and the logarithms of the sizes of errors; with derivatives if what is computed has them."""

    r: Array  # (n,)
    jac: Array | None  # (n, n_active)
    sizes: Array  # logarithms, (n,)
    slopes: Array | None  # their derivatives, (n, n_active)
    constant: float  # of twice the log determinant


def shaped(
    model: VariableNoise,
    computed: tuple[Array, Array | None],
    observed: Array,
    weights: Array,
    quantity: tuple[Array, Array | None] | None,
    rounded: float,
) -> Shaped:
    """From what was computed, with derivatives by the active parameters, and the quantity of the noise model.

    `rounded` is where the tip of a Laplace density is a parabola, in units of weighted residuals over their sizes.
    """
    y, dy = computed
    z, dz, constant = y - observed, dy, 0.0
    if model.form.is_of_logarithm:
        z, dz = np.log(y) - np.log(observed), _over(dy, y)
        constant = 2.0 * float(np.log(observed).sum())
    sizes, slopes = np.zeros(y.size), None if dy is None else np.zeros_like(dy)
    if model.form.name == "RELATIVE":
        sizes, slopes = sizes + np.log(np.abs(y)), _sum(slopes, _over(dy, y))
    if quantity is not None:
        q, dq = quantity
        sizes, slopes = sizes + np.log(np.where(q > 0.0, q, np.nan)), _sum(slopes, _over(dq, q))
    e = weights * z * np.exp(-sizes)
    de = None
    if dz is not None and slopes is not None:
        de = (weights * np.exp(-sizes))[:, np.newaxis] * dz - e[:, np.newaxis] * slopes
    if model.form.is_laplace:
        e, de = _rooted(e, de, rounded)
    return Shaped(e, de, sizes, slopes, constant)


def _rooted(e: Array, de: Array | None, rounded: float) -> tuple[Array, Array | None]:
    """sqrt(2 |e|) with the sign of e, the tip of |e| being a parabola: its square is that of a Laplace density."""
    size = np.sqrt(e * e + rounded * rounded)
    factor = np.sqrt(2.0 / np.where(size > 0.0, size + rounded, 1.0))
    return e * factor, None if de is None else de / (size * factor)[:, np.newaxis]


def _over(derivatives: Array | None, values: Array) -> Array | None:
    return None if derivatives is None else derivatives / values[:, np.newaxis]


def _sum(one: Array | None, other: Array | None) -> Array | None:
    return None if one is None or other is None else one + other
