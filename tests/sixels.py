"""Sixels read as DEC STD 070, chapter 9, says how: strictly, whatever is not in it is an error."""

from __future__ import annotations

import re

import numpy as np

HEAD = re.compile(r'\x1bP0;1q"1;1;(\d+);(\d+)')
PART = re.compile(r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|(\$)|(-)")


def decoded(text: str) -> np.ndarray:
    """The picture, (height, width, 3) in per cent of each colour; NaN where nothing was drawn."""
    head = HEAD.match(text)
    assert head, f"not the beginning of sixels: {text[:20]!r}"
    assert text.endswith("\x1b\\")
    width, height = int(head[1]), int(head[2])
    picture = np.full((height, width, 3), np.nan)
    registers: dict[int, tuple[int, int, int]] = {}
    at, end, colour, column, top = head.end(), len(text) - 2, -1, 0, 0
    while at < end:
        part = PART.match(text, at, end)
        assert part, f"no sixels: {text[at : at + 10]!r}"
        at = part.end()
        if part[1]:
            parts = tuple(int(part[k]) for k in (2, 3, 4))
            assert max(parts) <= 100
            registers[int(part[1])] = parts
        elif part[5]:
            colour = int(part[5])
        elif part[9]:
            column = 0
        elif part[10]:
            column, top = 0, top + 6
        else:
            n, bits = int(part[6] or 1), ord(part[7] or part[8]) - ord("?")
            for row in range(6):
                if bits >> row & 1:
                    assert top + row < height, "below the picture"
                    assert column + n <= width, "beside the picture"
                    picture[top + row, column : column + n] = registers[colour]
            column += n
    assert len(registers) <= 256
    return picture
