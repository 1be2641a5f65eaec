"""PLOT MOVE: keys show other parts of a picture."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from parfit.plotting import Figure, Grid, Series
from parfit.plotting.window import extent
from parfit.session.console import KEPT
from parfit.views.moving import Moving

T = np.linspace(0.0, 10.0, 101)
FIGURE = Figure((Series("y", T, T**2, "solid"), Series("y seen", T[::10], T[::10] ** 2, "points")))
GRID = Grid((FIGURE, FIGURE))


def pressed(*keys, picture=FIGURE, **more):
    view = Moving.of(picture, **more)
    for key in keys:
        view = view.press(key)
    return view


def test_zooming_halves_what_is_in_sight_about_its_middle_and_fits_the_height():
    view = pressed("+")
    assert_allclose(view.window.x, [5 / 3, 25 / 3])
    assert view.window.y is None
    assert_allclose(extent(view.part).y, np.array([5 / 3, 25 / 3]) ** 2, rtol=1e-3)
    assert_allclose(pressed("+", "+", "-", "-").window.x, [0, 10], atol=1e-12)
    assert pressed("+", "0").window is None
    assert pressed("=").window == view.window


def test_arrows_pan_by_a_part_of_what_is_in_sight():
    assert_allclose(pressed("right").window.x, [1, 11])
    assert_allclose(pressed("left").window.x, [-1, 9])
    assert_allclose(pressed("+", "s-right").window.x, [5 / 3 + 10 / 3, 25 / 3 + 10 / 3])
    view = pressed("up")
    assert_allclose(view.window.y, [10, 110])
    assert_allclose(view.window.x, [0, 10])
    assert_allclose(pressed("down", "*").window.y, [-10 + 50 / 3, 90 - 50 / 3])
    assert pressed("down", "f").window.y is None


def test_it_stays_within_reach_and_within_reason():
    far = pressed(*["right"] * 200).window.x
    assert far[0] <= 20
    near = pressed(*["+"] * 200).window.x
    assert near[1] - near[0] == pytest.approx(1e-5)
    wide = pressed(*["-"] * 200).window.x
    assert wide[1] - wide[0] == pytest.approx(100)
    tall = pressed(*["/"] * 200).window.y
    assert tall[1] - tall[0] == pytest.approx(1000)


def test_a_logarithmic_axis_is_moved_along_its_scale():
    view = pressed("right", picture=Figure((Series("y", 10.0 ** T[:41], T[:41], "solid"),), x_log=True))
    low, high = np.log10(view.window.x)
    assert high - low == pytest.approx(4)
    assert low == pytest.approx(0.4)


def test_small_plots_move_together_and_keep_their_heights():
    view = pressed("+", "right", "up", "*", picture=GRID)
    assert_allclose(view.window.x, [5 / 3 + 2 / 3, 25 / 3 + 2 / 3])
    assert view.window.y is None


@pytest.mark.parametrize("key", ["q", "enter", "escape", "c-c"])
def test_it_is_left(key):
    assert pressed("+", key).outcome == KEPT
    assert pressed("?", key).outcome == ""


def test_other_keys_mean_nothing():
    view = Moving.of(FIGURE)
    assert view.press("k") is view


@pytest.mark.parametrize(("width", "height"), [(79, 24), (119, 40), (30, 8), (200, 50)])
@pytest.mark.parametrize("picture", [FIGURE, GRID], ids=["figure", "grid"])
def test_it_fills_the_screen_and_says_the_keys(width, height, picture):
    for view in (pressed("+", picture=picture), pressed("?", picture=picture)):
        lines = view.render(width, height).split("\n")
        assert len(lines) <= height
        assert max(map(len, lines)) <= width
    lines = pressed("+", "right", picture=picture).render(width, height).split("\n")
    assert lines[-1].endswith("? help")


def test_nothing_to_be_seen_is_no_mistake():
    empty = Figure(())
    for key in ("+", "left", "up", "*", "0"):
        assert "nothing to plot" in pressed(key, picture=empty).render(79, 24)
