"""Singular values by rotations: in the order of Hestenes' loop to the last bit, and of columns of any size."""

import math

import numpy as np
import pytest
from parfit.kernel.decomposition import Decomposition


def turned(rows):
    """The lengths of rows that are turned, pair after pair, until all are orthogonal (Hestenes 1958)."""
    rows, is_turned = [list(row) for row in rows], True
    while is_turned:
        is_turned = False
        for i in range(len(rows)):
            for j in range(i + 1, len(rows)):
                x, y = rows[i], rows[j]
                xx = yy = xy = 0.0
                for a, b in zip(x, y, strict=True):
                    xx, yy, xy = xx + a * a, yy + b * b, xy + a * b
                if not abs(xy) > 1e-15 * math.sqrt(xx) * math.sqrt(yy):
                    continue
                is_turned = True
                ratio = (yy - xx) / (2.0 * xy)
                t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
                c = 1.0 / math.sqrt(1.0 + t * t)
                s = c * t
                rows[i] = [c * a - s * b for a, b in zip(x, y, strict=True)]
                rows[j] = [s * a + c * b for a, b in zip(x, y, strict=True)]
    return sorted((math.sqrt(_sum(x * x for x in row)) for row in rows), reverse=True)


def _sum(terms):
    """One after the other, which Python's own sum does more accurately from some version on."""
    total = 0.0
    for each in terms:
        total += each
    return total


@pytest.mark.parametrize("k", range(1, 10))
def test_pairs_are_turned_as_if_one_after_the_other(k):
    """Of square matrices, which need no triangle before."""
    jac = np.random.default_rng(k).standard_normal((k, k)) * np.logspace(0, 3, k)
    parts = Decomposition(k, k)
    parts.load(jac, np.ones(k))
    assert parts.singular_values.tolist() == turned(jac)


@pytest.mark.parametrize("m", range(1, 10))
@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_columns_of_any_number_and_size_have_lengths(m, size):
    jac, sizes = np.random.default_rng(m).standard_normal((12, m)), np.full(m, size)
    sizes[m // 2] = 1.0 / size
    parts = Decomposition(12, m)
    parts.load(jac * sizes, np.ones(12), True)
    expected = [sizes[j] * math.hypot(*jac[:, j]) for j in range(m)]
    assert parts.lengths / expected == pytest.approx(np.ones(m), rel=1e-14)
    assert parts.singular_values == pytest.approx(np.linalg.svd(jac / np.linalg.norm(jac, axis=0))[1], rel=1e-9)


def test_a_column_of_zeros_has_no_length():
    jac = np.random.default_rng(3).standard_normal((12, 5))
    jac[:, [1, 4]] = 0.0
    parts = Decomposition(12, 5)
    parts.load(jac, np.ones(12), True)
    assert parts.lengths[[1, 4]].tolist() == [1.0, 1.0]
    assert np.count_nonzero(parts.singular_values > 1e-12) == 3


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("lam", [1e-6, 0.3, 40.0])
@pytest.mark.parametrize("shape", [(7, 3), (3, 3), (2, 5), (1, 4)], ids=str)
def test_the_step_solves_the_damped_normal_equations(shape, lam, scaled):
    rng = np.random.default_rng(3)
    jac, f = rng.normal(size=shape) * 10.0 ** rng.integers(-2, 3, shape[1]), rng.normal(size=shape[0])
    lengths = np.linalg.norm(jac, axis=0) if scaled else np.ones(shape[1])
    j = jac / lengths
    expected = np.linalg.solve(j.T @ j + lam * np.eye(shape[1]), -j.T @ f)
    parts = Decomposition(*shape)
    parts.load(jac, f, scaled)
    assert parts.lengths == pytest.approx(lengths)
    assert parts.step(lam) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert parts.gradient == pytest.approx(j.T @ f)
    n = min(shape)
    assert parts.singular_values[:n] == pytest.approx(np.linalg.svd(j, compute_uv=False))
    assert parts.singular_values[n:] == pytest.approx(np.zeros(shape[1] - n), abs=1e-12 * parts.singular_values[0])
