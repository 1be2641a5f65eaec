"""Normal equations by blocks, against the whole matrix."""

import numpy as np
import pytest

from parfit.estimation.optimizers.banded import Blocks, solve

RNG = np.random.default_rng(3)
N, K, ROWS, OTHERS = 5, 2, 3, 2


def blocks():
    return Blocks(
        RNG.standard_normal((N, ROWS, K)),
        RNG.standard_normal((N - 1, OTHERS, K)),
        RNG.standard_normal((N - 1, OTHERS, K)),
    )


def whole(blocks):
    """The Jacobian as one matrix: first the rows of one block, then those of two."""
    jac = np.zeros((N * ROWS + (N - 1) * OTHERS, N * K))
    for n in range(N):
        jac[n * ROWS : (n + 1) * ROWS, n * K : (n + 1) * K] = blocks.own[n]
    for n in range(N - 1):
        rows = slice(N * ROWS + n * OTHERS, N * ROWS + (n + 1) * OTHERS)
        jac[rows, n * K : (n + 1) * K] = blocks.left[n]
        jac[rows, (n + 1) * K : (n + 2) * K] = blocks.right[n]
    return jac


@pytest.mark.parametrize("first", [0, 2])
def test_the_solution_is_that_of_the_whole_matrix(first):
    some = blocks()
    jac = whole(some)[:, first * K :]
    alone, joint = RNG.standard_normal((N, ROWS)), RNG.standard_normal((N - 1, OTHERS))
    right = some.transposed(alone, joint)
    np.testing.assert_allclose(right.ravel(), whole(some).T @ np.concatenate((alone.ravel(), joint.ravel())))
    found, singular = solve(some.normal(first), right[first:])
    assert not singular
    np.testing.assert_allclose(found.ravel(), np.linalg.solve(jac.T @ jac, right[first:].ravel()), rtol=1e-9)


def test_a_singular_matrix_is_told_and_solved_all_the_same():
    """The second unknown of a block is nowhere seen."""
    some = blocks()
    for part in (some.own, some.left, some.right):
        part[..., 1] = 0.0
    jac = whole(some)
    right = (jac.T @ np.ones(len(jac))).reshape(N, K)
    found, singular = solve(some.normal(0), right)
    assert singular
    assert np.abs(found[:, 1]).max() == 0.0
    np.testing.assert_allclose(jac @ found.ravel(), jac @ np.linalg.pinv(jac) @ np.ones(len(jac)), rtol=1e-5)


def test_numbers_that_are_none():
    found, singular = solve(np.full((2, 3), np.nan), np.ones((3, 1)))
    assert singular
    assert np.isnan(found).all()
