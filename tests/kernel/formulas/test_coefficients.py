"""Formulas of Adams and Gear against what defines them, and against published coefficients."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.polynomial import Polynomial

from parfit.kernel.formulas.coefficients import ADAMS, BDF, CORRECTOR, ERROR, MAX_ORDER, adams, bdf

FORMULAS = [(family, q) for family in (ADAMS, BDF) for q in range(1, MAX_ORDER[family] + 1)]


@pytest.mark.parametrize(("family", "q"), FORMULAS)
def test_a_correction_leaves_alone_what_the_formula_remembers(family, q):
    """What is added to the polynomial through the past is 0 there: for BDF in q values, for Adams in the last value
    and q - 1 slopes."""
    added = Polynomial(CORRECTOR[family, q, : q + 1])
    past = -np.arange(1.0, q + 1)
    size = abs(added.coef).max() * q**q
    if family == BDF:
        assert abs(added(past)).max() < 1e-13 * size
    else:
        assert abs(added(-1.0)) < 1e-13 * size
        assert abs(added.deriv()(past[:-1])).max(initial=0.0) < 1e-13 * size
    assert added.coef[1] == pytest.approx(1.0), "of the present slope it is all"
    assert (CORRECTOR[family, q, q + 1 :] == 0.0).all()


@pytest.mark.parametrize("q", range(1, MAX_ORDER[BDF] + 1))
def test_backward_differences(q):
    """Gear (1971): l_0 of the BDF is 1 / (1 + 1/2 + ... + 1/q)."""
    assert bdf(q)[0] == pytest.approx(float(1 / sum(Fraction(1, k) for k in range(1, q + 1))), rel=1e-13)


@pytest.mark.parametrize(
    ("q", "first"), [(1, 1.0), (2, 1 / 2), (3, 5 / 12), (4, 3 / 8), (5, 251 / 720), (6, 95 / 288)]
)
def test_adams_moulton(q, first):
    """The weight of the newest slope in the Adams-Moulton formulas (Gear, 1971, Table 7.3)."""
    assert adams(q)[0] == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize(("q", "constant"), [(1, 1 / 2), (2, 1 / 12), (3, 1 / 24), (4, 19 / 720)])
def test_errors_of_adams_moulton(q, constant):
    assert 1.0 / ERROR[ADAMS, q, 1] == pytest.approx(constant, rel=1e-12)


@pytest.mark.parametrize(("q", "constant"), [(1, 1 / 2), (2, 2 / 9), (3, 3 / 22), (4, 12 / 125), (5, 10 / 137)])
def test_errors_of_backward_differences(q, constant):
    """C of h^(q+1) y^(q+1): beta_0 / (q + 1)."""
    assert 1.0 / ERROR[BDF, q, 1] == pytest.approx(constant, rel=1e-12)
