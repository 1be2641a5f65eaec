"""Copies of a run's files for the user: which there are, which somebody asked for, and where they go."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from parfit.errors import ParfitError
from parfit.session.environment import Environment
from parfit.session.runs.run import FILES, Run, unused

USUAL = ("report", "graphs", "weights", "data")  # what QUIT proposes at a terminal
REPORTED = "reports"  # how the run counts the commands that put something into the report because they were asked to


def present(run: Run) -> list[str]:
    """The files that were written, without the journal."""
    if run.folder is None:
        return []
    return [file for file, name in FILES.items() if file != "journal" and (run.folder / name).exists()]


def asked_for(run: Run) -> list[str]:
    """What a script keeps by itself: plots and data that were stored, a report that was asked for.

    What fits put into the report is no reason to leave a folder, but goes along with the rest.
    """
    there = [file for file in USUAL if file in present(run)]
    return there if run.count(REPORTED) or there != ["report"] else []


def folder_for(env: Environment) -> Path:
    """Where copies go: a folder of the current directory, named by model and data."""
    words, data = [env.model.name], env.observations
    if data is not None and data.source and env.creation is None:
        words.append(Path(data.source).stem)
    return Path("-".join([*dict.fromkeys(words), "run"]))


def keep(run: Run, files: Sequence[str], target: Path) -> Path:
    """Copy files of the run to a folder, which gets a number if it exists."""
    assert run.folder is not None
    folder = unused(target)
    try:
        while True:
            try:
                folder.mkdir(parents=True)
                break
            except FileExistsError:  # by another run, since we looked
                folder = unused(target)
        for file in files:
            shutil.copyfile(run.folder / FILES[file], folder / FILES[file])
    except OSError as error:
        raise ParfitError(f"{folder} cannot be written: {error.strerror}; the files are in {run.folder}") from None
    return folder


def told(folder: Path, files: Sequence[str]) -> str:
    """What was kept, and where."""
    return f"kept in {folder}: {', '.join(FILES[file] for file in files)}"
