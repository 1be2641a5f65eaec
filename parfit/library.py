"""What comes with the program: the guide, and models and sessions, beside the package or, once installed, in it."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).parent
SHELVES = ("models", "sessions")


def shelf(name: str) -> Path:
    """The folder of the models or of the sessions."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def located(path: str) -> str:
    """A path as it was given; one like `models/enzyme.ode` that leads nowhere from here is that of the library."""
    folder, _, name = path.partition("/")
    ours = shelf(folder) / name if folder in SHELVES else None
    return str(ours) if ours is not None and ours.exists() and not os.path.exists(path) else path


def guide() -> str:
    """The user's guide: which command when."""
    return (PACKAGE / "guide.txt").read_text(encoding="utf-8").rstrip()
