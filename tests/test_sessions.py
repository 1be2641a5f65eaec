"""The sessions can be played by anyone, as their heads say, twice to the same, and from their own saved scripts."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path

import pytest

from parfit.errors import DONE
from parfit.session.console import Console
from parfit.session.opening import open_run
from parfit.session.runs.run import FILES
from parfit.session.sources import Commands, Script, script_lines

ROOT = Path(__file__).parent.parent
SESSIONS = sorted((ROOT / "sessions").glob("*.pft"))
WHEN = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d")


def opened_by(path: Path) -> list[str]:
    """The model and the data of a session, as its head says."""
    words = re.search(r"^# Replay with: parfit (.*)", path.read_text(encoding="utf-8"), re.M)
    assert words, "it must say how to play it"
    *opened, option, script = shlex.split(words[1])
    assert (option, script) == ("-b", f"sessions/{path.name}")
    return [str(ROOT / word) for word in opened]


def play(path: Path, script: Path, folder: Path, then: tuple[str, ...] = ()) -> dict[str, str]:
    """The report, the graphs and the saved script of a session, or of a script in its place."""
    out = io.StringIO()
    interpreter = open_run(opened_by(path), folder, Console(out, out, quiet=True), debug=True)
    assert interpreter.converse(Script(script_lines(str(script)), script.name)) == DONE, out.getvalue()
    assert interpreter.converse(Commands(then, "> ")) == DONE, out.getvalue()
    interpreter.run.close()
    files = {name: folder / FILES[name] for name in ("report", "graphs", "details", "data")}
    return {name: WHEN.sub("", file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_plays_twice_to_the_same_and_from_its_own_script(path, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # its LOAD commands name models/...
    saved = tmp_path / "saved.pft"
    everything = "REPORT 1 3 10"  # every session ends in a report that says where it came to
    first = play(path, path, tmp_path / "first", (everything, f"SAVE {saved}"))
    again = play(path, path, tmp_path / "again", (everything,))
    replayed = play(path, saved, tmp_path / "replayed")
    assert first == again
    assert first == replayed
    assert re.search(r"^\d+  \w+ +[-\d.]", first["report"], re.M), "the report has no parameters"


def test_a_saved_session_says_how_to_play_it_from_anywhere(tmp_path):
    play(ROOT / "sessions" / "tour.pft", ROOT / "sessions" / "tour.pft", tmp_path / "run", (f"SAVE {tmp_path}/t.pft",))
    head = (tmp_path / "t.pft").read_text(encoding="utf-8").split("\n")[0]
    assert head == f"# Replay with: parfit models/tour.ode models/tour.csv -b {tmp_path}/t.pft"
