"""Singular values, ranks and lengths, against numpy and by hand."""

import numpy as np
import pytest

from parfit.spectrum import (
    column_lengths,
    condensed,
    decompose,
    directions,
    eliminated,
    least_squares,
    orthonormal,
    pseudo_inverse,
    shortest_solutions,
    singular_values,
    within_bounds,
)

RNG = np.random.default_rng(1977)
JAC = RNG.standard_normal((7, 3))


@pytest.mark.parametrize("units", [1.0, np.array([1e-200, 1.0, 1e200])])
def test_lengths_of_columns_of_any_size(units):
    np.testing.assert_allclose(column_lengths(JAC * units), np.linalg.norm(JAC, axis=0) * units, rtol=1e-14)
    assert column_lengths(np.zeros((4, 2))).tolist() == [0.0, 0.0]


def test_singular_values_and_condition():
    found = decompose(JAC)
    np.testing.assert_allclose(found.s, np.linalg.svd(JAC, compute_uv=False))
    np.testing.assert_allclose(found.v.T @ np.diag(found.s**2) @ found.v, JAC.T @ JAC, atol=1e-12)
    assert found.condition == pytest.approx(np.linalg.cond(JAC))
    assert decompose(np.ones((3, 2))).condition == np.inf
    assert decompose(np.ones((1, 2))).s.size == 2, "as many as columns, where there are fewer rows"


@pytest.mark.parametrize("units", [1.0, np.array([1e-9, 1.0, 1e9, 1e5])])
def test_the_rank_does_not_depend_on_units(units):
    """The fourth column is the sum of the first two."""
    jac = np.column_stack((JAC, JAC[:, 0] + JAC[:, 1])) * units
    found = directions(jac)
    assert found.rank == 3
    change = found.null[0] / found.lengths
    assert np.abs(jac @ change).max() < 1e-12 * np.abs(jac * change).max()
    np.testing.assert_allclose(change * units / (change * units)[0], [1, 1, 0, -1], atol=1e-9)


@pytest.mark.parametrize("units", [1.0, np.array([1e-9, 1.0, 1e9, 1e5])])
def test_what_agrees_within_the_precision_says_the_same(units):
    """The fourth column is the sum of the first two but for a part of 1e-5."""
    jac = np.column_stack((JAC, JAC[:, 0] + JAC[:, 1] + 1e-5 * np.cos(np.arange(7)))) * units
    assert directions(jac).rank == directions(jac, 1e-7).rank == 4
    found = directions(jac, 1e-4)
    assert found.rank == 3
    change = found.null[0] / found.lengths * units
    np.testing.assert_allclose(change / change[0], [1, 1, 0, -1], atol=100 * found.tilt)
    assert 1e-4 < found.tilt < 1e-3


def test_a_column_of_zeros_is_dead():
    found = directions(np.column_stack((JAC[:, 0], np.zeros(7))))
    assert found.dead.tolist() == [False, True]
    assert found.rank == 1
    np.testing.assert_allclose(np.abs(found.null), [[0, 1]], atol=1e-15)


def test_what_can_be_imitated():
    found = directions(JAC)
    vector = RNG.standard_normal(7)
    fitted = JAC @ np.linalg.lstsq(JAC, vector, rcond=None)[0]
    np.testing.assert_allclose(found.u @ found.explained(vector), fitted, atol=1e-12)


def test_elimination_gives_rows_that_can_be_read():
    rows = np.array([[1.0, 2.0, 0.0, 4.0], [1.0, 2.0, 1.0, 4.0]])
    found = eliminated(rows)
    assert np.linalg.matrix_rank(np.vstack((rows, found))) == 2, "the same space"
    assert [np.abs(row).max() for row in found] == [1.0, 1.0]
    np.testing.assert_allclose(found, [[0.25, 0.5, 0, 1], [0, 0, 1, 0]])


def test_rounding_does_not_decide_which_entry_is_made_1():
    rows = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, 1.0]])
    for noise in (1e-15, -1e-15):
        np.testing.assert_allclose(eliminated(rows * (1.0 + noise * RNG.random((2, 3)))), [[1, 0, 1], [0, 1, 1]])


