"""Text in the user's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from parfit.errors import ParfitError


def _editor() -> list[str]:
    """The command that starts the editor."""
    wanted = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        return shlex.split(wanted) or ["vi"]
    except ValueError as error:
        raise ParfitError(f"the editor {wanted!r} cannot be started: {error}; set EDITOR") from None


def edit_text(text: str, suffix: str) -> str:
    """The text as it comes back from $VISUAL or $EDITOR."""
    words = _editor()
    with tempfile.TemporaryDirectory(prefix="parfit-") as folder:
        path = Path(folder) / f"model{suffix}"
        path.write_text(text, encoding="utf-8")
        try:
            code = subprocess.call([*words, str(path)])
        except OSError as error:
            raise ParfitError(f"the editor {words[0]} cannot be started: {error.strerror}; set EDITOR") from None
        if code != 0:
            raise ParfitError(f"the editor {words[0]} ended with code {code}; nothing was changed")
        return path.read_text(encoding="utf-8", errors="replace")
