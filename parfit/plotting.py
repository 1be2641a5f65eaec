"""Results as plots: as text through plotext, as PNG, SVG and PDF files through matplotlib.

No other module knows either of them, and both are imported only when something is drawn.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar
from warnings import catch_warnings

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from parfit.errors import ParfitError

Choice = TypeVar("Choice")
Array = NDArray[np.float64]
Mask = NDArray[np.bool_]  # (n_rows, n_columns) of the canvas, from the bottom left: what a series covers

MIN_WIDTH, MIN_HEIGHT = 30, 8
EMPTY = "nothing to plot"
LINES = ("solid", "dashed", "dotted")

# By the number of the variable, over and over. The first three are those of the thesis.
SYMBOLS = "+x◇○□△*▽"
ASCII_SYMBOLS = "+xo#%@&$"
MARKERS = ("+", "x", "D", "o", "s", "^", "*", "v")
# Numbers of the 256 colours of terminals, and the same for files; all can be read on black and on white.
COLOURS = (33, 166, 35, 133, 160, 37, 136, 244)
HEX_COLOURS = ("#0087ff", "#d75f00", "#00af5f", "#af5faf", "#d70000", "#00afaf", "#af8700", "#808080")

# A cell of braille has 2 x 4 dots. In ASCII a cell is one dot, so that there the character says kind and variable.
BRAILLE_DOTS = (2, 4)
ASCII_LINES = {"solid": ".*'\"", "dashed": "-=~_", "dotted": ":;!,"}
# A line is drawn for so many dots of each period: (drawn, period).
BRAILLE_DASHES = {"solid": (1, 1), "dashed": (5, 8), "dotted": (1, 4)}
ASCII_DASHES = {"solid": (1, 1), "dashed": (2, 3), "dotted": (1, 2)}
BRAILLE_SAMPLES = {"solid": "⠤⠤⠤⠤⠤", "dashed": "⠤⠤⠄ ⠤", "dotted": "⠄ ⠄ ⠄"}
FILE_LINES = {"solid": "-", "dashed": "--", "dotted": ":"}
ASCII_FRAME = str.maketrans("─│┌┐└┘┬┴├┤┼", "-|+++++++++")

HUGE = 1e307  # larger numbers are drawn here, so that differences, and ticks beyond the data, are still numbers
TINY = 1e-305  # below, the steps between ticks would no longer be numbers
ROUNDING = 1e-12  # a relative difference that is held to be none, lest rounding errors fill the plot
CHUNK = 4096  # segments of a line at a time, which bounds the memory
LONGEST_NAME = 8  # of a variable, written into its line
RESET = "\x1b[0m"
BLANKS_AT_END = re.compile(r"(?: |\x1b\[[\d;]*m)+$")


@dataclass(frozen=True, eq=False)
class Series:
    """What is known of one variable in one way: x and y (n,), where NaN and infinity are gaps."""

    label: str
    x: Array
    y: Array
    kind: str  # "points" (observations), "solid" (integration), "dashed" (smoothing) or "dotted" (guesses)
    number: int = 0  # of the variable: chooses symbol and colour, the same for its points and its lines

    @property
    def is_line(self) -> bool:
        return self.kind != "points"

    def known(self) -> tuple[Array, Array]:
        """x and y of equal length, both NaN where either is not a number that can be drawn."""
        x, y = (np.asarray(values, dtype=np.float64).ravel() for values in (self.x, self.y))
        n = min(len(x), len(y))
        gap = ~(np.isfinite(x[:n]) & np.isfinite(y[:n]))
        return np.where(gap, np.nan, np.clip(x[:n], -HUGE, HUGE)), np.where(gap, np.nan, np.clip(y[:n], -HUGE, HUGE))


@dataclass(frozen=True, eq=False)
class Figure:
    """Series over common axes."""

    series: tuple[Series, ...]
    x_label: str = "TIME"
    y_label: str = "STATE"
    title: str = ""


@dataclass(frozen=True)
class _Axis:
    """The range of the data along an axis, and the character cells over which it is spread."""

    low: float
    high: float
    n_cells: int

    @property
    def margin(self) -> float:
        """Cells at either end that keep what is on the border off the frame."""
        return 0.5 + self.n_cells / 50

    def place(self, values: Array) -> Array:
        """Cells from the left or lower end."""
        return self.margin + (values - self.low) / (self.high - self.low) * (self.n_cells - 2 * self.margin)

    def ticks(self, most: int) -> tuple[list[float], list[str]]:
        """At most so many round numbers within the frame, or else the ends of the data; with their labels."""
        outside = (self.high - self.low) * self.margin / (self.n_cells - 2 * self.margin)
        lowest, highest = self.low - outside, self.high + outside
        exponent = math.floor(math.log10((self.high - self.low) / most)) - 1
        for power in range(exponent, exponent + 4):
            for factor in (1, 2, 5):
                step = factor * 10.0**power
                first, last = math.ceil(lowest / step), math.floor(highest / step)
                if 2 <= last - first + 1 <= most:
                    values = [k * step for k in range(first, last + 1)]
                    return values, _tick_labels(values, power)
        return [self.low, self.high], _tick_labels([self.low, self.high], exponent)


@dataclass(frozen=True)
class _Style:
    """How this terminal is drawn on."""

    colour: bool
    unicode: bool

    @property
    def dots(self) -> tuple[int, int]:
        """Across and down a cell."""
        return BRAILLE_DOTS if self.unicode else (1, 1)

    def dashes(self, kind: str) -> tuple[int, int]:
        return (BRAILLE_DASHES if self.unicode else ASCII_DASHES)[kind]

    def mark(self, series: Series) -> str:
        """The character, or plotext's name of a set of them, with which a series is drawn."""
        if series.kind == "points":
            return _cycle(SYMBOLS if self.unicode else ASCII_SYMBOLS, series.number)
        return "braille" if self.unicode else _cycle(ASCII_LINES[series.kind], series.number)

    def sample(self, series: Series) -> str:
        """The series as the legend shows it."""
        if series.kind == "points":
            return self.mark(series)
        if self.unicode:
            return BRAILLE_SAMPLES[series.kind]
        drawn, period = self.dashes(series.kind)
        return "".join(self.mark(series) if k % period < drawn else " " for k in range(5)).rstrip()

    def text(self, text: str) -> str:
        """Without what would move the cursor, and without what an ASCII terminal cannot show."""
        text = _printable(text)
        return text if self.unicode else text.encode("ascii", "replace").decode("ascii")


