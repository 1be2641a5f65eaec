"""Playing a session from its model and data to its end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from parfit.book.comparing import Comparison
from parfit.book.experiment import Experiment
from parfit.book.reading import Reading, Recorder
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.session.interpreter import Interpreter
from parfit.session.opening import open_run

if TYPE_CHECKING:
    from parfit.terminal.prompt import Terminal

FindTerminal = Callable[[Interpreter], "Terminal"]


@dataclass(frozen=True)
class Played:
    """A session that was played: where it ended, its numbers, and whether all of it was played."""

    interpreter: Interpreter
    comparisons: tuple[Comparison, ...]
    left_early: bool


@contextmanager
def played(
    experiment: Experiment, console: Recorder, folder: Path, terminal: FindTerminal | None = None
) -> Iterator[Played]:
    """Play an experiment to its end, and let the run be used until it is closed.

    A command that fails unexpectedly is an error, unless somebody is there who may have caused it and can go on.
    """
    interpreter = open_run(experiment.opened, folder, console)
    try:
        reading = Reading(experiment, interpreter, console, terminal(interpreter) if terminal else None)
        code = interpreter.converse(reading)
        left_early = reading.left_early or interpreter.ended
        if code and terminal is None:
            raise ParfitError(f"{reading.place}: the session stopped here")
        if not code and not left_early:
            reading.refuse_missed()
        yield Played(interpreter, tuple(reading.comparisons), left_early)
    finally:
        interpreter.run.close()


def check(experiment: Experiment) -> tuple[Comparison, ...]:
    """Play an experiment without anybody, and give its numbers."""
    said = StringIO()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with played(experiment, Recorder(said, said, quiet=True), Path(folder) / "run") as result:
                return result.comparisons
        except ParfitError as error:
            raise ParfitError(f"{error}\n{said.getvalue().rstrip()}") from None
