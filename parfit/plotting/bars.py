"""Bars as text: to the right of a middle line what is positive, to the left what is negative."""

from __future__ import annotations

import math

import numpy as np

from parfit.model.naming import told_apart
from parfit.plotting.figure import Bars
from parfit.plotting.style import Style, coloured, shorten

LONGEST_NAME = 16
SHORTEST, LONGEST = 4, 12  # cells of a bar of full length
GAP = 2  # columns between vectors
POSITIVE, NEGATIVE = 0, 1  # numbers of their colours


def bar_lines(bars: Bars, width: int, style: Style) -> list[str]:
    """Columns of bars beside the names; as many blocks below each other as the width needs."""
    names = told_apart([style.text(name) for name in bars.names], LONGEST_NAME)
    indent = max(map(len, names), default=0)
    n = len(bars.vectors)
    most = max(1, (width - indent) // (2 * SHORTEST + 1 + GAP))
    n_across = math.ceil(n / math.ceil(n / most)) if n else 1  # about as many in each block
    reach = max(1, min(LONGEST, ((width - indent) // n_across - GAP - 1) // 2))
    full = max((float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for v in bars.vectors), default=0.0) or 1.0
    lines = [shorten(style.text(bars.title), width)] if bars.title else []
    for first in range(0, n, n_across):
        some = range(first, min(first + n_across, n))
        headings = [shorten(style.text(bars.headings[j]), 2 * reach + 1).center(2 * reach + 1) for j in some]
        lines.append(" " * indent + "".join(" " * GAP + heading for heading in headings))
        for k, name in enumerate(names):
            row = [_bar(float(bars.vectors[j][k]) / full, reach, style) for j in some]
            lines.append(f"{name:>{indent}}" + "".join(" " * GAP + bar for bar in row))
    return lines


def _bar(part: float, reach: int, style: Style) -> str:
    """A bar of a part of the full length, in halves of cells where there are characters for them."""
    halves = round(2 * reach * min(abs(part), 1.0)) if np.isfinite(part) else 0
    if style.unicode:
        middle, cell, (left_half, right_half) = "│", "█", ("▐", "▌")
    else:
        middle, cell, (left_half, right_half) = "|", "#", ("", "")
        halves = 2 * round(halves / 2)
    whole = cell * (halves // 2)
    if part < 0:
        bar = (left_half if halves % 2 else "") + whole
        return " " * (reach - len(bar)) + _shown(bar, NEGATIVE, style) + middle + " " * reach
    bar = whole + (right_half if halves % 2 else "")
    return " " * reach + middle + _shown(bar, POSITIVE, style) + " " * (reach - len(bar))


def _shown(bar: str, number: int, style: Style) -> str:
    return coloured(bar, number, style) if bar else ""
