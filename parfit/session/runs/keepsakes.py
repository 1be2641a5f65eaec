"""Marks and notes as a file of their run, so that a later run of the same problem can have them too."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parfit.arrays import Array, read_only
from parfit.errors import DataError, StateError
from parfit.session.carrying import marks_of
from parfit.session.environment import Environment
from parfit.session.paths import full, in_one_line
from parfit.session.records import Note
from parfit.session.results import Mark
from parfit.session.runs.journal import OPENED
from parfit.session.runs.past import state_folder
from parfit.session.runs.run import FILES, Run

FILE = "marks"
MARKS, NOTES = "marks", "notes"
LARGEST = 10_000_000  # bytes; more is no such file


class Keepsakes(NamedTuple):
    """What one run has left for others."""

    marks: tuple[Mark, ...]
    notes: tuple[Note, ...]

    @property
    def told(self) -> str:
        """How many there are of both."""
        counts = [(len(self.marks), "mark"), (len(self.notes), "note")]
        return " and ".join(f"{n} {noun}{'s' * (n != 1)}" for n, noun in counts if n)


def of(env: Environment) -> Keepsakes:
    """The marks and notes of a session, without those that the model file itself has."""
    own = {each.name.lower(): each.values.tolist() for each in marks_of(env.model)}
    marks = tuple(each for each in env.marks if own.get(each.name.lower()) != each.values.tolist())
    return Keepsakes(marks, env.notes)


def follow(run: Run, before: Environment, after: Environment) -> None:
    """Have the file of the run hold the present marks and notes."""
    if after.marks is not before.marks or after.notes is not before.notes:
        run.replace(FILE, as_text(of(after)))


def with_keepsakes(env: Environment, found: Keepsakes) -> tuple[Environment, Keepsakes]:
    """The session with what it does not have yet, and that; its own marks stay where the names are the same."""
    names = {each.name.lower() for each in env.marks}
    written = {(each.text, each.time) for each in env.notes}
    new = Keepsakes(
        tuple(each for each in found.marks if each.name.lower() not in names),
        tuple(each for each in found.notes if (each.text, each.time) not in written),
    )
    for mark in new.marks:
        env = env.with_mark(mark)
    return replace(env, notes=(*new.notes, *env.notes)), new


# ---- the runs before


def earlier(run: Run) -> Path:
    """The file of the last run before this one that was opened with the same model and data."""
    for path in _latest_first((state_folder() / "runs").glob(f"*/{FILES[FILE]}")):
        if path.parent != run.folder and _opened(path.parent) == [in_one_line(full(each)) for each in run.opened()]:
            return path
    raise StateError("no earlier run of this model and data has left marks or notes")


def offer(run: Run) -> str:
    """A line that says what an earlier run has left, and how to get it; nothing if there is none."""
    try:
        path = earlier(run)
        told = from_text(path.read_bytes(), path).told
        when = datetime.fromtimestamp(path.stat().st_mtime)
    except (StateError, DataError, OSError):
        return ""
    return f"{told} of the run of {when:%Y-%m-%d %H:%M}: LOAD MARKS brings them in" if told else ""


def require(env: Environment, run: Run, *needs: str) -> None:
    """What an environment is required to have; where it has no marks, those of an earlier run are pointed to."""
    try:
        env.require(*needs)
    except StateError as error:
        left = offer(run) if MARKS in needs and not env.marks else ""
        raise (
            StateError("nothing has been marked in this run yet", left) if "mark" in left.split(":")[0] else error
        ) from None


def _latest_first(paths: Iterable[Path]) -> list[Path]:
    def changed(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:  # removed since
            return 0.0

    return sorted(paths, key=changed, reverse=True)


def _opened(folder: Path) -> list[str]:
    """The names of model and data in the journal of a run."""
    try:
        lines = (folder / FILES["journal"]).read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return []
    return [line[len(OPENED) :] for line in lines if line.startswith(OPENED)]


# ---- as text


def as_text(kept: Keepsakes) -> str:
    """Marks and notes as JSON, every number to its last digit."""
    marks = [{"name": each.name, "values": _by_name(each.names, each.values)} for each in kept.marks]
    notes = [
        {"text": each.text, "time": each.time.isoformat(), "values": _by_name(each.names, each.values)}
        for each in kept.notes
    ]
    return json.dumps({MARKS: marks, NOTES: notes}, indent=1) + "\n"


def from_text(data: bytes, path: str | Path = "") -> Keepsakes:
    """What `as_text` wrote; anything else is a `DataError`."""
    if len(data) > LARGEST:
        raise DataError("is too large to hold marks and notes", path)
    try:
        found = json.loads(data)
        marks = [Mark(_word(each["name"]), *_values(each["values"]), None) for each in found[MARKS]]
        notes = [
            Note(_word(each["text"]), datetime.fromisoformat(each["time"]), *_values(each["values"]))
            for each in found[NOTES]
        ]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise DataError(f"does not hold the marks and notes of a run; expected {FILES[FILE]} of one", path) from None
    return Keepsakes(tuple(marks), tuple(notes))


def _by_name(names: Sequence[str], values: Array) -> dict[str, float | None]:
    return {
        name: number if math.isfinite(number) else None for name, number in zip(names, values.tolist(), strict=True)
    }


def _values(found: dict[str, Any]) -> tuple[tuple[str, ...], Array]:
    values = [math.nan if number is None else float(number) for number in found.values()]
    return tuple(map(_word, found)), read_only(np.array(values, dtype=float))


def _word(text: object) -> str:
    if not isinstance(text, str) or not text.isprintable():
        raise ValueError
    return text
