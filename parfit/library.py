"""What comes with the program: the guide, and models and sessions, beside the package or, once installed, in it."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).parent


def shelf(name: str) -> Path:
    """The folder of the models or of the sessions."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name


def located(path: str) -> str:
    """The absolute path of a file; one like `models/enzyme.ode` that is not here is that of the library."""
    full = os.path.abspath(os.path.expanduser(path))
    folder, _, name = path.partition("/")
    if not os.path.exists(full) and folder in ("models", "sessions"):
        ours = shelf(folder) / name
        return str(ours) if ours.exists() else full
    return full


def guide() -> str:
    """The user's guide: which command when."""
    return (PACKAGE / "guide.txt").read_text(encoding="utf-8").rstrip()
