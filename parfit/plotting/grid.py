"""Small plots side by side, fitted to the terminal."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from parfit.plotting.figure import Grid
from parfit.plotting.plot import plot_lines
from parfit.plotting.scale import scale_for
from parfit.plotting.style import Style, shorten

MIN_WIDTH, MIN_HEIGHT = 25, 5  # of a small plot: three by three of them in 80 columns and 24 lines
ASPECT = 3.5  # columns to lines of a plot that is pleasant to see
GAP = 1  # columns between plots
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def grid_lines(grid: Grid, width: int, height: int, style: Style) -> list[str]:
    """The plots in rows, at most `height` lines if they can be that small, without a legend."""
    grid = grid.aligned()
    title = [shorten(style.text(grid.title), width).center(width)] if grid.title else []
    footing = [shorten(style.text(_x_label(grid)), width).center(width)] if grid.x_label else []
    n, room = len(grid.panels), height - len(title) - len(footing)
    n_across, panel_width, panel_height = layout(n, width, room, has_common_axis=bool(grid.x_label))
    columns = [_column(grid, range(k, n, n_across), panel_width, panel_height, style) for k in range(n_across)]
    n_lines = max(map(len, columns))
    lines = [
        (" " * GAP).join(_padded(column[k] if k < len(column) else "", panel_width) for column in columns)
        for k in range(n_lines)
    ]
    return [*title, *lines, *footing]


def layout(n: int, width: int, height: int, has_common_axis: bool = True) -> tuple[int, int, int]:
    """How many plots stand side by side, and the columns and lines of each; with a common axis, without its ticks."""
    most = max(1, (width + GAP) // (MIN_WIDTH + GAP))
    least = MIN_HEIGHT if has_common_axis else MIN_HEIGHT + 1
    choices = []
    for n_across in range(1, max(min(n, most), 1) + 1):
        n_down = math.ceil(n / n_across) or 1
        across, down = (width + GAP) // n_across - GAP, (height - has_common_axis) // n_down
        if down >= least:
            unused = n_across * n_down - n
            choices.append((abs(math.log(across / down / ASPECT)) + unused / n, n_across, across, down))
    if not choices:  # they cannot be small enough: the screen must be scrolled
        return most, (width + GAP) // most - GAP, least
    return min(choices)[1:]


def _column(grid: Grid, which: range, width: int, height: int, style: Style) -> list[str]:
    """Plots below each other, with their frames in line; the name of each is in its frame."""
    panels = [grid.panels[k] for k in which]
    bare = [replace(each, x_label="", y_label="", title="") for each in panels]
    shared = bool(grid.x_label)
    size = height + shared  # the ticks of a common axis are drawn, and left out but for the lowest plot
    left = max((plot_lines(each, width, size, style)[1] for each in bare), default=0)
    lines: list[str] = []
    for panel, figure in zip(panels, bare, strict=True):
        drawn = plot_lines(figure, width, size, style, left)[0]
        scale = scale_for([series.known()[1] for series in panel.series], panel.y_log)
        drawn[0] = _with_name(drawn[0], style.text(scale.named(panel.y_label, briefly=True)), left)
        lines += drawn if panel is panels[-1] or not shared else drawn[:height]
    return lines


def _with_name(top: str, name: str, left: int) -> str:
    """The upper line of a frame with a name in it."""
    text = f" {shorten(name, len(top) - left - 6)} " if name else ""
    return top[: left + 2] + text + top[left + 2 + len(text) :]


def _x_label(grid: Grid) -> str:
    x = [series.known()[0] for panel in grid.panels for series in panel.series]
    return scale_for(x, any(panel.x_log for panel in grid.panels)).named(grid.x_label)


def _padded(part: str, width: int) -> str:
    """Filled up to a width as it is seen."""
    return part + " " * (width - len(COLOUR.sub("", part)))
