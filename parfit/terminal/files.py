"""The names of files that may be meant."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from parfit.session.questions import quoted

PATH = re.compile(r'(?:"([^"]*)|([^\s"]*))\Z')  # a path at the end of a text, which may stand in quotes
KINDS = {".ode": "model", ".csv": "data", ".pft": "script", ".png": "picture", ".svg": "picture", ".pdf": "picture"}
MOST_LISTED = 200


def files_like(text: str) -> Iterator[tuple[str, str, int]]:
    """Paths that begin like the last word of a text: each with what it is, and how many characters it replaces.

    Folders end with a slash; hidden files are listed when their point was typed.
    """
    match = PATH.search(text)
    typed = (match[1] if match[1] is not None else match[2]) if match else ""
    folder, start = os.path.split(typed)
    for entry in _entries(os.path.expanduser(folder) or ".", start)[:MOST_LISTED]:
        path = os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "")
        kind = "folder" if entry.is_dir() else KINDS.get(Path(path).suffix.lower(), "file")
        written = quoted(path)
        if entry.is_dir():  # to be gone on with
            written = written.removesuffix('"')
        yield written, kind, len(match[0]) if match else 0


def _entries(folder: str, start: str) -> list[os.DirEntry[str]]:
    """What a folder holds: first what this program reads, then the rest."""
    try:
        with os.scandir(folder) as found:
            shown = [
                each
                for each in found
                if each.name.startswith(start)
                and (start or not each.name.startswith("."))
                and each.name.isprintable()
                and '"' not in each.name
            ]
    except (OSError, ValueError):
        return []
    return sorted(shown, key=lambda each: (Path(each.name).suffix.lower() not in KINDS, each.name))
