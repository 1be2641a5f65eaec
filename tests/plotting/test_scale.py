"""Logarithmic axes: where values lie, which ticks there are, and what becomes of zero and negative values."""

import re

import matplotlib.figure
import numpy as np
import pytest

from parfit.plotting import Figure, Series, draw, save
from parfit.plotting.axis import axis_for
from parfit.plotting.scale import scale_for


def figure(x, y, kind="points", **how):
    return Figure((Series("y", np.array(x, dtype=float), np.array(y, dtype=float), kind),), **how)


def y_labels(text):
    return [line.split("┤")[0].strip() for line in text.split("\n") if "┤" in line]


def x_labels(text):
    lines = text.split("\n")
    return lines[next(k for k, line in enumerate(lines) if "└" in line) + 1].split()


def plus_rows(text):
    rows = [line for line in text.split("\n") if "│" in line or "┤" in line]
    return [k for k, row in enumerate(rows) for found in re.split("[│┤]", row, maxsplit=1)[1:] if "+" in found]


def test_powers_of_ten_are_equally_far_apart():
    text = draw(figure([0, 1, 2, 3, 4], [0.01, 0.1, 1, 10, 100], y_log=True), 60, 24)
    assert y_labels(text) == ["100", "10", "1", "0.1", "0.01"]
    assert np.ptp(np.diff(plus_rows(text))) <= 1
    assert "STATE (log)" in text


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((1, 1e6), ["1e6", "10000", "100", "1"]),
        ((1e-9, 1e-3), ["1e-4", "1e-6", "1e-8"]),
        ((3, 7), ["7", "6", "5", "4", "3"]),
        ((0, 1, 1000), ["1000", "100", "10", "1", "0"]),
        ((-100, 100), ["100", "0", "-100"]),
        ((-1000, 0, 1000, 1), ["100", "0", "-100"]),
        ((1e-200, 1e200), ["1e200", "1e100", "1", "1e-100", "1e-200"]),
    ],
)
def test_ticks(values, labels):
    found = y_labels(draw(figure(range(len(values)), values, y_log=True)))
    assert found == labels
    assert 2 <= len(found) <= 10
    numbers = [float(label) for label in found]
    assert numbers == sorted(numbers, reverse=True)


@pytest.mark.parametrize("size", [(25, 5), (30, 8), (72, 20), (200, 50)])
@pytest.mark.parametrize(
    "values", [(0.5, 90), (0, 3e-5), (-2, 0, 1e4), (-5, -3), (1e-300, 1e300), (0, 5e-324), (7, 7), (-1e-17, 4, 90)]
)
def test_ticks_stand_in_cells_of_their_own_near_the_data(size, values):
    for n_cells in size:
        axis = axis_for([np.array(values, dtype=float)], n_cells, True)
        ticks, labels = axis.ticks(min(10, max(3, n_cells // 3)))
        places = axis.place(np.array(ticks))
        assert len(labels) == len(ticks) >= 2
        assert len(set(np.floor(places).tolist())) == len(ticks)
        assert places.min() >= 0
        assert places.max() <= n_cells
        if min(values) >= 0:
            assert min(ticks) >= 0


def test_zero_and_negative_values_are_drawn_and_how_is_said():
    text = draw(figure([0, 1, 2, 3, 4, 5], [-100, -1, 0, 1, 10, 100], y_log=True), 60, 30)
    assert len(plus_rows(text)) == 6
    assert "STATE (log, linear within 1)" in text
    minus_100, minus_1, zero, one, ten, hundred = sorted(plus_rows(text), reverse=True)
    assert (zero - one) == (minus_1 - zero)  # evenly through zero
    assert abs((one - hundred) - (minus_100 - minus_1)) <= 1  # mirrored
    assert abs((one - ten) - (ten - hundred)) <= 1


def test_where_the_even_part_ends():
    assert scale_for([np.array([0.0, 0.03, 5.0])], True).linear == 0.02
    assert scale_for([np.array([0.0, 0.5, 12.5])], True).linear == 0.5
    assert scale_for([np.array([0.0, 1e-30, 5.0])], True).linear == 5e-6, "rounding errors do not get the room"
    assert scale_for([np.array([0.1, 5.0])], True).linear == 0.0
    assert not scale_for([np.array([0.0, np.nan])], True).is_log, "of nothing but zeros there are no logarithms"
    assert not scale_for([np.array([1.0, 10.0])], False).is_log


@pytest.mark.parametrize("values", [(0.1, 7.0, 5000.0), (0.0, 3.0, -8000.0, 0.2)])
def test_a_place_has_its_value(values):
    scale = scale_for([np.array(values)], True)
    along = scale.along(np.array(values))
    np.testing.assert_allclose([scale.value(float(place)) for place in along], values, rtol=1e-12)


def test_time_can_be_logarithmic_from_zero_on():
    text = draw(figure([0, 0.5, 1, 2, 5, 10], [1, 2, 3, 4, 5, 6], x_log=True), 70, 20)
    assert x_labels(text) == ["0", "0.5", "0.7", "1", "2", "3", "5", "7", "10"]
    assert "TIME (log, linear within 0.5)" in text


@pytest.mark.parametrize("unicode", [True, False])
def test_a_line_through_zero_is_unbroken(unicode):
    t = np.linspace(-10, 10, 401)
    text = draw(figure(t, t**3, "solid", y_log=True), 60, 20, unicode=unicode)
    rows = text.split("\n")[2:-4]
    assert all(re.sub(r"[\s\d│┤|+e-]", "", row) for row in rows)
    assert text.isascii() == (not unicode)


def test_files_have_the_same_axes(tmp_path, monkeypatch):
    pages = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (pages.append(self), original(self, *a, **k))
    )
    save(figure([0, 1, 100], [0.1, 1, 10], x_log=True, y_log=True), tmp_path / "plot.svg")
    (axes,) = pages[0].axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("symlog", "log")
    assert axes.get_xlabel() == "TIME (log, linear within 1)"
    assert axes.xaxis.get_transform().linthresh == 1.0
