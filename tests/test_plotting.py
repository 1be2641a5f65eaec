"""Plots as text are read as a person would read them: symbols at their places, ticks, names and the legend."""

import re
import subprocess
import sys
from pathlib import Path

import matplotlib.figure
import numpy as np
import pytest

from parfit.errors import ParfitError
from parfit.plotting import ASCII_SYMBOLS, SYMBOLS, Figure, Series, draw, save

KINDS = ("points", "solid", "dashed", "dotted")
SIZES = ((30, 8), (72, 20), (200, 50))
TIMES = np.linspace(0, 10, 201)
FRAME = re.compile(r"(\x1b\[0m)? *[┌└+][─┬+-]+[┐┘+](\x1b\[0m)?")
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def series(x, y, kind="points", number=0, label="y1"):
    return Series(label, np.array(x, dtype=float), np.array(y, dtype=float), kind, number)


def single(x, y, kind="points", number=0, label="y1"):
    return Figure((series(x, y, kind, number, label),))


def waves():
    """Two states, observed, integrated and smoothed, and a guess."""
    t = np.arange(0, 10.5, 0.5)
    return Figure(
        (
            series(t, np.sin(t), "points", 0, "y1 observed"),
            series(t, 3 + np.cos(t), "points", 1, "y2 observed"),
            series(TIMES, np.sin(TIMES), "solid", 0, "y1"),
            series(TIMES, 3 + np.cos(TIMES), "solid", 1, "y2"),
            series(TIMES, np.sin(TIMES) + 0.5, "dashed", 0, "y1 smoothed"),
            series(TIMES, 3.5 + 0 * TIMES, "dotted", 1, "y2 guessed"),
        ),
        title="two waves",
    )


def frame(text):
    """Its upper and its lower line."""
    top, bottom = (k for k, line in enumerate(text.split("\n")) if FRAME.fullmatch(line))
    return top, bottom


def canvas(text):
    """What is inside the frame, from the top."""
    lines, (top, bottom) = text.split("\n"), frame(text)
    left = lines[top].index("┌" if "┌" in lines[top] else "+")
    return [line.ljust(len(lines[top]))[left + 1 : len(lines[top].rstrip()) - 1] for line in lines[top + 1 : bottom]]


def places(text, character):
    """(row from the top, column) of a character inside the frame."""
    return [(r, c) for r, row in enumerate(canvas(text)) for c, found in enumerate(row) if found == character]


def with_bars():
    """Three points, the second without an error bar."""
    errors = np.array([1.0, np.nan, 2.0])
    return Figure((Series("y1", np.array([0.0, 5.0, 10.0]), np.array([5.0, 5.0, 5.0]), "points", 0, errors=errors),))


def below(text):
    """Everything under the frame."""
    return "\n".join(text.split("\n")[frame(text)[1] + 1 :])


@pytest.mark.parametrize("unicode", [True, False])
def test_points_are_where_they_belong(unicode):
    found = places(draw(single([0, 1, 2, 3], [0, 1, 2, 3]), unicode=unicode), "+")
    assert len(found) == 4
    rows, columns = zip(*sorted(found, key=lambda place: place[1]), strict=True)
    assert sorted(rows, reverse=True) == list(rows)
    assert np.ptp(np.diff(columns)) <= 1
    assert np.ptp(np.diff(rows)) <= 1
    assert (rows[0], rows[-1]) == (14, 0)  # 15 rows, all of them used
    assert columns[0] <= 2
    assert columns[-1] >= len(canvas(draw(single([0, 3], [0, 3])))[0]) - 3


