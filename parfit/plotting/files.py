"""A picture as a PNG, SVG or PDF file, through matplotlib."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np

from parfit.errors import ParfitError
from parfit.model.textfile import write_whole
from parfit.plotting.axis import Axis, axis_for
from parfit.plotting.figure import EMPTY, Bars, Figure, Grid, Picture, Series, halves
from parfit.plotting.grid import layout
from parfit.plotting.scale import EVEN_PART
from parfit.plotting.style import cycle, printable

MARKERS = ("+", "x", "D", "o", "s", "^", "*", "v")
ROUND = ("o", "s", "^", "D", "*", "v", "h", "p")  # filled for residuals; open where an error bar would hide a cross
CAP = 2.0  # points, half the width of the ends of error bars
HEX_COLOURS = ("#0087ff", "#d75f00", "#00af5f", "#af5faf", "#d70000", "#00afaf", "#af8700", "#808080")
FILE_LINES = {"solid": "-", "dashed": "--", "dotted": ":"}
SIZE = (8.0, 5.0)  # inches
DPI = 150.0  # pixels in an inch of a PNG
PANEL = (3.0, 2.2)  # inches, at least, of a small plot
LETTERS, SAMPLE = 11, 7  # letters in an inch, and the room of a line in the legend, in letters
SHADE = 0.2  # opacity of a band
MOST_TICKS = 8  # of a logarithmic axis
CELLS = (160, 45)  # a terminal of the same shape, after which small plots are laid out


def save(picture: Picture, path: str | PathLike[str], size: tuple[float, float] | None = None) -> None:
    """The picture as a PNG, SVG or PDF file, as the end of its name says; the size is in inches."""
    path = Path(path)
    form = path.suffix.lower().removeprefix(".")
    if form not in ("png", "svg", "pdf"):
        raise ParfitError(f"{path}: a plot is saved as .png, .svg or .pdf; end the name of the file with one of them")
    content = _content(picture, form, size)  # first, so that a picture that cannot be drawn leaves no file behind
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ParfitError(f"{path}: the plot could not be written ({reason}); give another file name") from error


def inline_svg(picture: Picture) -> str:
    """The picture as an element of a page: SVG with its words as text, the same every time."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "parfit"}):
        text = _content(picture, "svg", metadata={"Date": None}).decode("utf-8")
    return text[text.index("<svg") :].rstrip()


def in_pixels(picture: Picture, form: str, width: int, height: int, dpi: float) -> bytes:
    """A picture of so many pixels: as "png", or as "rgba", four bytes for each of them."""
    size = ((width + 0.5) / dpi, (height + 0.5) / dpi)  # of which matplotlib leaves the fractions of pixels out
    return _content(picture, form, size, dpi)


def _content(
    picture: Picture, form: str, size: tuple[float, float] | None = None, dpi: float = DPI, **more: Any
) -> bytes:
    """What a file with the picture holds."""
    page = page_of(picture)
    if size is not None:
        page.set_size_inches(*size)
    content = BytesIO()
    with catch_warnings(action="ignore"):  # of letters that the font lacks: they are seen to be missing
        page.savefig(content, format=form, dpi=dpi, **more)
    return content.getvalue()


def page_of(picture: Picture) -> Any:
    """The picture as a figure of matplotlib."""
    from matplotlib.figure import Figure as Page  # late, because it takes long to import

    page = Page(figsize=SIZE, layout="constrained")
    _fill_page(page, picture)
    return page


def draw_on(axes: Any, figure: Figure) -> None:
    """Draw the figure on axes of matplotlib that somebody has made, with a legend."""
    _fill(axes, figure)
    axes.legend()


def _fill_page(page: Any, picture: Picture) -> None:
    """Draw the picture on a figure of matplotlib, with a legend where it hides nothing."""
    if isinstance(picture, Bars):
        _fill_bars(page, picture)
        return
    if isinstance(picture, Grid):
        _fill_grid(page, picture)
    else:
        _fill(page.add_subplot(), picture)
    handles: dict[str, Any] = {}
    for axes in page.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        room = page.get_figwidth() * LETTERS / (max(map(len, handles)) + SAMPLE)
        n_across = max(1, min(len(handles), int(room)))
        page.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=n_across, frameon=False)