def test_a_stack_is_decomposed_matrix_by_matrix():
    stack = RNG.standard_normal((4, 2, 3))
    found = decompose(stack)
    assert (found.s.shape, found.v.shape) == ((4, 3), (4, 3, 3))
    for matrix, s, v, values in zip(stack, found.s, found.v, singular_values(stack), strict=True):
        np.testing.assert_allclose(v.T @ np.diag(s**2) @ v, matrix.T @ matrix, atol=1e-12)
        np.testing.assert_allclose(s[:2], values)


def test_columns_that_differ_by_less_than_their_errors_are_one():
    jac = np.column_stack((JAC[:, 0], JAC[:, 0] + 1e-6 * JAC[:, 1]))
    assert (directions(jac).rank, directions(jac, precision=1e-5).rank) == (2, 1)


def test_an_orthonormal_basis_spans_the_columns():
    basis = orthonormal(JAC)
    np.testing.assert_allclose(basis.T @ basis, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(basis @ (basis.T @ JAC), JAC, atol=1e-13)


def test_least_squares_solve_the_normal_equations():
    vector = RNG.standard_normal(7)
    x, rank = least_squares(JAC, vector)
    assert rank == 3
    np.testing.assert_allclose(JAC.T @ (JAC @ x - vector), 0, atol=1e-13)
    assert least_squares(JAC[:, [0, 0]], vector)[1] == 1


def test_of_many_solutions_the_shortest():
    """x + y = 2 and, but for what counts as nothing, x - y = 5; and a regular one beside it."""
    matrices = np.array([[[1.0, 1.0], [1e-9, -1e-9]], [[2.0, 0.0], [0.0, 4.0]]])
    right = np.array([[2.0, 5e-9], [2.0, 2.0]])
    np.testing.assert_allclose(shortest_solutions(matrices, right, 1e-7), [[1, 1], [1, 0.5]])
    np.testing.assert_allclose(shortest_solutions(matrices, right, 1e-14), [[3.5, -1.5], [1, 0.5]])
    assert np.isnan(shortest_solutions(np.full((2, 2, 2), np.nan), right, 1e-7)).all(), "and no exception"


@pytest.mark.parametrize("least", [1.0, 1e-5, 1e-9, 0.0])
@pytest.mark.parametrize("shape", [(7, 4), (4, 4), (3, 4)])
def test_a_pseudo_inverse_is_that_of_the_singular_values_which_count(shape, least):
    rng = np.random.default_rng(2)
    u, v = (orthonormal(rng.normal(size=(n, min(shape)))) for n in shape)
    s = np.array([2.0, 1.0, 0.5, least])[-min(shape) :]
    counts = s > 1e-7 * s.max()
    expected = v[:, counts] / s[counts] @ u[:, counts].T
    np.testing.assert_allclose(pseudo_inverse(u * s @ v.T, 1e-7), expected, rtol=1e-9 / max(least, 1e-5), atol=1e-9)


def test_a_pseudo_inverse_of_what_is_no_number_is_none():
    assert np.isnan(pseudo_inverse(np.full((3, 2), np.nan), 1e-7)).all()


@pytest.mark.parametrize("shape", [(7, 3), (2, 3), (3, 3)])
def test_condensed_rows_have_the_same_products(shape):
    rows = np.random.default_rng(1).normal(size=shape)
    found = condensed(rows)
    assert found.shape == (3, 3)
    assert found.T @ found == pytest.approx(rows.T @ rows, rel=1e-12, abs=1e-12)


def test_least_squares_within_limits_has_no_slope_where_it_is_free():
    rng = np.random.default_rng(3)
    columns, vector = rng.normal(size=(9, 3)), rng.normal(size=9)
    wide = np.full(3, np.inf)
    free = within_bounds(columns, vector, (-wide, wide))
    assert columns.T @ (columns @ free + vector) == pytest.approx(np.zeros(3), abs=1e-12)
    low = free + np.array([0.1, -1.0, -1.0])
    found = within_bounds(columns, vector, (low, wide))
    slope = columns.T @ (columns @ found + vector)
    assert found[0] == pytest.approx(low[0])
    assert slope[0] > 0.0
    assert slope[1:] == pytest.approx([0.0, 0.0], abs=1e-9)