def test_a_point_stands_at_its_tick():
    lines = draw(single([0, 4, 8], [0, 4, 8])).split("\n")
    tick = next(line for line in lines if line.lstrip().startswith("4┤"))
    assert "+" in tick
    axis = next(line for line in lines if "└" in line)
    labels = lines[lines.index(axis) + 1]
    assert labels.split() == ["0", "1", "2", "3", "4", "5", "6", "7", "8"]
    assert abs(labels.index("4") - tick.index("+")) <= 1


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((0, 1), ["1.0", "0.8", "0.6", "0.4", "0.2", "0.0"]),
        ((-1, 1), ["1.0", "0.5", "0.0", "-0.5", "-1.0"]),
        ((100, 300), ["300", "250", "200", "150", "100"]),
        ((0, 4e-9), ["4e-9", "3e-9", "2e-9", "1e-9", "0"]),
        ((0, 2e20), ["2.0e20", "1.5e20", "1.0e20", "5.0e19", "0"]),
        ((1000000, 1000004), ["1000004", "1000003", "1000002", "1000001", "1000000"]),
    ],
)
def test_ticks_are_round_numbers_that_differ(values, labels):
    lines = draw(single([0, 1], values)).split("\n")
    assert [line.split("┤")[0].strip() for line in lines if "┤" in line] == labels


def test_axes_and_title_are_named():
    text = draw(Figure((series([0, 1], [0, 1]),), "HOURS", "DOSE", "a trial"))
    assert text.split("\n")[0].split() == ["DOSE", "a", "trial"]
    assert below(text).split("\n")[1].strip() == "HOURS"


def test_without_names_the_plot_has_their_lines():
    figure = Figure((series([0, 1], [0, 1]),), "", "")
    assert len(canvas(draw(figure))) == len(canvas(draw(single([0, 1], [0, 1])))) + 2


@pytest.mark.parametrize("unicode", [True, False])
def test_each_variable_has_its_symbol(unicode):
    symbols = SYMBOLS if unicode else ASCII_SYMBOLS
    assert len(set(symbols)) == len(symbols)
    assert symbols[:2] == "+x"
    figure = Figure(tuple(series([k], [k], "points", k, f"v{k}") for k in range(len(symbols) + 1)))
    text = draw(figure, unicode=unicode)
    assert [len(places(text, symbol)) for symbol in symbols] == [2] + [1] * (len(symbols) - 1)
    for k, symbol in enumerate(symbols):
        assert f"{symbol} v{k}" in below(text)


@pytest.mark.parametrize("unicode", [True, False])
def test_the_legend_names_every_series(unicode):
    text = draw(waves(), unicode=unicode)
    legend = " ".join(below(text).split())
    for one in waves().series:
        assert one.label in legend
    assert "+ y1 observed" in legend
    assert "x y2 observed" in legend


def test_kinds_of_lines_look_different():
    for unicode in (True, False):
        figures = [single(TIMES, np.sin(TIMES), kind) for kind in KINDS]
        texts = [draw(figure, unicode=unicode) for figure in figures]
        assert len({tuple(canvas(text)) for text in texts}) == 4
        assert len({below(text).split("\n")[-1] for text in texts}) == 4
        solid, dashed, dotted = ("".join(canvas(text)) for text in texts[1:])
        assert solid.count(" ") < dashed.count(" ") < dotted.count(" ")


def test_in_ascii_each_line_has_its_own_character():
    lines = [series([0, 1], [k, k], kind, number) for k, kind in enumerate(KINDS[1:]) for number in range(4)]
    drawn = [set("".join(canvas(draw(Figure((line,)), unicode=False)))) - {" "} for line in lines]
    assert all(len(characters) == 1 for characters in drawn)
    assert len(set.union(*drawn)) == 12
    assert not set.union(*drawn) & set(ASCII_SYMBOLS)


def test_a_solid_line_is_unbroken():
    steep = single([0, 1, 2], [0, 1000, 0], "solid")
    for unicode in (True, False):
        rows = canvas(draw(steep, unicode=unicode))
        assert all(row.strip() for row in rows)
        assert {c for row in rows for c in range(len(row)) if row[c] != " "} >= set(range(2, len(rows[0]) - 2))


