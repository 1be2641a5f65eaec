"""Roots of functions whose roots are known: simple, double, close together, far away; poles and jumps are none."""

import numpy as np
import pytest

from parfit.equilibria.scan import scan


def found(value, slope, top=1.0):
    return scan(lambda y: (value(y), slope(y)), top)


def test_single_roots_with_their_slopes_and_signs():
    """y (y - 2) (y + 30)."""
    roots = found(lambda y: y**3 + 28 * y**2 - 60 * y, lambda y: 3 * y**2 + 56 * y - 60).roots
    np.testing.assert_allclose([root.at for root in roots], [-30, 0, 2], atol=1e-12)
    np.testing.assert_allclose([root.slope for root in roots], [960, -60, 64], rtol=1e-10)
    assert [(root.before, root.behind) for root in roots] == [(-1, 1), (1, -1), (-1, 1)]


def test_a_double_root_touches_and_does_not_cross():
    (root,) = found(lambda y: (y - 0.3) ** 2, lambda y: 2 * (y - 0.3)).roots
    assert root.at == pytest.approx(0.3, abs=1e-7)
    assert (root.before, root.behind) == (1, 1)


@pytest.mark.parametrize("apart", [1e-3, 1e-5])
def test_roots_close_together_are_told_apart(apart):
    a, b = 0.4, 0.4 + apart
    roots = found(lambda y: (y - a) * (y - b), lambda y: 2 * y - a - b).roots
    np.testing.assert_allclose([root.at for root in roots], [a, b], rtol=1e-9)


@pytest.mark.parametrize("at", [1e-7, 1.0, 900.0, -900.0])
def test_roots_next_to_0_and_far_away(at):
    (root,) = found(lambda y: y - at, np.ones_like).roots
    assert root.at == pytest.approx(at, rel=1e-12)


def test_poles_and_jumps_are_no_roots():
    assert found(lambda y: 1 / (y - 0.37), lambda y: -1 / (y - 0.37) ** 2).roots == ()
    assert found(lambda y: np.where(y < 0.37, -1.0, 1.0), np.zeros_like).roots == ()


def test_where_it_is_0_throughout():
    result = found(lambda y: np.clip(y - 0.5, 0, None) + np.clip(y, None, 0), lambda y: ((y > 0.5) | (y < 0)) * 1.0)
    assert result.roots == ()
    ((low, high),) = result.intervals
    assert (low, high) == (pytest.approx(0.0, abs=1e-3), pytest.approx(0.5, abs=1e-3))


def test_where_it_is_not_defined_nothing_is_found():
    roots = found(lambda y: np.log(y), lambda y: 1 / y).roots
    assert [root.at for root in roots] == pytest.approx([1.0])
