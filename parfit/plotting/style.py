"""How a terminal is drawn on: symbols, lines and colours of variables, with or without Unicode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from parfit.dataclass import dataclass
from parfit.plotting.figure import Series

Choice = TypeVar("Choice")

# By the number of the variable, over and over. The first three are those of the thesis.
SYMBOLS = "+x◇○□△*▽"
ASCII_SYMBOLS = "+xo#%@&$"
RESIDUALS = "●■▲◆★▼◉▣"  # filled, so that nobody takes them for observations
ASCII_RESIDUALS = "OHAVWZQX"
# Numbers of the 256 colours of terminals; all can be read on black and on white. Files have the same (HEX_COLOURS).
COLOURS = (33, 166, 35, 133, 160, 37, 136, 244)
# A cell of braille has 2 x 4 dots. In ASCII a cell is one dot, so that there the character says kind and variable.
BRAILLE_DOTS = (2, 4)
ASCII_LINES = {"solid": ".*'\"", "dashed": "-=~_", "dotted": ":;!,", "band": ":;!,", "errors": "|"}
# A line is drawn for so many dots of each period: (drawn, period).
BRAILLE_DASHES = {"errors": (1, 1), "solid": (1, 1), "dashed": (5, 8), "dotted": (1, 4), "band": (1, 3)}
ASCII_DASHES = {"errors": (1, 1), "solid": (1, 1), "dashed": (2, 3), "dotted": (1, 2), "band": (1, 2)}
BRAILLE_SAMPLES = {"solid": "⠤⠤⠤⠤⠤", "dashed": "⠤⠤⠄ ⠤", "dotted": "⠄ ⠄ ⠄", "band": "⡁ ⡁ ⡁"}
RESET = "\x1b[0m"


@dataclass(frozen=True)
class Style:
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
        """The character with which points, or a line without Unicode, are drawn; other lines are dots of braille."""
        if series.is_line:
            return cycle(ASCII_LINES[series.kind], series.number)
        if series.kind == "residuals":
            return cycle(RESIDUALS if self.unicode else ASCII_RESIDUALS, series.number)
        return cycle(SYMBOLS if self.unicode else ASCII_SYMBOLS, series.number)

    def sample(self, series: Series) -> str:
        """The series as the legend shows it."""
        if not series.is_line:
            return self.mark(series)
        if self.unicode:
            return BRAILLE_SAMPLES[series.kind]
        drawn, period = self.dashes(series.kind)
        return "".join(self.mark(series) if k % period < drawn else " " for k in range(5)).rstrip()

    def text(self, text: str) -> str:
        """Without what would move the cursor, and without what an ASCII terminal cannot show."""
        text = printable(text)
        return text if self.unicode else text.encode("ascii", "replace").decode("ascii")


def coloured(text: str, number: int, style: Style) -> str:
    return f"\x1b[38;5;{cycle(COLOURS, number)}m{text}{RESET}" if style.colour else text


def cycle(choices: Sequence[Choice], number: int) -> Choice:
    return choices[number % len(choices)]


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


def shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 2)] + ".."
