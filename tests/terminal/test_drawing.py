"""Points moved about with the arrow keys: what each key does, and the screen through a pipe."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from parfit.estimation.guessing import guessed_curve
from parfit.terminal.drawing import Drawing, draw_points

T, Y = np.array([0, 2.5, 8.75, 12.5]), np.array([8.0, 3.0, 5.0, 4.0])
KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "enter": "\r", "c-c": "\x03"}


def picture(t, y, selected, width, height):
    return f"{t.tolist()} {y.tolist()} {selected} {width}x{height}"


def pressed(*keys):
    drawing = Drawing.of(T, Y, picture)
    for key in keys:
        drawing = drawing.press(key)
    return drawing


def test_left_and_right_select_within_the_points():
    assert [pressed(*["right"] * n).selected for n in range(6)] == [0, 1, 2, 3, 3, 3]
    assert pressed("right", "right", "left").selected == 1
    assert pressed("left").selected == 0


def test_up_and_down_move_by_the_step():
    step = pressed().step
    assert step == pytest.approx(5 / 20, rel=0.5)
    assert_allclose(pressed("right", "up", "up", "up").points[1], [8, 3 + 3 * step, 5, 4])
    assert_allclose(pressed("down").points[1], [8 - step, 3, 5, 4])
    assert pressed("+").step == 2 * step
    assert pressed("-", "-").step == step / 4
    assert_allclose(pressed("+", "up").points[1], [8 + 2 * step, 3, 5, 4])
    assert_array_equal(Y, [8, 3, 5, 4])


def test_points_move_in_time_between_their_neighbours():
    assert_allclose(pressed("right", ">", ">").points[0], [0, 3, 8.75, 12.5])
    assert_allclose(pressed("right", "<").points[0], [0, 2.25, 8.75, 12.5])
    blocked = pressed("right", *["<"] * 20)
    assert blocked.points[0][1] > 0
    assert "neighbour" in blocked.message
    assert "must stay" in pressed(">").message
    assert pressed(">", "right").message == ""


def test_a_point_is_added_on_the_curve_and_deleted():
    more = pressed("right", "a")
    assert_array_equal(more.points[0], [0, 2.5, 5.625, 8.75, 12.5])
    assert more.points[1][2] == pytest.approx(float(guessed_curve(T, Y)(5.625)), rel=1e-5)
    assert more.selected == 2
    assert_array_equal(more.press("d").points[0], T)
    assert pressed("right", "right", "right", "a").points[0][3] == pytest.approx(10.625)
    assert "must stay" in pressed("d").message


def test_other_keys_change_nothing():
    assert pressed("x", "right").points[0] is T


def test_the_end():
    assert pressed("up", "enter").outcome == "kept"
    assert all(pressed("up", key).outcome == "abandoned" for key in ("q", "c-c", "c-d"))


def test_what_is_seen():
    text = pressed("right", "up").render(70, 24)
    assert "[0.0, 2.5, 8.75, 12.5]" in text
    assert "1 70x20" in text
    assert "point 2 of 4: t = 2.5" in text
    assert "RETURN keeps" in text
    assert all(len(line) <= 70 for line in text.split("\n"))


def test_a_picture_that_is_higher_than_asked_for_is_made_smaller():
    drawing = Drawing.of(T, Y, lambda t, y, selected, width, height: "\n".join(["x"] * (height + 2)))
    assert len(drawing.render(70, 24).split("\n")) == 24


def test_what_overflows_is_refused():
    far = pressed(*["+"] * 2000, "up", "up", "up")
    assert np.isfinite(far.points[1]).all()
    assert pressed(*["-"] * 2000).step > 0


def test_flat_points_have_a_step_too():
    assert Drawing.of(T, np.zeros(4), picture).step > 0
    assert Drawing.of(T, np.full(4, 100.0), picture).step == pytest.approx(5)


@pytest.mark.parametrize(("end", "kept"), [("enter", True), ("q", False), ("c-c", False)])
def test_on_a_screen(end, kept):
    with create_pipe_input() as keyboard:
        keyboard.send_text("".join(KEYS.get(key, key) for key in ("right", "+", "up", end)))
        found = draw_points(T, Y, picture, input=keyboard, output=DummyOutput())
    if kept:
        assert_allclose(found[1], pressed("right", "+", "up").points[1])
    else:
        assert found is None
