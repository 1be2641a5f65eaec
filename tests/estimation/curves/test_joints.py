"""Joints that are found: where a curve bends, from bumps that are B-splines."""

import numpy as np
from numpy.testing import assert_allclose

from parfit.estimation.curves.joints import bumps, choose


def test_joints_are_put_where_the_curve_bends():
    t = np.linspace(0, 10, 80)
    y = np.tanh(5 * (t - 3)) + 0.02 * np.random.default_rng(5).standard_normal(80)
    joints = choose(t, y, np.ones(80), "hermite")
    assert joints.size >= 2
    assert np.all(np.abs(joints - 3) < 1.5)
    assert set(joints) <= set(t), "they are observation times"


def test_bumps_are_b_splines():
    from scipy.interpolate import BSpline

    t = np.linspace(0, 5, 51)
    for knots in ([0, 1, 2, 4, 5], [0, 0, 0, 1, 3], [1, 2, 2, 3, 4]):
        expected = np.nan_to_num(BSpline.basis_element(knots, extrapolate=False)(t))
        inside = t < knots[-1]
        assert_allclose(bumps(t, np.array([knots], dtype=float))[0][inside], expected[inside], atol=1e-14)
