"""The runs there have been: where they are, listed, found again, and removed."""

from __future__ import annotations

import os
import re
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from parfit.errors import ParfitError
from parfit.journal import FILES, INPUT, STAMP


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
    return state_folder() / "runs" / f"{datetime.now():%Y%m%d-%H%M%S}-{label}-{os.getpid()}"


def past_runs() -> list[Past]:
    """All runs, the latest first."""
    found = [_past(path.parent) for path in (state_folder() / "runs").glob(f"*/{FILES['journal']}")]
    return sorted((run for run in found if run is not None), key=lambda run: run.changed, reverse=True)


def _past(folder: Path) -> Past | None:
    try:
        journal = folder / FILES["journal"]
        lines = journal.read_text(encoding="utf-8", errors="replace").splitlines()
        changed = datetime.fromtimestamp(journal.stat().st_mtime).replace(microsecond=0)
    except OSError:
        return None
    opened = " ".join(Path(line[len(INPUT) :]).name for line in lines if line.startswith(INPUT))
    return Past(folder, changed, opened, sum(line.startswith(STAMP) for line in lines))


def find_run(name: str) -> Path:
    """The folder of a run by its path, its name or the beginning of its name; by nothing, the latest."""
    if name and (Path(name) / FILES["journal"]).exists():
        return Path(name)
    found = [run.folder for run in past_runs() if run.folder.name.startswith(name)]
    if not found:
        raise ParfitError(f"there is no run {name!r} to resume; parfit --runs lists them" if name else NO_RUNS)
    return found[0]


NO_RUNS = "there is no run to resume yet"


def prune(days: float) -> list[Past]:
    """Remove the runs that nothing was added to for so many days."""
    limit = datetime.now() - timedelta(days=days)
    old = [run for run in past_runs() if run.changed < limit]
    for run in old:
        shutil.rmtree(run.folder, ignore_errors=True)
    return old
