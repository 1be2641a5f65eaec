"""How a session begins: with a model and data, or where an earlier run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from parfit import data_text
from parfit.commands.problem import tables_of
from parfit.console import Console
from parfit.environment import Environment
from parfit.errors import DONE, ParfitError
from parfit.interpreter import Interpreter
from parfit.journal import Run
from parfit.library import located
from parfit.model.data import is_deck, read_problem
from parfit.model.reader import read_model
from parfit.records import OF_1977, Options
from parfit.sources import Script


def open_run(
    paths: Sequence[str], folder: Path, console: Console, debug: bool = False, keep_going: bool = False
) -> Interpreter:
    """A session that begins with a model and, if there are two paths, data."""
    paths = [located(path) for path in paths]
    run = Run.new(folder, paths, console.warn, of_1977=any(is_deck(path) for path in paths[1:]))
    try:
        env = _environment(run, paths)
        for remark in (*env.model.remarks, *data_text.surprises(env), *data_text.sizes(env)):
            console.warn(f"{paths[0]}: {remark}")
        return Interpreter(env, console, run, debug, keep_going)
    except BaseException:
        run.close()
        raise


def resume_run(folder: Path, console: Console, debug: bool = False, keep_going: bool = False) -> Interpreter:
    """A session that goes on after the last command of an earlier one."""
    run = Run.resumed(folder, console.warn)
    try:
        paths = run.opened()
        if not paths:
            raise ParfitError(f"{folder}: the journal does not say what was opened, so that it cannot be resumed")
        silent = StringIO()  # what was said then is not said again, unless something goes wrong
        interpreter = Interpreter(_environment(run, paths), Console(silent, silent, quiet=True), run, debug)
        code = interpreter.converse(Script(run.replay(), str(folder / "journal.pft")))
        if code != DONE:
            console.warn(silent.getvalue().rstrip())
        run.end_replay(complete=code == DONE)
    except BaseException:
        run.close()
        raise
    interpreter.go_on(console, keep_going)
    return interpreter


def _environment(run: Run, paths: Sequence[str]) -> Environment:
    """What a run begins with; copies of the files are kept with it."""
    source = run.located(paths[0])
    model = read_model(source)
    run.keep_input(paths[0], tables_of(model))
    data = None, None
    if len(paths) > 1:
        data = read_problem(run.located(paths[1]), model)  # type: ignore[assignment]
        run.keep_input(paths[1])
    if run.of_1977 and not any(is_deck(run.located(path)) for path in paths[1:]):  # a journal that knew only 0
        model = replace(model, says_t0=True)
    options = OF_1977 if run.of_1977 else Options()
    return Environment.of(model, *data, folder=str(source.parent), options=options)
