"""Long texts at a terminal, one screen at a time: $PAGER, or less where there is one."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess

# Ends by itself where there is room, at the end and by Ctrl-C, shows colours, leaves the text on the screen, and says
# its keys.
LESS = "-FRXEK -PsSPACE shows more, q ends"


def page(text: str) -> bool:
    """Show a text by the pager; false if there is none, and the text is still to be shown."""
    words = shlex.split(os.environ.get("PAGER", "less"))
    if not words or shutil.which(words[0]) is None:
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C belongs to the pager
    try:
        subprocess.run(
            words,
            input=text.encode("utf-8", "replace"),
            env={"LESS": LESS, **os.environ, "LESSSECURE": "1"},  # a command typed too early writes and starts nothing
            check=False,
            preexec_fn=_hear_interrupts,
        )
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return True


def _hear_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
