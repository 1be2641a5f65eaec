"""How a session begins: with a model and data, or where an earlier run ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from parfit.data.loading import is_deck, read_experiments
from parfit.errors import DONE, ParfitError
from parfit.formats.kinds import is_petab, read_model
from parfit.library import from_library
from parfit.live.bar import working
from parfit.session.console import Console
from parfit.session.environment import Environment
from parfit.session.interpreter import Interpreter
from parfit.session.records import OF_1977, Options
from parfit.session.runs.run import FILES, INPUTS, Run
from parfit.session.sources import Script
from parfit.text import observations
from parfit.text.report import counted


def open_run(
    paths: Sequence[str], folder: Path, console: Console, debug: bool = False, keep_going: bool = False
) -> Interpreter:
    """A session that begins with a model and data, if there are more paths."""
    paths = [from_library(path) for path in paths]
    run = Run.new(folder, paths, console.warn)
    try:
        env = _environment(run, paths)
        for remark in (*env.model.remarks, *observations.remarks(env)):
            console.warn(f"{paths[0]}: {remark}")
        return Interpreter(env, console, run, debug, keep_going)
    except BaseException:
        run.close()
        raise


def resume_run(
    folder: Path,
    console: Console,
    debug: bool = False,
    keep_going: bool = False,
    go_on: Callable[[], bool] = lambda: False,
) -> Interpreter:
    """A session that goes on after the last command of an earlier one.

    If not all of it can be played again, that is told, and `go_on` decides whether to go on with what was reached;
    otherwise the run is left as it is.
    """
    run = Run.resumed(folder, console.warn)
    try:
        paths = run.opened()
        if not paths:
            raise ParfitError(f"{folder}: {_without_head(run)}")
        silent = StringIO()  # what was said then is not said again, unless something goes wrong
        interpreter = Interpreter(_environment(run, paths), Console(silent, silent, quiet=True), run, debug)
        complete = _play(interpreter, console) and not run.damage
        if not complete:
            console.warn(_told(run, silent.getvalue().rstrip()))
            if not go_on():
                raise ParfitError(f"{folder} was not resumed, and is as it was")
        run.end_replay(complete)
    except BaseException:
        run.close()
        raise
    interpreter.go_on(console, keep_going)
    for path in run.changed_files():
        console.warn(f"{path} has changed since the run read it; the run goes on with its copy, LOAD reads it again")
    return interpreter


def _play(interpreter: Interpreter, console: Console) -> bool:
    """Do the commands of a run again; gives whether all succeeded."""
    run = interpreter.run
    assert run.folder is not None
    with working(console, "PLAYING THE RUN AGAIN") as tell:
        for k, entry in enumerate(run.replay()):
            tell(k / run.n_to_play)
            if interpreter.converse(Script(entry.lines, str(run.folder / FILES["journal"]), entry.line)) != DONE:
                return False
    return True


def _told(run: Run, error: str) -> str:
    """Why a run cannot be resumed as a whole, and what of it was recovered."""
    assert run.folder is not None
    journal = run.folder / FILES["journal"]
    if not error:
        error = f"{journal}: damaged at {run.damage}: it is not what was written there"
    recovered = f"the {counted(run.n_played, 'command')} before it" if run.n_played else "nothing before it"
    return f"{error}\n{recovered} could be played again; what follows it cannot"


def _without_head(run: Run) -> str:
    if not run.damage:
        return "the journal does not say what was opened, so that it cannot be resumed"
    assert run.folder is not None
    return (
        f"the journal is damaged at {run.damage}, and does not say for certain what was opened; the commands can be "
        f"given again by parfit MODEL DATA -b {run.folder / FILES['journal']}, with the files in {run.folder / INPUTS}"
    )


def _environment(run: Run, paths: Sequence[str]) -> Environment:
    """What a run begins with; copies of the files are kept with it."""
    if is_petab(paths[0], run.read):
        return _problem(run, paths)
    model = read_model(paths[0], run.read)
    data = read_experiments(paths[1:], model, run.read)
    has_deck = any(is_deck(path, run.read) for path in paths[1:])
    if not run.replaying:
        run.of_1977 = has_deck
    run.begun()  # all that belongs to the opening has been read
    if run.of_1977 and not has_deck:  # a journal that knew only 0
        model = replace(model, says_t0=True)
    options = OF_1977 if run.of_1977 else Options()
    return Environment.of(model, *data, folder=str(Path(paths[0]).parent), options=options)


def _problem(run: Run, paths: Sequence[str]) -> Environment:
    """What a run begins with that opens a problem of another program, which has data of its own."""
    from parfit.session.adoption import read_environment

    if paths[1:]:
        raise ParfitError(f"{paths[0]} has data of its own, so that {paths[1]} has no place; give the problem alone")
    env = read_environment(paths[0], run.read)
    run.begun()
    return env
