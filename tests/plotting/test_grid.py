"""Small plots side by side, bands and bars: what is where, at several sizes of the terminal."""

import re

import matplotlib.figure
import numpy as np
import pytest

from parfit.plotting import Bars, Figure, Grid, Series, band, draw, save
from parfit.plotting.grid import layout

T = np.linspace(0, 10, 101)
SIZES = ((79, 18), (199, 44), (30, 8))


def panels(n, **how):
    """Plots of very different scales, each with data; the last has data at fewer times."""
    return Grid(
        tuple(
            Figure(
                (
                    Series("computed", T, 10.0**k * np.sin(T + k), "solid"),
                    Series("observed", T[: 101 - 10 * k : 10], 10.0**k * np.sin(T + k)[: 101 - 10 * k : 10], "points"),
                ),
                "",
                f"v{k}",
                **how,
            )
            for k in range(n)
        ),
        title="many",
    )


def seen(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 9])
def test_every_plot_is_there_and_fits(n, width, height, unicode, colour):
    text = draw(panels(n), width, height, colour, unicode)
    assert ("\x1b" in text) == colour
    assert text.isascii() == (not unicode)
    lines = seen(text).split("\n")
    assert max(map(len, lines)) <= width
    if height >= 18:
        assert len(lines) <= height + 1, "and the legend"
    for k in range(n):
        assert sum(f"{'─' if unicode else '-'} v{k} " in line for line in lines) == 1, "named in its frame"
    assert lines[0].strip() == "many"
    assert sum(line.strip() == "TIME" for line in lines) == 1
    assert seen(text).count("computed") == 1, "in the legend once"
    assert seen(text).count("observed") == 1


def test_each_has_its_own_scale_and_all_the_same_times():
    lines = draw(panels(4), 79, 24, unicode=True).split("\n")
    text = "\n".join(lines)
    for label in ("1┤", "10┤", "100┤", "1000┤"):
        assert label in text
    bottom = max(k for k, line in enumerate(lines) if "└" in line)
    assert lines[bottom + 1].split() == ["0", "5", "10"] * 2, "although the data of the last end before"
    tops = [k for k, line in enumerate(lines) if "┌" in line]
    assert len(tops) == 2
    first, second = (re.finditer("┌", lines[k]) for k in tops)
    assert [found.start() for found in first] == [found.start() for found in second], "frames are in line"


def test_other_axes_across_have_ticks_of_their_own():
    figures = tuple(Figure((Series("a", T * 10.0**k, T, "solid"),), "", f"v{k}") for k in range(4))
    text = draw(Grid(figures, "", "own"), 79, 24)
    assert text.count("10000") == 1
    assert len([line for line in text.split("\n") if re.fullmatch(r"[ \d.]+", line)]) == 2


@pytest.mark.parametrize("n", range(1, 30))
@pytest.mark.parametrize(("width", "height"), [(79, 16), (199, 42)])
def test_the_layout_uses_the_room(n, width, height):
    n_across, across, down = layout(n, width, height)
    n_down = -(-n // n_across)
    assert n_across * (across + 1) - 1 <= width
    assert across >= 25
    assert down >= 5
    if n <= 9 or width > 100:
        assert n_down * down + 1 <= height
        assert n_down * (down + 1) + 1 > height - n_down
    assert n_across * n_down - n < max(n_across, 2), "no empty row"


def test_logarithmic_axes_of_small_plots_are_named():
    text = draw(panels(3, y_log=True, x_log=True), 79, 18)
    assert re.search(r"─ v0 \(log >[\de.-]+\) ─", text)
    assert "TIME (log, linear within 0.1)" in text


def test_a_band_is_two_lines_around_its_curve():
    y = 5 + np.sin(T)
    figure = Figure((Series("y", T, y, "solid"), band("y 95 % band", T, y - 2, y + 2)))
    for unicode in (True, False):
        text = draw(figure, 70, 24, unicode=unicode)
        rows = [line[4:-1] for line in text.split("\n") if re.match(r" *\d*[│┤|+]", line)][1:-1]
        middle = [row[33] for row in rows]
        column = [k for k, row in enumerate(rows) if row[30:36].strip()]
        assert len(column) >= 3
        assert min(column) < len(rows) / 2 < max(column), middle
        assert "y 95 % band" in text.split("\n")[-1]
    plain = draw(Figure((Series("y", T, y, "solid"),)), 70, 24)
    assert len(draw(figure, 70, 24).split("\n")) == len(plain.split("\n"))


BARS = Bars(
    ("k1", "a long name of a parameter", "k3"),
    (np.array([1.0, 0.0, -0.5]), np.array([-0.1, 0.7, 0.7])),
    ("1: 20", "2: 0.3"),
    "VECTORS",
)


@pytest.mark.parametrize("unicode", [True, False])
def test_bars_go_to_their_sides_and_are_as_long_as_their_values(unicode):
    title, heading, *rows = draw(BARS, 72, unicode=unicode).split("\n")
    full, middle = ("█", "│") if unicode else ("#", "|")
    assert title == "VECTORS"
    assert heading.split() == ["1:", "20", "2:", "0.3"]
    assert [row.split()[0] for row in rows] == ["k1", "a", "k3"]
    parts = [re.split(re.escape(middle), row.ljust(72)[16:]) for row in rows]
    first = [(cells[0].count(full), cells[1].rstrip()[:12].count(full)) for cells in parts]
    assert first[0] == (0, 12)
    assert first[1][0] == 0
    assert first[2][0] == 6
    assert len({row.index(middle) for row in rows}) == 1
    assert parts[1][2].count(full) == parts[2][2].count(full) == 8


@pytest.mark.parametrize("width", [30, 72, 79, 199])
@pytest.mark.parametrize("n", [1, 2, 6, 13])
def test_bars_fit_and_none_is_lost(n, width):
    bars = Bars(tuple(f"p{k}" for k in range(n)), tuple(np.eye(n)), tuple(f"{k + 1}: {k}" for k in range(n)))
    for colour in (True, False):
        lines = seen(draw(bars, width, colour=colour)).split("\n")
        assert max(map(len, lines)) <= width
        assert sum(line.count("█") > 0 for line in lines) == n if n > 1 else True
        assert sum(len(re.findall(r"\d+: ", line)) for line in lines) == n


def test_files(tmp_path, monkeypatch):
    pages = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (pages.append(self), original(self, *a, **k))
    )
    y = np.sin(T)
    for k, picture in enumerate((panels(5), BARS, Figure((band("between", T, y - 1, y + 1),)))):
        for form in ("png", "svg", "pdf"):
            save(picture, tmp_path / f"{k}.{form}")
            assert (tmp_path / f"{k}.{form}").stat().st_size > 3000
    grid, bars, shaded = pages[0], pages[3], pages[6]
    assert [axes.get_ylabel() for axes in grid.axes] == [f"v{k}" for k in range(5)]
    assert len({axes.get_xlim() for axes in grid.axes}) == 1
    assert len({axes.get_ylim() for axes in grid.axes}) == 5
    assert [text.get_text() for text in grid.legends[0].get_texts()] == ["computed", "observed"]
    assert [axes.get_title() for axes in bars.axes] == list(BARS.headings)
    assert [patch.get_width() for patch in bars.axes[0].patches] == [1.0, 0.0, -0.5]
    (area,) = shaded.axes[0].collections
    corners = area.get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx((y - 1).min())
    assert corners[:, 1].max() == pytest.approx((y + 1).max())