def test_unicode_lines_carry_the_name_of_their_variable():
    figure = Figure((series(TIMES, TIMES, "solid", 0, "prey"), series(TIMES, -TIMES, "solid", 1, "predators now")))
    rows = canvas(draw(figure))
    (prey,) = (r for r, row in enumerate(rows) if "prey" in row)
    (predators,) = (r for r, row in enumerate(rows) if "predator" in row)
    assert prey < len(rows) / 2 < predators
    assert "prey" not in "".join(canvas(draw(Figure(figure.series[:1]))))


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("order", [1, -1])
def test_points_are_never_hidden(kind, unicode, order):
    t = np.arange(0, 10.5, 0.5)
    points = [series(t, np.sin(t), "points", 0), series(t, np.sin(t) + 3, "points", 1)]
    lines = [series(t, np.sin(t) + 3 * k, kind, k, "name") for k in (0, 1)]
    alone = draw(Figure(tuple(points)), unicode=unicode)
    both = draw(Figure((*points, *lines)[::order]), unicode=unicode)
    assert len(places(alone, "+")) == len(t)
    for symbol in "+x":
        assert places(both, symbol) == places(alone, symbol)


def test_gaps_and_infinities_interrupt_a_line():
    y = np.where((TIMES > 4) & (TIMES < 6), np.nan, 1.0)
    whole = "".join(canvas(draw(single(TIMES, np.ones(201), "solid"))))
    for gap in (np.nan, np.inf, -np.inf):
        broken = "".join(canvas(draw(single(TIMES, np.where(np.isnan(y), gap, y), "solid"))))
        middle = broken.strip()[len(broken.strip()) // 2 - 3 :][:6]
        assert middle == " " * 6
        assert len(broken.split()) == 2
    assert len(whole.split()) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_point_between_gaps_is_seen(kind):
    text = draw(single([0, 1, 2, 3, 4], [0, np.nan, 5, np.nan, 0], kind))
    assert len("".join(canvas(text)).split()) == 3


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("colour", [True, False])
def test_escapes_only_with_colour_and_only_ascii_without_unicode(colour, unicode):
    text = draw(waves(), colour=colour, unicode=unicode)
    assert ("\x1b" in text) == colour
    assert text.isascii() == (not unicode)


def test_colours_belong_to_variables_and_end_with_the_line():
    text = draw(waves(), colour=True)
    for line in text.split("\n"):
        assert line.endswith("\x1b[0m") == ("\x1b" in line)
        assert line.removesuffix("\x1b[0m").rstrip() == line.removesuffix("\x1b[0m")
    colours = {part.split("m")[0]: part for part in below(draw(waves(), colour=True)).split("\x1b[") if "38;5" in part}
    assert len(colours) == 2
    plain = "".join(part.split("m", 1)[1] if k else part for k, part in enumerate(text.split("\x1b[")))
    assert plain == draw(waves())


@pytest.mark.parametrize(("width", "height"), [*SIZES, (1, 1), (-5, 0)])
@pytest.mark.parametrize("unicode", [True, False])
def test_width_and_height_are_kept(width, height, unicode):
    long = Figure((*waves().series, series([0, 1], [0, 1], label="l" * 300)), "x" * 300, "y" * 300, "t" * 300)
    for figure in (waves(), long, Figure(()), single([0, 1e-7], [1e10, 1.0001e10])):
        text = draw(figure, width, height, unicode=unicode)
        lines = text.split("\n")
        assert all(len(line) <= max(width, 30) and line == line.rstrip() for line in lines)
        n_legend = len(below(text).split("\n")) - (1 if "nothing" in text else 2)
        assert len(lines) - n_legend == max(height, 8)


DEGENERATE = {
    "constant": ([0, 1, 2], [5, 5, 5]),
    "zero": ([0, 1], [0, 0]),
    "one point": ([3], [7]),
    "same x": ([1, 1, 1], [1, 2, 3]),
    "widest": ([0, 1, 2], [-1.7e308, 0, 1.7e308]),
    "wide": ([1e-300, 1e300], [1e-300, 1e300]),
    "small": ([0, 1e-300], [1e-300, 3e-300]),
    "smallest": ([0, 5e-324], [0, 5e-324]),
    "rounding": ([1e16, 1e16 + 2], [1, 1 + 2e-16]),
    "far away": ([2.4e6, 2.4e6 + 2e-5], [-3, -2.9999]),
    "largest constant": ([1e308, 1e308], [-1e308, -1e308]),
    "one of two known": ([0, np.nan, 1], [np.inf, 1, 1]),
    "lengths differ": ([0, 1, 2], [1, 2]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_data_are_drawn(case, kind):
    for width, height in SIZES:
        for unicode in (True, False):
            text = draw(single(*DEGENERATE[case], kind), width, height, unicode=unicode)
            assert "".join(canvas(text)).strip()
            assert len(text.split("\n")) == height + 1
            assert max(map(len, text.split("\n"))) <= width


NOTHING = {
    "no series": Figure(()),
    "empty": single([], []),
    "all NaN": single([0, 1], [np.nan, np.nan]),
    "all infinite": single([0, 1], [np.inf, -np.inf], "solid"),
    "never both": single([0, np.nan], [np.nan, 1], "dashed"),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_to_plot_is_said(case):
    for width, height in SIZES:
        inside = canvas(draw(NOTHING[case], width, height))
        assert "".join(inside).split() == ["nothing", "to", "plot"]
        assert inside[len(inside) // 2].strip() or inside[(len(inside) - 1) // 2].strip()


@pytest.mark.parametrize("kind", KINDS)
def test_many_points_cover_what_few_of_them_show(kind):
    t = np.linspace(0, 10, 100_001)
    many, few = draw(single(t, np.sin(t), kind)), draw(single(TIMES, np.sin(TIMES), kind))
    covered = [
        {(r, c) for r, row in enumerate(canvas(text)) for c in range(len(row)) if row[c] != " "}
        for text in (many, few)
    ]
    assert len(covered[0] & covered[1]) > 0.8 * len(covered[1])


def test_labels_cannot_move_the_cursor():
    text = draw(Figure((series([0, 1], [0, 1], label="a\x1b[2Jb\nc\td"),), "x\r", "y\x07", "é\n"), unicode=False)
    assert text.isascii()
    assert not set(text) & set("\x1b\r\t\x07")
    assert "+ a?[2Jb?c?d" in text
    assert len(text.split("\n")) == 21


def test_a_plot_depends_on_nothing_but_its_figure(monkeypatch, capfd):
    import plotext

    first = draw(waves(), 100, 30)
    monkeypatch.setenv("COLUMNS", "13")
    monkeypatch.setenv("LINES", "5")
    plotext.figure.title("left behind").theme("matrix").draw(plotext.figure.signal([1, 2, 3]))
    mine = plotext.figure.build().string()
    draw(single([0, 1], [5, 6], "solid", 3), 50, 10, colour=True, unicode=False)
    assert draw(waves(), 100, 30) == first
    assert plotext.figure.build().string() == mine  # nor is the figure of another user changed
    plotext.figure.clear()
    assert capfd.readouterr() == ("", "")


def test_a_pipe_and_a_poor_locale_do_not_matter():
    code = (
        "import sys, numpy as np; from parfit.plotting import *\n"
        "loaded = {'plotext', 'matplotlib'} & set(sys.modules)\n"
        "text = draw(Figure((Series('y', np.arange(3.), np.arange(3.), 'points', 2),)))\n"
        "sys.stdout.buffer.write(repr((loaded, text)).encode())"
    )
    environment = {"LC_ALL": "C", "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, stdin=subprocess.DEVNULL, env=environment)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stderr == b""
    expected = draw(single(np.arange(3), np.arange(3), "points", 2, "y"))
    assert run.stdout.decode() == repr((set(), expected))


@pytest.mark.parametrize("form", MAGIC)
def test_a_file_is_written_in_the_form_that_its_name_says(form, tmp_path):
    for name in (f"plot.{form}", f"PLOT.{form.upper()}"):
        save(waves(), tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(MAGIC[form])
    save(waves(), str(tmp_path / f"again.{form}"))
    assert (tmp_path / f"again.{form}").stat().st_size > 5000


def test_what_a_file_shows(tmp_path, monkeypatch):
    pictures = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (pictures.append(self), original(self, *a, **k))
    )
    save(waves(), tmp_path / "plot.png")
    (axes,) = pictures[0].axes
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("TIME", "STATE", "two waves")
    assert [line.get_label() for line in axes.lines] == [one.label for one in waves().series]
    assert [line.get_marker() for line in axes.lines[:3]] == ["+", "x", "None"]
    assert [line.get_linestyle() for line in axes.lines[2:]] == ["-", "-", "--", ":"]
    assert len({line.get_color() for line in axes.lines}) == 2
    assert min(line.zorder for line in axes.lines[:2]) > max(line.zorder for line in axes.lines[2:])
    (legend,) = pictures[0].legends
    assert [text.get_text() for text in legend.get_texts()] == [one.label for one in waves().series]
    assert "matplotlib.pyplot" not in sys.modules


@pytest.mark.parametrize("case", [*DEGENERATE, *NOTHING])
def test_degenerate_data_are_saved(case, tmp_path):
    save(NOTHING[case] if case in NOTHING else single(*DEGENERATE[case], "solid"), tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert ("nothing to plot" in text) == (case in NOTHING)


def test_strange_labels_are_saved(tmp_path):
    figure = Figure((series([0, 1], [0, 1], label="_$x^"), series([0, 1], [0, 1], label="")), "\x00$", "プ", "a_{")
    save(figure, tmp_path / "plot.svg")
    text = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert "_$x^" in text
    assert "a_{" in text


@pytest.mark.parametrize("name", ["plot", "plot.jpg", "plot.", ".png"])
def test_another_form_is_refused(name, tmp_path):
    with pytest.raises(ParfitError, match=r"\.png, \.svg or \.pdf"):
        save(waves(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "reason"), [("none/plot.png", "No such file"), ("taken.png", "Is a directory"), ("a\0.png", "null")]
)
def test_a_file_that_cannot_be_written_is_reported_with_the_reason(name, reason, tmp_path):
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(ParfitError, match=reason) as caught:
        save(waves(), tmp_path / name)
    assert "\n" not in str(caught.value)


# ---- error bars, and residuals


@pytest.mark.parametrize("unicode", [True, False])
def test_error_bars_are_vertical_and_as_long_as_they_should_be(unicode):
    text = draw(with_bars(), unicode=unicode)
    rows = canvas(text)
    first, none, last = (column for _, column in sorted(places(text, "+"), key=lambda place: place[1]))
    lengths = [sum(row[column] != " " for row in rows) for column in (first, none, last)]
    assert lengths[1] == 1, "nothing but the point"
    assert lengths[2] >= len(rows) - 2, "from 3 to 7, the whole range"
    assert lengths[0] == pytest.approx(lengths[2] / 2, abs=1.5)
    assert text.count("y1") == 1, "the bars are not in the legend"


def test_error_bars_in_files(tmp_path, monkeypatch):
    pages = []
    original = matplotlib.figure.Figure.savefig
    monkeypatch.setattr(
        matplotlib.figure.Figure, "savefig", lambda self, *a, **k: (pages.append(self), original(self, *a, **k))
    )
    save(with_bars(), tmp_path / "bars.svg", (6.0, 4.0))
    (bars,) = pages[0].axes[0].containers
    ends = [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments() if len(segment)]
    assert ends[0] == [4.0, 6.0]
    assert ends[-1] == [3.0, 7.0]
    assert pages[0].get_size_inches().tolist() == [6.0, 4.0]


@pytest.mark.parametrize("unicode", [True, False])
def test_residuals_do_not_look_like_observations(unicode):
    marks = {}
    for kind in ("points", "residuals"):
        figure = Figure(tuple(series([0, 1], [k, k], kind, k, f"y{k}") for k in range(8)))
        legend = below(draw(figure, 150, 30, unicode=unicode)).split("\n", 3)[-1]
        marks[kind] = {word for word in legend.split() if len(word) == 1}
    assert len(marks["points"]) >= 8
    assert not marks["points"] & marks["residuals"]
