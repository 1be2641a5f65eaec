"""Joints of a smoothing curve, moved with keys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from parfit.estimation.curves.smoothing import Points, smooth
from parfit.plotting import Figure, Series
from parfit.views.joints import JointsView

T = np.linspace(0, 10, 21)
POINTS = Points(T, np.sin(T), np.ones(21))


def picture(smoothed, selected):
    return Figure((Series("curve", T, smoothed.curve(T), "dashed"),))


def pressed(*keys, joints=(3.0, 6.0), **how):
    view = JointsView.of("y1", smooth(POINTS, joints, "spline"), "spline", picture, **how)
    for key in keys:
        view = view.press(key)
    return view


def test_a_joint_moves_and_the_curve_is_fitted_anew():
    view = pressed("right", ">", ">")
    assert_allclose(view.content.joints, [3, 6 + 2 * view.step])
    assert_allclose(view.content.residuals, smooth(POINTS, view.content.joints, "spline").residuals)
    assert_allclose(pressed("<").content.joints, [3 - view.step, 6])
    assert_allclose(pressed("/", "<").content.joints, [3 - view.step / 2, 6])
    assert_allclose(pressed("*", "<", "left").content.joints, [3 - 2 * view.step, 6])


def test_a_number_moves_the_joint_there():
    assert_allclose(pressed(*"4.5", "enter").content.joints, [4.5, 6])
    assert "neighbour" in pressed(*"7", "enter").message
    assert "time of the joint = 7_" in pressed("7").render(79, 24)


def test_a_joint_stays_between_its_neighbours_and_the_observations():
    assert "neighbour" in pressed(*[">"] * 40).message
    outside = pressed(*["<"] * 40)
    assert outside.content.joints[0] > 0
    assert outside.message


def test_even_the_first_joints_can_be_kept_if_there_was_no_curve():
    assert pressed("enter").outcome == "discarded"
    assert pressed("enter", "enter", is_new=True).outcome == "kept"


def test_joints_are_added_and_deleted():
    assert_allclose(pressed("a").content.joints, [3, 4.5, 6])
    assert_allclose(pressed("right", "a").content.joints, [3, 6, 8])
    assert_allclose(pressed("d").content.joints, [6])
    none = pressed("d", "d")
    assert none.content.joints.size == 0
    assert "a adds one" in none.press(">").message
    assert "a adds one" in none.press("d").message
    assert "no joints" in none.render(79, 24)
    assert_allclose(none.press("a").content.joints, [5])


def test_too_many_joints_are_refused():
    view = pressed(*["a"] * 40)
    assert "EXCESS" in view.message or "SINGULAR" in view.message
    assert view.content.joints.size < 20


def test_undo_and_what_is_seen():
    view = pressed("right", ">", ">", "d", "u")
    assert_allclose(view.content.joints, [3, 6 + 2 * view.step])
    text = pressed("right", ">").render(79, 24)
    assert "y1: joint 2 of 2: t = 6.2; step 0.2; rms residual" in text
    change = float(text.partition("change ")[2].split()[0])
    expected = smooth(POINTS, [3, 6.2], "spline").root_mean_square - smooth(POINTS, [3, 6], "spline").root_mean_square
    assert change == pytest.approx(expected, rel=0.01)
    assert all(len(line) <= 79 for line in text.split("\n"))
