"""Coefficients of the Adams and backward differentiation formulas in Nordsieck form.

Row q of `CORRECTOR[family]` holds l_0 ... l_q of the formula of order q: with z_k = h^k y^(k) / k!, a step is
z = (predicted z) + l e, where l_1 = 1 and e is what the corrector adds to the predicted h y'. Row q of
`ERROR[family]` holds what e (or its difference, or z_q) is divided by to estimate the local error of the
formulas of order q - 1, q and q + 1. Gear, Numerical Initial Value Problems in Ordinary Differential Equations
(1971), section 9; Hindmarsh's arrangement of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import Polynomial

from parfit.arrays import Array

ADAMS, BDF = 0, 1
MAX_ORDER = (12, 5)


def _rising_product(order: int) -> Polynomial:
    """(x + 1)(x + 2) ... (x + order)."""
    return Polynomial.fromroots(-np.arange(1.0, order + 1)) if order else Polynomial([1.0])


def adams(order: int) -> Array:
    """l of the Adams-Moulton formula: the integral of (x+1)...(x+q-1), normalised so that l_1 = 1."""
    product = _rising_product(order - 1)
    integral = product.integ(lbnd=-1.0)
    return np.asarray(integral.coef / product.coef[0])


def bdf(order: int) -> Array:
    """l of the backward differentiation formula: (x+1)...(x+q), normalised so that l_1 = 1."""
    product = _rising_product(order)
    return np.asarray(product.coef / product.coef[1])


def _adams_error_constant(order: int) -> float:
    """The formula of order q has local error `constant` * h^(q+1) y^(q+1)."""
    product = _rising_product(order - 1)
    return float(abs((product * Polynomial([0.0, 1.0])).integ()(-1.0))) / math.factorial(order)


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
