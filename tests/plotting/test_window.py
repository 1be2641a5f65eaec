"""The part of a picture that is in sight."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from parfit.plotting import Figure, Grid, Series, band, draw
from parfit.plotting.window import Window, extent, seen

T = np.linspace(0.0, 10.0, 11)


def line(y, x=T, kind="solid", **more):
    return Series("y", x, np.asarray(y, dtype=float), kind, **more)


def cut(series, x, y=None):
    (found,) = seen(Figure((series,)), Window(x, y)).series
    return found


def test_a_line_goes_on_to_the_edges():
    found = cut(line(2 * T), (2.5, 6.25))
    assert_allclose(found.x, [2.5, 3, 4, 5, 6, 6.25, np.nan])
    assert_allclose(found.y, 2 * found.x)
    found = cut(line(2 * T), (0, 10), (5, 9))
    assert_allclose(found.x, [2.5, 3, 4, 4.5, np.nan])


def test_lines_that_leave_and_return_have_gaps():
    found = cut(line(np.abs(T - 5)), (0, 10), (1.5, 3))
    assert_allclose(found.x, [2, 3, 3.5, np.nan, 6.5, 7, 8, np.nan])
    assert_allclose(found.y, [3, 2, 1.5, np.nan, 1.5, 2, 3, np.nan])


@pytest.mark.parametrize("seed", range(20))
def test_points_of_a_cut_line_lie_on_it_and_within(seed):
    """Against the line itself at many points, in whatever direction it goes."""
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(2, 8))
    y[generator.integers(8)] = np.nan
    window = Window((-0.7, 0.9), (-0.6, 0.8))
    found = cut(line(y, x), window.x, window.y)
    assert np.nanmin(np.append(found.x, 0)) >= -0.7 - 1e-12
    assert np.nanmax(np.append(found.y, 0)) <= 0.8 + 1e-12
    assert_allclose(length(found.x, found.y), visible(x, y, window), rtol=2e-3, atol=2e-3)


def length(x, y):
    return np.nansum(np.hypot(np.diff(x), np.diff(y)))


def visible(x, y, window):
    """How long what is in sight is, by small steps."""
    part = np.linspace(0, 1, 5001)[:, None]
    places = np.stack([x[:-1] + part * np.diff(x), y[:-1] + part * np.diff(y)])
    inside = (places[0] >= window.x[0]) & (places[0] <= window.x[1])
    inside &= (places[1] >= window.y[0]) & (places[1] <= window.y[1])
    return np.nansum(inside.mean(axis=0) * np.hypot(np.diff(x), np.diff(y)))


def test_points_outside_are_gone_and_bars_do_not_widen_what_is_in_sight():
    found = cut(line(T, kind="points", errors=np.full(11, 2.0)), (1.5, 4), (0, 3.5))
    assert_array_equal(found.x[~np.isnan(found.x)], [2, 3])
    assert_array_equal(found.errors[2:4], [1.5, 0.5])


def test_a_band_keeps_its_halves():
    found = cut(band("b", T, T - 1, T + 1), (2, 4), (2, 4))
    assert found.x.size == 23
    assert_array_equal(found.y[2:5], [2, 2, 3])


def test_a_line_that_can_be_had_again_is_had_for_the_part():
    def again(low, high):
        t = np.linspace(low, high, 50)
        return t, np.sin(50 * t)

    found = cut(line(np.zeros(11), again=again), (2, 2.5))
    assert_allclose(found.y[:50], np.sin(50 * found.x[:50]))
    assert found.x[0] == 2
    assert found.x[49] == 2.5


def test_the_axes_are_those_of_the_part():
    figure = Figure((line(T),), x_label="t", y_label="y")
    text = draw(seen(figure, Window((2.2, 2.8), (0, 100))), 60, 16)
    assert "2.5" in text.split("\n")[-3]
    assert any(row.startswith("100┤") for row in text.split("\n"))
    assert any(row.startswith("  0┤") for row in text.split("\n"))


def test_small_plots_have_the_same_part_and_heights_of_their_own():
    grid = Grid((Figure((line(T),)), Figure((line(1000 * T),))))
    assert extent(grid) == Window((0, 10), (0, 10000))
    found = seen(grid, Window((1, 2), (0, 1)))
    assert [panel.x_range for panel in found.panels] == [(1, 2), (1, 2)]
    assert [panel.y_range for panel in found.panels] == [None, None]
    assert_allclose(found.panels[1].series[0].y[:2], [1000, 2000])


def test_nothing_in_sight_is_drawn_as_nothing():
    figure = seen(Figure((line(T),)), Window((20, 30), (0, 1)))
    assert "nothing to plot" in draw(figure)
    assert extent(replace(figure, series=())) == Window((0.0, 1.0), (0.0, 1.0))
