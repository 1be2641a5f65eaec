"""Loops of XPPAUT written out: `x[1..9]'=x[j-1]-x[j]` stands for nine lines, `%[1..9] ... %` repeats a block.

`[j]`, `[j-1]`, `[j+1]` and `[j*2]` follow the number of the turn: behind a name they become a part of it (`x[j]` is
`x3` in the third turn), elsewhere they are the number itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from parfit.errors import ModelError
from parfit.model.language.syntax import short

MOST_TURNS = 10_000  # of one loop: what is longer is a slip of the pen, and would fill the memory

RANGE = re.compile(r"\[\s*(\d+)\s*\.\.\s*(\d+)\s*\]")
BLOCK = re.compile(r"%\s*" + RANGE.pattern)
_TURN = re.compile(r"\[\s*[jJ]\s*(?:([-+*])\s*(\d+))?\s*\]")
_INDEX = re.compile(r"(?<=\w)\[\s*(\d+)\s*\]")  # a single element: x[3] is x3
_OPEN = re.compile(r"\[[^\]]*\]?")


def written_out(code: str) -> list[str]:
    """The lines that one line stands for: itself, unless it holds a loop."""
    found = RANGE.search(code)
    if found is None:
        return [_checked(_INDEX.sub(r"\1", code), code)]
    if RANGE.search(code, found.end()):
        _refuse(code, "has two loops; expected one [first..last] in a line")
    return [_checked(_at(RANGE.sub(str(j), code), j, code), code) for j in _turns(found, code)]


def block_written_out(head: str, lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines of a `%[first..last]` block with their places in it: all of them for each turn."""
    found = BLOCK.match(head)
    assert found is not None
    block = list(enumerate(lines))
    for j in _turns(found, head):
        for place, code in block:
            yield place, _at(code, j, code)


def _turns(found: re.Match[str], code: str) -> range:
    first, last = int(found[1]), int(found[2])
    if not 0 <= last - first < MOST_TURNS:
        _refuse(code, f"has the loop [{first}..{last}]; expected a first number that is not larger than the last")
    return range(first, last + 1)


def _at(text: str, j: int, code: str) -> str:
    """A line in the turn j."""

    def number(match: re.Match[str]) -> str:
        k = int(match[2] or 0)
        value = {"+": j + k, "-": j - k, "*": j * k, None: j}[match[1]]
        named = match.start() > 0 and (text[match.start() - 1].isalnum() or text[match.start() - 1] == "_")
        if value < 0 and named:
            _refuse(code, f"asks for element {value} in turn {j}; expected elements from 0 on")
        return str(value) if value >= 0 else f"({value})"

    return _INDEX.sub(r"\1", _TURN.sub(number, text))


def _checked(text: str, code: str) -> str:
    if wrong := _OPEN.search(text):
        _refuse(code, f"has `{wrong[0]}`; expected parentheses, or [first..last], [j], [j-1], [j+1] of a loop")
    return text


def _refuse(code: str, what: str) -> NoReturn:
    raise ModelError(f"`{short(code)}` {what}")
