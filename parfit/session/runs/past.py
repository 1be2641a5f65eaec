"""The runs there have been: where they are, listed, found again, and removed."""

from __future__ import annotations

import fcntl
import itertools
import math
import os
import re
import shutil
import traceback
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from parfit.errors import ParfitError
from parfit.session.runs.journal import OPENED, STAMP
from parfit.session.runs.run import FILES, INPUTS


class Past(NamedTuple):
    """A run on disk."""

    folder: Path
    changed: datetime
    opened: str
    n_commands: int


def user_folder(variable: str, default: str) -> Path:
    """A folder for the user's files after the XDG conventions: state, configuration or cache."""
    base = os.environ.get(variable, "")
    home = os.environ.get("HOME") or os.path.expanduser("~")
    return (Path(base) if os.path.isabs(base) else Path(home) / default) / "parfit"


def state_folder() -> Path:
    return user_folder("XDG_STATE_HOME", ".local/state")


def personal_script() -> Path:
    """Commands that the user wants every conversation to begin with."""
    return user_folder("XDG_CONFIG_HOME", ".config") / "start.pft"


def new_folder(model: str) -> Path:
    """A folder for a run that begins now."""
    label = re.sub(r"[^\w.-]+", "-", Path(model).stem)[:40] or "model"
    base = state_folder() / "runs" / f"{datetime.now():%Y%m%d-%H%M%S}-{label}-{os.getpid()}"
    others = (base.with_name(f"{base.name}-{k}") for k in itertools.count(2))  # of the same second
    return next(path for path in itertools.chain([base], others) if not path.exists())


def is_chosen(folder: Path) -> bool:
    """Whether somebody said where a run is to be, so that its files are where they are wanted."""
    return (state_folder() / "runs").absolute() not in folder.absolute().parents


def clear(folder: Path) -> None:
    """Remove the run that a folder holds, and nothing else in it."""
    journal = folder / FILES["journal"]
    if not journal.is_file():
        return
    try:
        with open(journal, "ab") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for name in FILES.values():
                (folder / name).unlink(missing_ok=True)
            shutil.rmtree(folder / INPUTS, ignore_errors=True)
    except BlockingIOError:
        raise ParfitError(f"{folder}: the run is in use by another parfit") from None
    except OSError as error:
        raise ParfitError(f"{folder}: the run that it holds cannot be removed: {error.strerror}") from None


def past_runs() -> list[Past]:
    """All runs, the latest first."""
    found = [_past(path.parent) for path in (state_folder() / "runs").glob(f"*/{FILES['journal']}")]
    return sorted((run for run in found if run is not None), key=lambda run: run.changed, reverse=True)


def _past(folder: Path) -> Past | None:
    journal = folder / FILES["journal"]
    if not journal.is_file():  # but a pipe, perhaps, for which one could wait for ever
        return None
    try:
        lines = journal.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        changed = datetime.fromtimestamp(journal.stat().st_mtime).replace(microsecond=0)
    except OSError:
        return None
    opened = " ".join(Path(line[len(OPENED) :]).name for line in lines if line.startswith(OPENED))
    return Past(folder, changed, opened, sum(line.startswith(STAMP) for line in lines))


def find_run(name: str) -> Path:
    """The folder of a run by its path, its name or the beginning of its name; by nothing, the latest."""
    if name and os.path.lexists(Path(name) / FILES["journal"]):
        return Path(name)
    found = [run.folder for run in past_runs() if run.folder.name.startswith(name)]
    if not found:
        raise ParfitError(f"there is no run {name!r} to resume; parfit --runs lists them" if name else NO_RUNS)
    return found[0]


NO_RUNS = "there is no run to resume yet"


def prune(days: float) -> list[Past]:
    """Remove the runs that nothing was added to for so many days, but for those that somebody is at."""
    if not 0 <= days < math.inf:
        raise ParfitError("a number of days, 0 or more, is needed to say which runs are old")
    limit = datetime.now() - min(timedelta(days=min(days, 1e6)), datetime.now() - datetime.min)
    return [run for run in past_runs() if run.changed <= limit and _removed(run.folder)]


def _removed(folder: Path) -> bool:
    """Remove a run, unless it is in use."""
    try:
        with open(folder / FILES["journal"], "ab") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    except OSError:
        return False
    return True


def keep_trace(folder: Path | None = None) -> str:
    """Keep the trace of the exception that is being handled; gives where it can be found."""
    try:
        path = (folder or state_folder()) / "errors.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(traceback.format_exc() + "\n")
    except OSError:
        return "its trace could not be written"
    return f"its trace is in {path}; please report it"
