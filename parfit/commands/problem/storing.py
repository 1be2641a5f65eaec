"""Files that a command stores with the run, and that another finds again."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from parfit.session.dialogue import Dialogue
from parfit.session.runs.run import FILES, Run


def store(ask: Dialogue, file: str, text: str, reading: str) -> None:
    """Write a file of the run, if the command succeeds, and say where it is and what reads it."""
    ask.effects.append(partial(ask.run.replace, file, text))
    if ask.run.folder is not None and not ask.run.replaying:
        ask.say(f"stored in {ask.run.folder / FILES[file]}; {reading} reads it")


def found(run: Run, path: str) -> str:
    """A file that is asked for by its name: the one that is there, or else the one that this run stored."""
    if run.folder is None or path not in FILES.values() or os.path.exists(path):
        return path
    own = run.folder / path
    return str(own) if Path(own).exists() else path
