"""What comes with the program: the guide, and models and sessions, beside the package or, once installed, in it."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).parent
SHELVES = ("models/", "sessions/")


def shelf(name: str) -> Path:
    """The folder of the models or of the sessions."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def ours(path: str) -> str:
    """The path of a file of the library, like `models/enzyme.ode`."""
    folder, _, name = path.partition("/")
    return str(shelf(folder) / name)


def from_library(path: str) -> str:
    """A path as it was given; one like `models/enzyme.ode` that leads nowhere from here is that of the library."""
    is_ours = path.startswith(SHELVES) and not os.path.exists(path) and os.path.exists(ours(path))
    return ours(path) if is_ours else path


def named(path: str) -> str:
    """How a file is called from anywhere: one of the library by its place there, another by its full path."""
    full = Path(path).absolute()
    folder = full.parent.name
    return f"{folder}/{full.name}" if f"{folder}/" in SHELVES and full.parent == shelf(folder) else str(full)


def guide() -> str:
    """The user's guide: which command when."""
    return (PACKAGE / "guide.txt").read_text(encoding="utf-8").rstrip()
