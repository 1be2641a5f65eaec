"""One plot as lines of text: its frame with ticks, what is in it, and the names of its axes."""

from __future__ import annotations

import numpy as np

from parfit.plotting.axis import Axis, axis_for
from parfit.plotting.canvas import Canvas, draw_series
from parfit.plotting.figure import EMPTY, Figure
from parfit.plotting.frame import Ticks, filled, frame
from parfit.plotting.style import Style, shorten
from parfit.plotting.ticks import LabelledTicks, longest

NO_TICKS: LabelledTicks = ([], [])


def plot_lines(figure: Figure, width: int, height: int, style: Style, least_left: int = 0) -> tuple[list[str], int]:
    """So many lines, with title and names of the axes but without a legend; and the column of the frame."""
    shown = [each for series in figure.series for each in (*series.bars(figure.y_log), series)]
    curves = [series.known() for series in shown]
    empty = not figure.anything()
    has_heading, has_footing = bool(figure.y_label or figure.title), bool(figure.x_label)
    n_framed = height - has_heading - has_footing
    n_rows = n_framed - (2 if empty else 3)
    y_range = [] if figure.y_range is None else [np.array(figure.y_range)]
    y_axis = axis_for([*(y for _, y in curves), *y_range], n_rows, figure.y_log)
    y_ticks = NO_TICKS if empty else y_axis.ticks(min(10, max(3, n_rows // 3 + 1)))
    left = max(longest(y_ticks[1]), least_left)
    x_range = [] if figure.x_range is None else [np.array(figure.x_range)]
    x_axis = axis_for([*(x for x, _ in curves), *x_range], width - left - 2, figure.x_log)
    x_ticks = NO_TICKS if empty else x_axis.ticks_across()

    canvas = Canvas(x_axis.n_cells, n_rows, style)
    if empty:
        canvas.write(n_rows // 2, (x_axis.n_cells - len(EMPTY)) // 2, EMPTY)
    else:
        draw_series(canvas, shown, [(x_axis.place(x), y_axis.place(y)) for x, y in curves])
    ticks = _placed(x_axis, x_ticks), _placed(y_axis, (y_ticks[0], [label.rjust(left) for label in y_ticks[1]]))
    empty_frame = frame(width, n_framed, (x_axis.n_cells, n_rows), ticks, style.unicode)
    above = [_heading(style.text(y_axis.scale.named(figure.y_label)), style.text(figure.title), width)]
    footing = shorten(style.text(x_axis.scale.named(figure.x_label)), width - left).center(width - left)
    below = [" " * left + footing]
    plot = filled(empty_frame, canvas.lines(), left)
    return [*above[: int(has_heading)], *plot, *below[: int(has_footing)]], left


def _placed(axis: Axis, ticks: LabelledTicks) -> Ticks:
    """Ticks in the middle of the cells in which points of the same values stand."""
    values, labels = ticks
    return tuple((np.floor(axis.place(np.array(values))) + 0.5).tolist()), tuple(labels)


def _heading(y_label: str, title: str, width: int) -> str:
    """The name of the upward axis above it, and the title in the middle."""
    y_label = shorten(y_label, width)
    room = width - len(y_label) - 2
    if not title or room < 4:
        return y_label
    title = shorten(title, room)
    start = max((width - len(title)) // 2, len(y_label) + 2 if y_label else 0)
    return y_label.ljust(start) + title