def draw(figure: Figure, width: int = 72, height: int = 20, colour: bool = False, unicode: bool = True) -> str:
    """The figure as lines of text: at most `height` of them, none wider than `width`, and the legend below.

    Without `colour` there are no escape sequences, without `unicode` only ASCII characters.
    """
    style, width, height = _Style(colour, unicode), max(width, MIN_WIDTH), max(height, MIN_HEIGHT)
    heading = _heading(style.text(figure.y_label), style.text(figure.title), width)
    above = [heading] if heading else []
    plot, left = _framed(figure, width, height - len(above) - bool(figure.x_label), style)
    footing = _shorten(style.text(figure.x_label), width - left).center(width - left)
    below = [" " * left + footing] if figure.x_label else []
    lines = [*above, *plot, *below, *_legend(figure, width, left, style)]
    return "\n".join(_without_blanks(line) for line in lines)


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """The figure as a PNG, SVG or PDF file, as the end of its name says."""
    path = Path(path)
    form = path.suffix.lower().removeprefix(".")
    if form not in ("png", "svg", "pdf"):
        raise ParfitError(f"{path}: a plot is saved as .png, .svg or .pdf; end the name of the file with one of them")
    try:
        matplotlib_figure = import_module("matplotlib.figure")
    except ImportError as error:
        raise ParfitError('plots in files need matplotlib; install it with: pip install "parfit[plots]"') from error
    picture = matplotlib_figure.Figure(figsize=(8, 5), layout="constrained")
    _fill(picture.add_subplot(), figure)
    if any(series.label for series in figure.series):
        picture.legend(loc="outside lower center", ncols=4)  # where it hides nothing
    content = BytesIO()  # so that a picture that cannot be drawn leaves no file behind
    with catch_warnings(action="ignore"):  # of letters that the font lacks: they are seen to be missing
        picture.savefig(content, format=form, dpi=150)
    try:
        path.write_bytes(content.getvalue())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ParfitError(f"{path}: the plot could not be written ({reason}); give another file name") from error


