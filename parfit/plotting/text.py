"""Pictures as lines of text."""

from __future__ import annotations

from parfit.plotting.bars import bar_lines
from parfit.plotting.figure import Bars, Figure, Grid, Picture
from parfit.plotting.grid import grid_lines
from parfit.plotting.legend import legend, without_blanks
from parfit.plotting.plot import plot_lines
from parfit.plotting.style import Style

MIN_WIDTH, MIN_HEIGHT = 30, 8
LEGEND_INDENT = 6  # columns, where it is made before the plot


def draw(
    picture: Picture,
    width: int = 72,
    height: int = 20,
    colour: bool = False,
    unicode: bool = True,
    legend_within: bool = False,
) -> str:
    """The picture as lines of text: at most `height` of them, none wider than `width`, and the legend below.

    Without `colour` there are no escape sequences, without `unicode` only ASCII characters. With `legend_within` the
    lines of the legend count too, if that leaves room for a plot. Many small plots, or bars, may take more lines.
    """
    style, width = Style(colour, unicode), max(width, MIN_WIDTH)
    if isinstance(picture, Bars):
        lines = bar_lines(picture, width, style)
    elif isinstance(picture, Grid):
        below = legend(picture.series, width, LEGEND_INDENT, style)
        lines = [*grid_lines(picture, width, max(height - legend_within * len(below), MIN_HEIGHT), style), *below]
    else:
        lines = _figure_lines(picture, width, height, style, legend_within)
    return "\n".join(without_blanks(line) for line in lines)


def _figure_lines(figure: Figure, width: int, height: int, style: Style, legend_within: bool) -> list[str]:
    below = legend(figure.series, width, LEGEND_INDENT, style) if legend_within else []
    lines, left = plot_lines(figure, width, max(height - len(below), MIN_HEIGHT), style)
    return [*lines, *(below or legend(figure.series, width, left, style))]
