"""Nothing that can be typed ends the program, confuses it, or changes what a command that failed has left alone."""

import os
from io import StringIO
from itertools import count
from pathlib import Path

import hostile
import pytest
from hostile import NAMES, Lines, Typist, a_script, converse, furnish, in_time

from parfit import load_model
from parfit.commands import TABLE
from parfit.errors import DONE, FAILED, CommandError, EndSession
from parfit.session.console import Console
from parfit.session.opening import open_run
from parfit.session.sources import Script

LINES = 60  # of a conversation
# Conversations with each model and kind of source; for a long run by hand give a number such as 200.
CONVERSATIONS = int(os.environ.get("PARFIT_HOSTILE", "2"))


def no_cluster(where, n=0):
    raise CommandError(f"nobody answers at {where}")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A function that makes folders in which nothing that is typed can do harm, and goes there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "kill", lambda process, number: None)  # SUSP
    monkeypatch.setattr("parfit.session.editor.subprocess.call", lambda words: 0)  # MODEL EDIT
    monkeypatch.setattr("parfit.estimation.strategies.workers.connect", no_cluster)
    monkeypatch.setattr("os.fsync", lambda number: None)  # which would take most of the time
    numbers = count()

    def fresh(name):
        folder = tmp_path / str(next(numbers))
        furnish(folder, name)
        monkeypatch.chdir(folder)
        return folder

    return fresh


@pytest.mark.parametrize("make_source", [a_script, Typist])
@pytest.mark.parametrize("name", NAMES)
def test_hostile_lines(place, name, make_source):
    model = load_model(hostile.MODELS / f"{name}.ode")
    n_obeyed = 0
    for seed in range(CONVERSATIONS):
        folder = place(name)
        given = Lines(seed, (*model.parameters, *model.states)).some(LINES)
        obeyed, failed = converse(folder, given, make_source)
        assert failed < obeyed or obeyed < 5, "most lines are wrong, but not all"
        n_obeyed += obeyed
        others = {path.name for path in folder.parent.iterdir() if not path.name.isdigit()}
        assert others == set(), "it writes here alone"
    assert n_obeyed > CONVERSATIONS * LINES / 12


def test_every_command_is_reached(place):
    """Each with each of its examples, so that random lines begin from what works."""
    folder = place("two-steps")
    interpreter = open_run(["model.ode", "data.csv"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    reached = set()
    for command in TABLE.commands:
        for example in command.examples:
            with in_time():
                try:
                    reached |= {command.name} if interpreter.obey(example, Script([])) in (DONE, FAILED) else set()
                except EndSession:
                    reached.add(command.name)
    interpreter.run.close()
    assert reached == {command.name for command in TABLE.commands}
    assert Path("run").is_dir()


def test_a_script_cannot_be_saved_under_any_name(place):
    folder = place("two-steps")
    interpreter = open_run(["model.ode"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    try:
        assert interpreter.obey(f"SAVE {'x' * 300}", Script([])) == FAILED
    finally:
        interpreter.run.close()


def test_an_exception_would_be_seen(place):
    """That the test can fail: a command with a mistake."""
    folder = place("two-steps")
    interpreter = open_run(["model.ode"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    with pytest.raises(TypeError):
        interpreter.obey("SET 1 3", NoSource())
    interpreter.run.close()


class NoSource:
    interactive = property(lambda self: 1 + "")
    place = property(lambda self: 1 + "")