def _fill(axes: Any, figure: Figure) -> None:
    """Draw the figure on axes of matplotlib."""
    for series in figure.series:
        look: dict[str, Any] = {"color": _cycle(HEX_COLOURS, series.number), "label": _plain(series.label)}
        if series.is_line:
            look |= {"linestyle": FILE_LINES[series.kind]}
        else:
            look |= {
                "linestyle": "none",
                "marker": _cycle(MARKERS, series.number),
                "fillstyle": "none",
                "zorder": 3,  # above the lines
            }
        axes.plot(*series.known(), **look)
    axes.set(xlabel=_plain(figure.x_label), ylabel=_plain(figure.y_label), title=_plain(figure.title))
    if not _anything(figure):
        axes.text(0.5, 0.5, EMPTY, ha="center", va="center", transform=axes.transAxes)


def _plain(text: str) -> str:
    """Text that matplotlib neither reads as a formula nor, for a first underscore, leaves out of the legend."""
    text = _printable(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _cycle(choices: Sequence[Choice], number: int) -> Choice:
    return choices[number % len(choices)]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def _anything(figure: Figure) -> bool:
    """Whether there is a point to draw."""
    return any(np.isfinite(series.known()[0]).any() for series in figure.series)


# The axes


def _span(values: Sequence[Array]) -> tuple[float, float]:
    """The smallest and the largest value; around a constant, a range to see it in."""
    known = np.concatenate([np.zeros(0), *values])
    known = known[np.isfinite(known)]
    if not known.size:
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    largest = max(abs(low), abs(high))
    if high - low > max(ROUNDING * largest, TINY):
        return low, high
    reach = largest if largest > TINY else 1.0
    return max(low - reach, -HUGE), min(high + reach, HUGE)


def _tick_labels(values: Sequence[float], power: int) -> list[str]:
    """The values with the digits that matter if they are 10**power apart, all in the shorter notation."""
    values = [value + 0.0 if abs(value) > 10.0**power / 2 else 0.0 for value in values]
    fixed = [f"{value:.{max(0, -power)}f}" for value in values] if abs(power) < 20 else [" " * 99]
    largest = max(map(abs, values)) or 1.0
    floating = [_scientific(value, max(0, math.floor(math.log10(largest)) - power)) for value in values]
    return fixed if _longest(fixed) <= max(7, _longest(floating)) else floating


def _scientific(value: float, digits: int) -> str:
    """Such as 2.5e-7, without the zeros and signs that say nothing."""
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(exponent)}" if value else "0"


def _longest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)


