"""The legend under a plot, and the ends of lines of text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parfit.plotting.figure import Series
from parfit.plotting.style import RESET, Style, coloured, shorten

BLANK_OR_COLOUR = re.compile(r" +|\x1b\[[\d;]*m")


def legend(series: Sequence[Series], width: int, left: int, style: Style) -> list[str]:
    """Samples and labels, on as many lines as they need."""
    indent = " " * min(left, width // 4)
    rows, length = [""], 0
    for each in series:
        sample = style.sample(each)
        label = shorten(style.text(each.label), width - len(indent) - len(sample) - 1)
        needed = len(sample) + 1 + len(label)
        if length and length + 3 + needed > width - len(indent):
            rows.append("")
            length = 0
        rows[-1] += ("   " if length else indent) + f"{coloured(sample, each.number, style)} {label}"
        length += needed + (3 if length else 0)
    return rows if series else []


def without_blanks(line: str) -> str:
    """A line without blanks at its end; what it coloured is reset there."""
    text = line.removeprefix(RESET)
    end = 0
    for part in BLANK_OR_COLOUR.split(text):  # because a pattern for the end alone is tried from every blank on
        if part:
            end = text.index(part, end) + len(part)
    text = text[:end]
    return text + RESET if "\x1b" in text else text
