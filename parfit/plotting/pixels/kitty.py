"""A PNG in the graphics protocol of kitty, which other terminals speak as well.

https://sw.kovidgoyal.net/kitty/graphics-protocol/
"""

from __future__ import annotations

from base64 import standard_b64encode

CHUNK = 4096  # characters of base64 in one command, at most
BEGIN, END = "\x1b_G", "\x1b\\"
PLACEHOLDER = "\U0010eeee"
# The marks above a placeholder that number its row, in kitty's order (rowcolumn-diacritics.txt): as many as a screen
# that anybody has needs.
ROW_MARKS = (
    "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357"
    "\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484"
    "\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1"
    "\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615\u0616\u0617\u0657\u0658"
)


def kitty(png: bytes, columns: int, lines: int) -> str:
    """What shows the picture in so many cells from the cursor on; the terminal answers nothing (q=2)."""
    return "".join(_commands(png, f"a=T,f=100,q=2,c={columns},r={lines}"))


def kitty_within_tmux(png: bytes, columns: int, lines: int, number: int) -> str:
    """The same through tmux, which moves text only: the picture is sent past it, under a number of 24 bits.

    Its place is held by characters whose colour is that number and whose marks say which row of it they show.
    """
    lines = min(lines, len(ROW_MARKS))
    sent = _commands(png, f"a=T,U=1,i={number},f=100,q=2,c={columns},r={lines}")
    colour = f"\x1b[38;2;{number >> 16 & 255};{number >> 8 & 255};{number & 255}m"
    rows = [PLACEHOLDER + mark + ROW_MARKS[0] + PLACEHOLDER * (columns - 1) for mark in ROW_MARKS[:lines]]
    return "".join(map(past_tmux, sent)) + "\n".join(f"{colour}{row}\x1b[39m" for row in rows)


def past_tmux(text: str) -> str:
    """What tmux passes on to the terminal as it is, if it is allowed to."""
    return "\x1bPtmux;" + text.replace("\x1b", "\x1b\x1b") + END


def _commands(png: bytes, how: str) -> list[str]:
    """The picture in pieces, of which all but the last say that more is to come."""
    text = standard_b64encode(png).decode("ascii")
    pieces = [text[k : k + CHUNK] for k in range(0, len(text), CHUNK)] or [""]
    heads = [how, *["q=2"] * (len(pieces) - 1)]
    return [
        f"{BEGIN}{head},m={int(k < len(pieces) - 1)};{piece}{END}"
        for k, (head, piece) in enumerate(zip(heads, pieces, strict=True))
    ]