def _fill_grid(page: Any, grid: Grid) -> None:
    n = len(grid.panels)
    n_across = layout(n, *CELLS)[0]
    n_down = -(-n // n_across)
    page.set_size_inches(max(SIZE[0], PANEL[0] * n_across), max(SIZE[1], PANEL[1] * n_down))
    for k, panel in enumerate(grid.aligned().panels):
        is_lowest = k + n_across >= n
        labelled = replace(panel, x_label=grid.x_label if is_lowest else panel.x_label)
        _fill(page.add_subplot(n_down, n_across, k + 1), labelled)
    page.suptitle(_plain(grid.title))


def _fill(axes: Any, figure: Figure) -> None:
    """Draw the figure on axes of matplotlib."""
    curves = [series.known() for series in figure.series]
    x_axis = axis_for([x for x, _ in curves], CELLS[0], figure.x_log)
    y_axis = axis_for([y for _, y in curves], CELLS[1], figure.y_log)
    _set_scale(axes, "x", x_axis)
    _set_scale(axes, "y", y_axis)
    for series in figure.series:
        _fill_series(axes, series)
    x_label = x_axis.scale.named(figure.x_label) if figure.x_label else ""
    axes.set(xlabel=_plain(x_label), ylabel=_plain(y_axis.scale.named(figure.y_label)), title=_plain(figure.title))
    for name, limits in (("x", figure.x_range), ("y", figure.y_range)):
        if limits is not None:
            axes.update_datalim([(end, end) for end in limits], updatex=name == "x", updatey=name == "y")
            axes.autoscale_view()
    axes.spines[["top", "right"]].set_visible(False)
    if not figure.anything():
        axes.text(0.5, 0.5, EMPTY, ha="center", va="center", transform=axes.transAxes)


def _set_scale(axes: Any, name: str, axis: Axis) -> None:
    """A logarithmic axis, with the ticks that it has in text: those of matplotlib collide where it is even."""
    scale = axis.scale
    if scale.is_log:
        kind, how = ("symlog", {"linthresh": scale.linear, "linscale": EVEN_PART}) if scale.linear else ("log", {})
        getattr(axes, f"set_{name}scale")(kind, **how)
        ticks, labels = axis.ticks(MOST_TICKS)
        getattr(axes, f"set_{name}ticks")(ticks, labels)
        getattr(axes, f"set_{name}ticks")([], minor=True)


def _fill_series(axes: Any, series: Series) -> None:
    look: dict[str, Any] = {"color": cycle(HEX_COLOURS, series.number), "label": _plain(series.label)}
    if series.kind == "band":
        axes.fill_between(*halves(series), alpha=SHADE, linewidth=0, **look)
        return
    if series.is_line:
        look |= {"linestyle": FILE_LINES[series.kind]}
    else:
        is_residual, is_round = series.kind == "residuals", series.kind == "residuals" or series.errors is not None
        look |= {
            "linestyle": "none",
            "marker": cycle(ROUND if is_round else MARKERS, series.number),
            "fillstyle": "full" if is_residual else "none",
            "zorder": 3,  # above the lines
        }
    if series.errors is not None:
        axes.errorbar(*series.known(), yerr=series.errors, capsize=CAP, elinewidth=0.8, **look)
    else:
        axes.plot(*series.known(), **look)


def _fill_bars(page: Any, bars: Bars) -> None:
    """A column of bars for each vector."""
    places = np.arange(len(bars.names))
    n_across = min(len(bars.vectors), 6) or 1
    n_down = -(-len(bars.vectors) // n_across) or 1
    page.set_size_inches(max(SIZE[0], 1.6 * n_across), max(SIZE[1] / 2, n_down * (0.8 + 0.25 * len(bars.names))))
    for k, (vector, heading) in enumerate(zip(bars.vectors, bars.headings, strict=True)):
        axes = page.add_subplot(n_down, n_across, k + 1)
        colours = [HEX_COLOURS[0] if value > 0 else HEX_COLOURS[1] for value in vector]
        axes.barh(places, vector, color=colours)
        axes.axvline(0.0, color="black", linewidth=0.5)
        axes.set(title=_plain(heading), xlim=(-1.05, 1.05), ylim=(len(places) - 0.5, -0.5))
        axes.set_yticks(places, [_plain(name) for name in bars.names] if k % n_across == 0 else [])
    page.suptitle(_plain(bars.title))


def _plain(text: str) -> str:
    """Text that matplotlib neither reads as a formula nor, for a first underscore, leaves out of the legend."""
    text = printable(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
