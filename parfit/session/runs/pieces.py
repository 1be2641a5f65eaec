"""Finished pieces of long work as a file of their run, so that a crash in the middle costs the rest of it only.

A line is the beginning of a command, its end, or a piece that it has finished. A piece has a name that says what it
was computed from, so that it is never taken for another: who gives the command again goes on where it was cut off, and
a run that is played again need not compute it once more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from parfit.session.runs.run import FILES, Run

FILE = "pieces"
BEGUN, ENDED, PIECE, FOUND = "begun", "ended", "piece", "found"


class Pieces:
    """Those of a run, by their names."""

    def __init__(self, run: Run):
        self._run = run
        self._found = {each[PIECE]: each.get(FOUND) for each in _lines(run) if PIECE in each}

    def get(self, piece: str) -> Any:
        """What was found, or None."""
        return self._found.get(piece)

    def put(self, piece: str, found: Any) -> None:
        """Have a piece on the disk."""
        self._found[piece] = found
        self._run.append(FILE, json.dumps({PIECE: piece, FOUND: found}))


@contextmanager
def kept(run: Run, command: str) -> Iterator[Pieces]:
    """While a command works in pieces, these are kept."""
    pieces = Pieces(run)
    run.append(FILE, json.dumps({BEGUN: command}))
    try:
        yield pieces
    finally:
        run.append(FILE, json.dumps({ENDED: command}))


def cut_off(run: Run) -> list[str]:
    """A line that says which command was cut off, if one was, and how much of it is there."""
    command, n = "", 0
    for each in _lines(run):
        if BEGUN in each:
            command, n = str(each[BEGUN]), 0
        elif ENDED in each:
            command = ""
        else:
            n += 1
    if not command or not n:
        return []
    return [
        f"{command} was cut off, and {n} finished piece{'s' * (n != 1)} of it {'are' if n > 1 else 'is'} kept: "
        "given again, it goes on from there"
    ]


def _lines(run: Run) -> Iterator[dict[str, Any]]:
    """What the file says; a line that was cut off says nothing."""
    if run.folder is None:
        return
    try:
        text = (run.folder / FILES[FILE]).read_text("utf-8", "replace")
    except OSError:
        return
    for line in text.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found
