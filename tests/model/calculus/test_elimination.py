"""The order of elimination, and the entries of the factors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

from parfit.model.calculus.elimination import _as_fill, _outlined, plan


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


@given(st.integers(2, 70), st.integers(0, 10**6), st.floats(0.5, 3.0))
@settings(max_examples=40, deadline=None)
def test_every_entry_of_the_factors_has_its_place(n, seed, each):
    rng = np.random.default_rng(seed)
    entries = {(int(i), int(j)) for i, j in rng.integers(0, n, (int(each * n), 2))}
    found = plan(n, entries)
    assert sorted(found.order) == list(range(n))
    if found.fill is not None:
        assert (dense_of(found.fill, n) == eliminated(n, entries, found.order)).all()


@given(st.integers(20, 60), st.integers(0, 10**6), st.floats(1.0, 3.0))
@settings(max_examples=40, deadline=None)
def test_an_outline_has_the_fill_in_of_short_ways(n, seed, each):
    """Entry (i, j) has a place if three steps or fewer lead from i to j through states eliminated before both."""
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, n, (2, int(each * n)))
    entries = np.eye(n, dtype=bool)
    entries[i, j] = True
    expected = entries.copy()
    for a in range(n):
        for b in range(n):
            before = entries[: min(a, b), : min(a, b)]
            two = entries[a, : min(a, b)] @ entries[: min(a, b), b]
            expected[a, b] |= two or bool(entries[a, : min(a, b)] @ before @ entries[: min(a, b), b])
    assert (dense_of(_as_fill(_outlined(n, i, j)), n) == expected).all()


@pytest.mark.parametrize("n", [50, 400])
def test_an_arrow_is_not_filled(n):
    """One state that all others see and that sees all others is eliminated last."""
    entries = {(0, i) for i in range(n)} | {(i, 0) for i in range(n)} | {(i, i) for i in range(n)}
    found = plan(n, entries)
    assert found.fill is not None
    assert found.fill[1].size == len(entries)
    assert found.outline is None
    assert 0 in found.order[-2:]


def test_a_narrow_band_stays_as_it_is_and_is_not_filled():
    chain = {(i, j) for i in range(100) for j in (i - 1, i) if j >= 0}
    found = plan(100, chain)
    assert list(found.order) == list(range(100))
    assert found.fill is not None
    assert found.fill[1].size == len(chain)


def test_wide_bands_and_full_matrices_are_not_sparse():
    band = {(i, j) for i in range(60) for j in range(max(i - 8, 0), min(i + 9, 60))}
    full = {(i, j) for i in range(40) for j in range(40)}
    assert plan(60, band).fill is None
    assert plan(40, full).fill is None
    assert plan(5, {(0, 4)}).fill is None


def test_a_matrix_without_entries():
    found = plan(30, set())
    assert list(found.order) == list(range(30))
    assert found.fill is None


def test_a_chain_of_ten_is_sparse_and_what_has_many_entries_or_few_states_is_not():
    chain = [(i, j) for i in range(10) for j in (i - 1, i) if j >= 0]
    found = plan(10, chain)
    assert found.fill is not None
    assert found.fill[1].size == 19, "two diagonals, and nothing is filled"
    assert plan(10, [(i, j) for i in range(10) for j in range(0, 10, 2)]).fill is None
    assert plan(7, [entry for entry in chain if max(entry) < 7]).fill is None
