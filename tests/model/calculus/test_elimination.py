"""The order of elimination, and the entries of the factors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

from parfit.model.calculus.elimination import plan


def eliminated(n, entries, order):
    """Where L and U differ from zero, by elimination of a matrix in which nothing cancels."""
    place = np.argsort(order)
    matrix = np.eye(n, dtype=bool)
    for i, j in entries:
        matrix[place[i], place[j]] = True
    for k in range(n):
        matrix[k + 1 :, k + 1 :] |= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    return matrix


def dense_of(fill, n):
    start, column = fill
    rows = np.repeat(np.arange(n), np.diff(start))
    return coo_array((np.ones(column.size), (rows, column)), shape=(n, n)).toarray() > 0


@given(st.integers(20, 70), st.integers(0, 10**6), st.floats(0.5, 3.0))
@settings(max_examples=40, deadline=None)
def test_every_entry_of_the_factors_has_its_place(n, seed, each):
    rng = np.random.default_rng(seed)
    entries = {(int(i), int(j)) for i, j in rng.integers(0, n, (int(each * n), 2))}
    order, fill = plan(n, entries)
    assert sorted(order) == list(range(n))
    if fill is not None:
        assert (dense_of(fill, n) == eliminated(n, entries, order)).all()


@pytest.mark.parametrize("n", [50, 400])
def test_an_arrow_is_not_filled(n):
    """One state that all others see and that sees all others is eliminated last."""
    entries = {(0, i) for i in range(n)} | {(i, 0) for i in range(n)} | {(i, i) for i in range(n)}
    order, fill = plan(n, entries)
    assert fill is not None
    assert fill[1].size == len(entries)
    assert 0 in order[-2:]


def test_bands_and_full_matrices_are_not_sparse():
    chain = {(i, j) for i in range(100) for j in (i - 1, i) if j >= 0}
    full = {(i, j) for i in range(40) for j in range(40)}
    assert plan(100, chain)[1] is None
    assert plan(40, full)[1] is None
    assert plan(5, {(0, 4)})[1] is None


def test_a_matrix_without_entries():
    order, fill = plan(30, set())
    assert list(order) == list(range(30))
    assert fill is None