def _ticks_across(axis: _Axis) -> tuple[list[float], list[str]]:
    """As many ticks along the lower axis as leave their labels apart."""
    for most in range(min(12, axis.n_cells // 7), 2, -1):
        values, labels = axis.ticks(most)
        if len(values) * (_longest(labels) + 3) <= axis.n_cells:
            return values, labels
    return axis.ticks(2)


# The plot


def _framed(figure: Figure, width: int, height: int, style: _Style) -> tuple[list[str], int]:
    """The lines of the plot with its frame and its ticks, and the column of the frame."""
    curves = [series.known() for series in figure.series]
    empty = not _anything(figure)
    n_rows = height - (2 if empty else 3)
    y_axis = _Axis(*_span([y for _, y in curves]), n_rows)
    y_ticks, y_labels = ([], []) if empty else y_axis.ticks(min(10, max(3, n_rows // 3 + 1)))
    left = _longest(y_labels)
    x_axis = _Axis(*_span([x for x, _ in curves]), width - left - 2)
    x_ticks, x_labels = ([], []) if empty else _ticks_across(x_axis)

    canvas = _Canvas(width, height, x_axis.n_cells, n_rows, style)
    canvas.ruler("x", x_axis.place(np.array(x_ticks)), x_labels)
    canvas.ruler("y", y_axis.place(np.array(y_ticks)), y_labels)
    if empty:
        canvas.write(n_rows // 2, (x_axis.n_cells - len(EMPTY)) // 2, EMPTY)
    else:
        placed = [(x_axis.place(x), y_axis.place(y)) for x, y in curves]
        _draw_series(canvas, figure.series, placed)
    return canvas.lines(), left


def _draw_series(canvas: _Canvas, series: Sequence[Series], placed: Sequence[tuple[Array, Array]]) -> None:
    """Lines first, points last, so that no line hides a point."""
    masks = [canvas.mask(one, *xy) for one, xy in zip(series, placed, strict=True)]
    for kind in (*LINES, "points"):
        for one, mask in zip(series, masks, strict=True):
            if one.kind == kind:
                canvas.stamp(mask, one)
        if kind == LINES[-1]:
            for one, row, column in _names(series, [canvas.cells(mask) for mask in masks], canvas.style):
                canvas.write(row, column, _name(one, canvas.style), one.number)


class _Canvas:
    """A figure of plotext whose coordinates are the cells of the canvas, from the bottom left.

    The data are brought to cells before plotext sees them: its own ticks are not round, it cannot draw dashes,
    and it takes a call per point.
    """

    def __init__(self, width: int, height: int, n_columns: int, n_rows: int, style: _Style):
        import plotext

        # Its own terminal and figure: those of the module remember earlier plots and the size of the real terminal.
        self.plotext, self.style = plotext, style
        self.figure = type(plotext.figure)(type(plotext.terminal)().limit(False, False))
        self.figure.plot_size(width, height).theme("colorless")
        self.n_columns, self.n_rows = n_columns, n_rows

    def ruler(self, axis: str, positions: Array, labels: Sequence[str]) -> None:
        ruler = self.figure.ruler(axis).alignment(lim="edge")
        ruler.lim(0, self.n_columns if axis == "x" else self.n_rows)
        ruler.ticks(positions.tolist(), list(labels))

    def pixel(self, number: int | None) -> Any:
        return self.plotext.pixel() if number is None else self.plotext.pixel(_cycle(COLOURS, number))

    def put(self, x: Array, y: Array, character: str, number: int | None) -> None:
        marker = self.plotext.marker(character, self.pixel(number))
        self.figure.draw(self.figure.signal(x.tolist(), y.tolist(), marker=marker))

    def write(self, row: int, column: int, text: str, number: int | None = None) -> None:
        for k, character in enumerate(text):
            self.put(np.array([column + k + 0.5]), np.array([row + 0.5]), character, number)

    def mask(self, series: Series, x: Array, y: Array) -> Mask:
        """The dots that a series covers; points cover cells, not dots."""
        across, down = self.style.dots if series.is_line else (1, 1)
        shape = (self.n_rows * down, self.n_columns * across)
        drawn, period = self.style.dashes(series.kind) if series.is_line else (0, 1)
        return _trace(x * across, y * down, shape, drawn, period)

    def cells(self, mask: Mask) -> Mask:
        """The cells in which any dot is covered."""
        down, across = mask.shape[0] // self.n_rows, mask.shape[1] // self.n_columns
        cells: Mask = mask.reshape(self.n_rows, down, self.n_columns, across).max(axis=(1, 3))
        return cells

    def stamp(self, mask: Mask, series: Series) -> None:
        rows, columns = np.nonzero(mask)
        if rows.size:
            y, x = (rows + 0.5) * self.n_rows / mask.shape[0], (columns + 0.5) * self.n_columns / mask.shape[1]
            self.put(x, y, self.style.mark(series), series.number)

    def lines(self) -> list[str]:
        text: str = self.figure.build().string(colorless=not self.style.colour)
        return (text if self.style.unicode else text.translate(ASCII_FRAME)).splitlines()


def _trace(x: Array, y: Array, shape: tuple[int, int], drawn: int, period: int) -> Mask:
    """The dots on the lines between consecutive places (in dots), of which `drawn` in each period are covered.

    With drawn = 0 only the places themselves are covered.
    """
    mask = np.zeros(shape, dtype=np.bool_)
    column, row = (np.where(np.isnan(v), -1, v).astype(np.intp) for v in (x, y))
    # Of neighbours on the same dot (and of neighbouring gaps) one is enough.
    fresh = np.ones(len(x), dtype=np.bool_)
    fresh[1:] = (np.diff(column) != 0) | (np.diff(row) != 0)
    x, y, column, row = x[fresh], y[fresh], column[fresh], row[fresh]
    known = column >= 0
    ends = np.concatenate([[False], known, [False]])
    alone = known & ~ends[:-2] & ~ends[2:]
    shown = known if drawn in (0, period) else alone
    mask[row[shown], column[shown]] = True
    if drawn:
        for rows, columns in _between(x, y, drawn, period):
            mask[rows, columns] = True
    return mask


def _between(x: Array, y: Array, drawn: int, period: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows and columns of the dots between consecutive places, less the gaps of dashes; in pieces."""
    length = np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y)))
    start = np.concatenate([[0.0], np.cumsum(np.nan_to_num(length))])
    segments = np.flatnonzero(np.isfinite(length))
    for first in range(0, len(segments), CHUNK):
        some = segments[first : first + CHUNK]
        n_dots = np.ceil(length[some]).astype(np.intp) + 1
        which = np.repeat(some, n_dots)
        k = np.arange(len(which)) - np.repeat(np.cumsum(n_dots) - n_dots, n_dots)
        part = k / np.repeat(np.maximum(n_dots - 1, 1), n_dots)
        covered = (start[which] + part * length[which]) % period < drawn
        which, part = which[covered], part[covered]
        rows, columns = (v[which] + part * (v[which + 1] - v[which]) for v in (y, x))
        yield rows.astype(np.intp), columns.astype(np.intp)


def _names(series: Sequence[Series], cells: Sequence[Mask], style: _Style) -> Iterator[tuple[Series, int, int]]:
    """Where to write the name of each variable into its line: braille alone does not tell lines apart."""
    first = {one.number: one for one in reversed(series) if one.is_line}
    if not style.unicode or len(first) < 2:
        return
    taken = np.zeros_like(cells[0])
    for number, one in sorted(first.items()):
        own = next(mask for other, mask in zip(series, cells, strict=True) if other is one)
        others = taken.copy()
        for other, mask in zip(series, cells, strict=True):
            if other.number != number or not other.is_line:
                others |= mask
        place = _clearest(own, others, len(_name(one, style)))
        if place:
            row, column = place
            taken[row, column : column + len(_name(one, style))] = True
            yield one, row, column


def _name(series: Series, style: _Style) -> str:
    """The variable, with which its label begins."""
    return style.text((series.label.split() or [""])[0])[:LONGEST_NAME]


def _clearest(own: Mask, others: Mask, n: int) -> tuple[int, int] | None:
    """Row and column where n cells lie best on a line, with no other on them or beside them."""
    if not n or own.shape[1] < n + 2:
        return None
    free = ~sliding_window_view(others, n + 2, axis=1).any(axis=-1)
    covered = sliding_window_view(own[:, 1:-1], n, axis=1).sum(axis=-1)
    around = np.pad(free, ((1, 1), (0, 0)))
    off_centre = np.abs(np.linspace(-0.5, 0.5, free.shape[1]))
    score = np.where(free & (covered > 0), 3.0 * covered + around[:-2] + around[2:] - off_centre, 0)
    row, column = np.unravel_index(int(score.argmax()), score.shape)
    return (int(row), int(column) + 1) if score.max() else None


# The text around it


def _heading(y_label: str, title: str, width: int) -> str:
    """The name of the upward axis above it, and the title in the middle."""
    y_label = _shorten(y_label, width)
    room = width - len(y_label) - 2
    if not title or room < 4:
        return y_label
    title = _shorten(title, room)
    start = max((width - len(title)) // 2, len(y_label) + 2 if y_label else 0)
    return y_label.ljust(start) + title


def _legend(figure: Figure, width: int, left: int, style: _Style) -> list[str]:
    """Samples and labels, on as many lines as they need."""
    indent = " " * min(left, width // 4)
    rows, length = [""], 0
    for series in figure.series:
        sample = style.sample(series)
        label = _shorten(style.text(series.label), width - len(indent) - len(sample) - 1)
        needed = len(sample) + 1 + len(label)
        if length and length + 3 + needed > width - len(indent):
            rows.append("")
            length = 0
        rows[-1] += ("   " if length else indent) + f"{_coloured(sample, series.number, style)} {label}"
        length += needed + (3 if length else 0)
    return rows if figure.series else []


def _coloured(text: str, number: int, style: _Style) -> str:
    return f"\x1b[38;5;{_cycle(COLOURS, number)}m{text}{RESET}" if style.colour else text


def _shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 2)] + ".."


def _without_blanks(line: str) -> str:
    """A line without blanks at its end; what it coloured is reset there."""
    text = BLANKS_AT_END.sub("", line.removeprefix(RESET))
    return text + RESET if "\x1b" in text else text
