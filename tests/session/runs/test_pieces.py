"""Finished pieces of long work: found again after kill -9, and never taken for others."""

import os
import signal
from io import StringIO

import numpy as np
import pytest
from conversation import Session

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.console import Console
from parfit.session.opening import open_run, resume_run
from parfit.session.runs.pieces import Pieces, cut_off, kept
from parfit.session.runs.run import Run
from parfit.session.sources import Commands

X = np.arange(8.0)
Y = 2.0 * np.exp(-0.5 * X) + np.array([0.05, -0.08, 0.03, 0.06, -0.04, -0.02, 0.07, -0.05])
MODEL = "par a=2, k=.5\ny'=-k*y\ninit y=a\ndone\n"


@pytest.fixture
def run(tmp_path):
    found = Run.new(tmp_path / "run", [], lambda text: None)
    yield found
    found.close()


def test_pieces_are_found_again_with_every_digit(run):
    with kept(run, "BOOT 20") as new:
        new.put("x:1", {"p": [0.1 + 0.2, 1e-300]})
        assert "BOOT 20 was cut off, and 1 finished piece of it is kept" in cut_off(run)[0]
    assert Pieces(run).get("x:1") == {"p": [0.1 + 0.2, 1e-300]}
    assert Pieces(run).get("x:2") is None
    assert cut_off(run) == []


def test_a_line_that_was_cut_off_says_nothing(run):
    with kept(run, "BOOT 20") as new:
        new.put("x:1", 1)
    path = run.folder / "pieces.jsonl"
    path.write_bytes(path.read_bytes() + b'{"piece": "x:2", "fou')
    assert (Pieces(run).get("x:1"), Pieces(run).get("x:2")) == (1, None)


def test_a_run_in_which_nothing_succeeded_leaves_nothing(run):
    with kept(run, "BOOT 20") as new:
        new.put("x:1", 1)
    run.close()
    assert not run.folder.exists()


def test_without_a_folder_nothing_is_kept_on_disk():
    with kept(Run(), "BOOT 20") as new:
        new.put("x:1", 1)
        assert new.get("x:1") == 1
    assert cut_off(Run()) == []


@pytest.mark.parametrize("experiment", ["", "one"])
@pytest.mark.parametrize(("line", "n"), [("BOOT 30", 12), ("PROFILE", 3)])
def test_kill_9_in_the_middle_keeps_what_was_finished(tmp_path, monkeypatch, line, n, experiment):
    (tmp_path / "decay.ode").write_text(MODEL)
    first = "experiment," if experiment else ""
    rows = "\n".join(f"{experiment}{',' * bool(first)}{t},{y}" for t, y in zip(X, Y, strict=True))
    (tmp_path / "decay.csv").write_text(f"{first}t,y\n{rows}\n")
    monkeypatch.chdir(tmp_path)
    child = os.fork()
    if child == 0:
        try:
            whole, count = Pieces.put, iter(range(1, 10_000))

            def put(self, piece, found):
                whole(self, piece, found)
                if next(count) == n:
                    os.kill(os.getpid(), signal.SIGKILL)

            monkeypatch.setattr(Pieces, "put", put)
            opened = open_run(["decay.ode", "decay.csv"], tmp_path / "run", Console(StringIO(), StringIO()))
            opened.converse(Commands(["FIT MORE", line], "> "))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    resumed = resume_run(tmp_path / "run", Console(StringIO(), StringIO()))
    assert [each.split()[0] for each in resumed.run.entries()] == ["FIT"]
    assert f"{n} finished pieces of it are kept" in cut_off(resumed.run)[0]
    put = Pieces.put
    new = []
    monkeypatch.setattr(Pieces, "put", lambda self, piece, found: (new.append(piece), put(self, piece, found)))
    assert resumed.converse(Commands([line], "> ")) == 0
    assert len(new) == {"BOOT 30": 30, "PROFILE": 4}[line] - n
    assert cut_off(resumed.run) == []
    session = Session(Model.from_text(MODEL, "decay"), make_observations(X, ["y"], Y[:, np.newaxis]))
    session("FIT MORE", line)
    if line == "PROFILE":
        assert [each.limits for each in resumed.env.profiles] == [each.limits for each in session.env.profiles]
    else:
        assert resumed.env.bootstrap.points.tobytes() == session.env.bootstrap.points.tobytes()
    resumed.run.close()
