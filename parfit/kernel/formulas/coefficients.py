"""Coefficients of the Adams and backward differentiation formulas in Nordsieck form.

Row q of `CORRECTOR[family]` holds l_0 ... l_q of the formula of order q: with z_k = h^k y^(k) / k!, a step is
z = (predicted z) + l e, where l_1 = 1 and e is what the corrector adds to the predicted h y'. Row q of
`ERROR[family]` holds what e (or its difference, or z_q) is divided by to estimate the local error of the
formulas of order q - 1, q and q + 1. Gear, Numerical Initial Value Problems in Ordinary Differential Equations
(1971), section 9; Hindmarsh's arrangement of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array

ADAMS, BDF = 0, 1
MAX_ORDER = (12, 5)


# Polynomials are lists of their coefficients, the constant first. (numpy's take longer to import than to use.)
def _rising_product(order: int) -> list[float]:
    """(x + 1)(x + 2) ... (x + order), whose coefficients are whole numbers."""
    product = [1.0]
    for k in range(1, order + 1):
        product = [k * a + b for a, b in zip([*product, 0.0], [0.0, *product], strict=True)]
    return product


def _at(polynomial: Sequence[float], x: float) -> float:
    value = 0.0
    for coefficient in reversed(polynomial):
        value = coefficient + value * x
    return value


def _integral(polynomial: Sequence[float]) -> list[float]:
    """From 0 on."""
    return [0.0, *(coefficient / (k + 1) for k, coefficient in enumerate(polynomial))]


def adams(order: int) -> Array:
    """l of the Adams-Moulton formula: the integral of (x+1)...(x+q-1) from -1 on, normalised so that l_1 = 1."""
    product = _rising_product(order - 1)
    integral = _integral(product)
    integral[0] = -_at(integral, -1.0)
    return np.array(integral) / product[0]


def bdf(order: int) -> Array:
    """l of the backward differentiation formula: (x+1)...(x+q), normalised so that l_1 = 1."""
    product = _rising_product(order)
    return np.array(product) / product[1]


def _adams_error_constant(order: int) -> float:
    """The formula of order q has local error `constant` * h^(q+1) y^(q+1)."""
    return abs(_at(_integral([0.0, *_rising_product(order - 1)]), -1.0)) / math.factorial(order)


def _tables() -> tuple[Array, Array]:
    corrector = np.zeros((2, 13, 14))
    error = np.ones((2, 13, 3))
    for q in range(1, MAX_ORDER[ADAMS] + 1):
        corrector[ADAMS, q, : q + 1] = adams(q)
        error[ADAMS, q, 1] = 1.0 / _adams_error_constant(q)
        if q > 1:
            error[ADAMS, q, 0] = 1.0 / (math.factorial(q) * _adams_error_constant(q - 1))
        if q < MAX_ORDER[ADAMS]:
            error[ADAMS, q, 2] = 1.0 / _adams_error_constant(q + 1)
    for q in range(1, MAX_ORDER[BDF] + 1):
        corrector[BDF, q, : q + 1] = bdf(q)
        error[BDF, q] = 1.0 / math.factorial(q - 1), (q + 1) / bdf(q)[0], (q + 2) / bdf(q)[0]
    return corrector, error


CORRECTOR, ERROR = _tables()
