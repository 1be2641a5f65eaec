"""Newton's method from many points at once: roots that are known."""

import numpy as np

from parfit.equilibria.newton import newton


def circle_and_line(z):
    """x^2 + y^2 = 2 and x = y: (1, 1) and (-1, -1)."""
    x, y = z.T
    r = np.column_stack((x * x + y * y - 2.0, x - y))
    ones = np.ones_like(x)
    return r, np.stack((np.column_stack((2 * x, 2 * y)), np.column_stack((ones, -ones))), axis=1)


def test_each_start_has_its_root():
    ends = newton(circle_and_line, np.array([[3.0, 0.5], [-2.0, -7.0], [0.1, 0.2]]))
    assert ends.converged.all()
    np.testing.assert_allclose(ends.points, [[1, 1], [-1, -1], [1, 1]], atol=1e-9)


def test_where_there_is_no_root_nothing_converges():
    ends = newton(lambda z: (z * z + 1.0, 2.0 * z[:, :, np.newaxis]), np.array([[3.0], [-1.0]]))
    assert not ends.converged.any()


def test_a_start_that_is_a_root_is_one_even_without_derivatives():
    ends = newton(lambda z: (z * 0.0, np.full((len(z), 1, 1), np.nan)), np.array([[5.0]]))
    assert ends.converged.tolist() == [True]
    assert ends.points.tolist() == [[5.0]]


def test_on_a_line_of_roots_the_nearest_is_taken():
    """x + y = 2, twice: from (3, 1) the shortest way leads to (2, 0)."""

    def twice(z):
        total = z.sum(axis=1) - 2.0
        return np.column_stack((total, total)), np.ones((len(z), 2, 2))

    ends = newton(twice, np.array([[3.0, 1.0]]), singular=True)
    assert ends.converged.all()
    np.testing.assert_allclose(ends.points, [[2.0, 0.0]], atol=1e-12)
