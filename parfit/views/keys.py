"""Keys and what they do: for the lines below a view, and for the page that `?` shows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from parfit.dataclass import dataclass

SEPARATOR = "  "
MORE = "A larger window has room for more."


@dataclass(frozen=True)
class Key:
    """Keys that belong together: how they are written, what they do in a word, and in a sentence."""

    shown: str
    word: str
    sentence: str

    @property
    def brief(self) -> str:
        return f"{self.shown} {self.word}"


def bottom(keys: Sequence[Key], width: int, most: int) -> list[str]:
    """The keys in at most so many lines; where there is no room for all, the last one, such as help, is there."""
    *others, last = keys
    while len(lines := _filled([*others, last], width)) > most:
        others.pop()
    return lines


def _filled(keys: Sequence[Key], width: int) -> list[str]:
    lines = [""]
    for key in keys:
        longer = SEPARATOR.join(part for part in (lines[-1], key.brief) if part)
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(key.brief[:width])
    return lines


def page(title: str, keys: Sequence[Key], width: int, height: int) -> list[str]:
    """What every key does: in a word where there is no room for sentences."""
    lines = _sentences(title, keys, width)
    if len(lines) <= height:
        return lines
    return [*textwrap.wrap(f"{title}; any key goes back", width), "", *_filled(keys, width), "", MORE[:width]]


def _sentences(title: str, keys: Sequence[Key], width: int) -> list[str]:
    column = max(len(key.shown) for key in keys)
    lines = [f"{title}; any key goes back", ""]
    for key in keys:
        lines += textwrap.wrap(
            f"{key.shown:{column}}  {key.sentence}", max(width, column + 20), subsequent_indent=" " * (column + 2)
        )
    return lines
