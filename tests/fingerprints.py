"""Whether two environments are the same: everything in them as plain values that can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from io import StringIO
from pathlib import Path

import numpy as np

from parfit.awaited import Awaited
from parfit.model.model import Model
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.session.opening import resume_run
from parfit.simulation.trajectory import Trajectory

ELSEWHERE = {"folder", "source"}  # where it was read from, which for a run that is resumed is another place


def fingerprint(value: object) -> object:
    """A value without identity: arrays by their bytes, models by their text, solutions by their numbers."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, Model):
        return value.name, value.source, value.parameters, value.values.tobytes()
    if isinstance(value, Awaited):
        return fingerprint(value())
    if isinstance(value, Trajectory):
        return fingerprint([value.times, value.y, value.s, value.parameters, str(value.status)])
    if is_dataclass(value) and not isinstance(value, type):
        return tuple((f.name, fingerprint(getattr(value, f.name))) for f in fields(value) if f.name not in ELSEWHERE)
    if hasattr(value, "_fields"):
        return tuple((name, fingerprint(getattr(value, name))) for name in value._fields if name not in ELSEWHERE)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Mapping):
        return tuple((key, fingerprint(each)) for key, each in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(fingerprint, value))
    if isinstance(value, float) and value != value:
        return "NaN"
    assert value is None or isinstance(value, str | int | float | frozenset) or hasattr(value, "isoformat"), value
    return value


def resumed(run: Path, warnings: StringIO | None = None) -> Environment:
    """The environment in which a run goes on, with what can be played again of it."""
    console = Console(StringIO(), StringIO() if warnings is None else warnings)
    interpreter = resume_run(run, console, debug=True, go_on=lambda: True)
    interpreter.run.close()
    return interpreter.env
