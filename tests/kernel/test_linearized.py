"""Steps of More's method against solutions of the damped normal equations with many digits."""

import mpmath
import numpy as np
import pytest
from parfit.kernel.linearized import Linearized

DIGITS = 400


def damped(jac, f, scale, par):
    """-(J'J + par D^2)^-1 J'f."""
    with mpmath.workdps(DIGITS):
        j, d = mpmath.matrix(jac.tolist()), mpmath.diag([mpmath.mpf(float(v)) ** 2 for v in scale])
        found = mpmath.lu_solve(j.T * j + mpmath.mpf(par) * d, -(j.T * mpmath.matrix(f.tolist())))
        return np.array([float(v) for v in found])


def lengths(jac):
    return np.linalg.norm(jac, axis=0)


def problem(seed, n, m, sizes=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, m)) * sizes, rng.normal(size=n)


def linearized(jac, f):
    near = Linearized(*jac.shape)
    near.load(jac, f)
    return near


CASES = [
    problem(0, 3, 1),
    problem(1, 4, 4),
    problem(2, 30, 6),
    problem(3, 12, 5, np.array([1e-3, 1e5, 1.0, 1e-8, 30.0])),
    problem(4, 12, 4, np.array([1e3, 1e-40, 1e-20, 1.0])),
    problem(5, 200, 12),
]


@pytest.mark.parametrize(("jac", "f"), CASES)
@pytest.mark.parametrize("part", [2.0, 0.7, 0.01, 1e-6])
def test_steps_are_the_damped_ones_at_the_radius(jac, f, part):
    near, scale = linearized(jac, f), lengths(jac)
    whole = damped(jac, f, scale, 0.0)
    radius = part * np.linalg.norm(scale * whole)
    step, par, length, along = near.step(radius, 0.0)
    assert step == pytest.approx(damped(jac, f, scale, par), rel=1e-8)
    assert length == pytest.approx(np.linalg.norm(scale * step))
    assert along == pytest.approx(np.linalg.norm(jac @ step))
    if part > 1:
        assert par == 0.0
    else:
        assert par > 0.0
        assert length == pytest.approx(radius, rel=0.1)


@pytest.mark.parametrize("given", [0.0, 1e-8, 1.0, 1e8])
def test_the_radius_is_met_from_any_parameter(given):
    near = linearized(*CASES[2])
    _, par, length, _ = near.step(0.1, given)
    assert par > 0.0
    assert length == pytest.approx(0.1, rel=0.1)


def test_columns_too_small_for_a_step_without_a_radius():
    """As parameters have them that go to infinity: rows that cancel there leave no digits."""
    jac, f = problem(6, 20, 3, np.array([1e3, 1e-30, 1e-60]))
    near, scale = Linearized(20, 3), np.array([1e3, 14.0, 225.0])
    near.load(np.vstack([np.diag(scale), np.zeros((17, 3))]), f)  # from where the columns were longer
    near.load(jac, f)
    scale = np.maximum(scale, lengths(jac))
    step, par, length, _ = near.step(360.0, 0.0)
    assert length == pytest.approx(360.0, rel=0.1)
    assert step == pytest.approx(damped(jac, f, scale, par), rel=1e-8)


def test_the_scale_never_shrinks():
    (large, f), (small, g) = problem(7, 10, 3), problem(8, 10, 3, np.array([0.1, 20.0, 0.1]))
    near, p = linearized(large, f), np.array([1.0, -2.0, 0.5])
    assert near.scaled_norm(p) == pytest.approx(np.linalg.norm(lengths(large) * p))
    near.load(small, g)
    assert near.scaled_norm(p) == pytest.approx(np.linalg.norm(np.maximum(lengths(large), lengths(small)) * p))


@pytest.mark.parametrize("radius", [1e9, 0.3])
def test_a_parameter_without_influence_does_not_move(radius):
    jac, f = problem(9, 10, 4)
    jac[:, 1] = 0.0
    others = [0, 2, 3]
    step, par, _, _ = linearized(jac, f).step(radius, 0.0)
    assert step[1] == 0.0
    assert step[others] == pytest.approx(damped(jac[:, others], f, lengths(jac[:, others]), par), rel=1e-8)


