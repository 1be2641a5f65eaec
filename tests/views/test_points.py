"""Points of a guessed curve, moved with keys."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from parfit.estimation.curves.guessing import guessed_curve
from parfit.plotting import Figure, Series
from parfit.views.points import PointsView

T, Y = np.array([0, 2.5, 8.75, 12.5]), np.array([8.0, 3.0, 5.0, 4.0])


def picture(points, selected):
    t, y = points
    return Figure((Series("guessed", t, y, "dotted"), Series("chosen", t[[selected]], y[[selected]], "points", 1)))


def pressed(*keys, y=Y, **how):
    view = PointsView.of((T, y), picture, **how)
    for key in keys:
        view = view.press(key)
    return view


def test_left_and_right_choose_within_the_points():
    assert [pressed(*["right"] * n).selected for n in range(6)] == [0, 1, 2, 3, 3, 3]
    assert pressed("right", "right", "left").selected == 1
    assert pressed("left").selected == 0


def test_up_and_down_move_by_the_step():
    step = pressed().step
    assert step == pytest.approx(5 / 20, rel=0.5)
    assert_allclose(pressed("right", "up", "up", "up").content[1], [8, 3 + 3 * step, 5, 4])
    assert_allclose(pressed("down").content[1], [8 - step, 3, 5, 4])
    assert pressed("*").step == 2 * step
    assert pressed("/", "/").step == step / 4
    assert_allclose(pressed("*", "up").content[1], [8 + 2 * step, 3, 5, 4])
    assert_array_equal(Y, [8, 3, 5, 4])


def test_a_number_sets_the_ordinate():
    assert_allclose(pressed("right", *"-1.5", "enter").content[1], [8, -1.5, 5, 4])
    assert "ordinate at t = 2.5 = -1.5_" in pressed("right", *"-1.5").render(79, 24)


def test_points_move_in_time_between_their_neighbours():
    assert_allclose(pressed("right", ">", ">").content[0], [0, 3, 8.75, 12.5])
    assert_allclose(pressed("right", "<").content[0], [0, 2.25, 8.75, 12.5])
    blocked = pressed("right", *["<"] * 20)
    assert blocked.content[0][1] > 0
    assert "neighbour" in blocked.message
    assert "must stay" in pressed(">").message
    assert pressed(">", "right").message == ""


def test_a_point_is_added_on_the_curve_and_deleted():
    more = pressed("right", "a")
    assert_array_equal(more.content[0], [0, 2.5, 5.625, 8.75, 12.5])
    assert more.content[1][2] == pytest.approx(float(guessed_curve(T, Y)(5.625)), rel=1e-5)
    assert more.selected == 2
    assert_array_equal(more.press("d").content[0], T)
    assert pressed("right", "right", "right", "a").content[0][3] == pytest.approx(10.625)
    assert "must stay" in pressed("d").message


def test_undoing_brings_back_what_was_chosen_too():
    view = pressed("right", "right", "right", "a", "right", "u")
    assert_array_equal(view.content[0], T)
    assert view.selected == 3
    assert_array_equal(pressed("right", "up", "up", "<", "u", "u").content[1], Y)


def test_even_the_first_points_can_be_kept_if_there_was_no_guess():
    assert pressed("enter").outcome == "discarded"
    assert pressed("enter", "enter", is_new=True).outcome == "kept"


def test_what_overflows_is_refused():
    far = pressed(*["*"] * 2000, "up", "up", "up")
    assert np.isfinite(far.content[1]).all()
    assert pressed(*["/"] * 2000).step > 0


def test_flat_points_have_a_step_too():
    assert pressed(y=np.zeros(4)).step > 0
    assert pressed(y=np.full(4, 100.0)).step == pytest.approx(5)


def test_what_is_seen():
    text = pressed("right", "up").render(79, 24)
    lines = text.split("\n")
    assert len(lines) == 24
    assert all(len(line) <= 79 for line in lines)
    assert "point 2 of 4: t = 2.5, ordinate 3.2; step 0.2" in text
    assert "chosen" in text
    assert "a add" in text