@pytest.mark.parametrize("par", [0.0, 1e-9, 1e-3])
def test_columns_that_agree_within_the_precision_are_moved_together(par):
    """The second column is the first but for 1e-7: without a precision a step takes their difference for something."""
    rng = np.random.default_rng(4)
    x, noise, f = rng.normal(size=9), rng.normal(size=9), rng.normal(size=9)
    jac = np.column_stack((x, 3.0 * (x + 1e-7 * noise)))
    steps = []
    for precision in (0.0, 1e-6):
        near = Linearized(9, 2, precision)
        near.load(jac, f)
        steps.append(near.step(1e9, par)[0])
    exact = -(f @ x) / (x @ x) / 2.0  # what either has to do
    assert np.abs(steps[0] / exact).max() > 1e5
    assert steps[1] == pytest.approx([exact, exact / 3.0], rel=1e-5)


@pytest.mark.parametrize("precision", [-1e-9, 1.1, np.nan])
def test_a_precision_is_a_part(precision):
    with pytest.raises(ValueError, match="precision is a part"):
        Linearized(3, 2, precision)


def test_no_influence_of_any():
    step, par, length, along = linearized(np.zeros((4, 2)), np.ones(4)).step(1.0, 0.0)
    assert step.tolist() == [0.0, 0.0]
    assert (par, length, along) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("scale", [None, 1.0, 1e6])
@pytest.mark.parametrize("size", [1e-320, 1e-308, 1e-291, 1e-289, 1e-200])
def test_a_step_is_never_too_long_for_a_number(size, scale):
    near, f = Linearized(3, 2), np.array([1.0, 1e6, 0.0])
    if scale is not None:  # the columns were longer elsewhere
        near.load(scale * np.eye(3, 2), f)
    near.load(np.array([[1.0, 0.0], [0.0, size], [0.0, 0.0]]), f)
    step, par, length, along = near.step(2e6 if scale is None else 3.0 * scale, 0.0)
    assert np.isfinite([*step, par, length, along]).all()
    assert step[0] == pytest.approx(-1.0)
    assert abs(step[1]) <= 3.3 or scale is None


@pytest.mark.parametrize(("jac", "f"), CASES)
def test_the_steepest_column(jac, f):
    assert linearized(jac, f).steepest == pytest.approx(np.abs(f @ jac / lengths(jac)).max())


def test_what_does_not_fit_is_refused():
    for n, m in ((2, 3), (3, 0)):
        with pytest.raises(ValueError, match="fewer residuals than parameters"):
            Linearized(n, m)
    near = Linearized(3, 2)
    for jac, f in ((np.ones((3, 3)), np.ones(3)), (np.ones((4, 2)), np.ones(4)), (np.ones((3, 2)), np.ones(2))):
        with pytest.raises(ValueError, match="do not fit together"):
            near.load(jac, f)
    near.load(np.eye(3, 2), np.ones(3))
    with pytest.raises(ValueError, match="not one parameter"):
        near.scaled_norm(np.ones(3))


def test_a_dependent_column_does_not_hide_one_that_is_nearly_so():
    """After the first column nothing is left of the second, and 1e-8 of the third: lengths must be computed anew."""
    jac = np.zeros((4, 3))
    jac[0] = 1.0
    jac[1, 2] = 1e-8
    f = np.array([1.0, 2.0, 3.0, 4.0])
    step, par, _, along = linearized(jac, f).step(1e300, 0.0)
    assert par == 0.0
    assert jac @ step == pytest.approx([-1.0, -2.0, 0.0, 0.0], rel=1e-6)
    assert along == pytest.approx(np.sqrt(5.0), rel=1e-6)


@pytest.mark.parametrize("part", [2.0, 0.3])
def test_steps_have_no_part_along_what_is_not_seen(part):
    """Columns of very different lengths of which two are dependent: the shortest step in scaled parameters."""
    rng = np.random.default_rng(8)
    jac = rng.normal(size=(12, 4)) * [1e6, 1.0, 1e-6, 1e3]
    jac[:, 2] = 3e-7 * jac[:, 1]
    f, scale = rng.normal(size=12), lengths(jac)
    whole = -np.linalg.pinv(jac / scale, rcond=1e-9) @ f
    step, par, length, _ = linearized(jac, f).step(part * np.linalg.norm(whole), 0.0)
    null = np.array([0.0, 3e-7, -1.0, 0.0]) * scale  # a change that nothing sees, in scaled parameters
    assert abs(null @ (scale * step)) <= 1e-9 * np.linalg.norm(null) * length
    if part > 1.0:
        assert par == 0.0
        assert scale * step == pytest.approx(whole, rel=1e-8)
