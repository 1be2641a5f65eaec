"""Marks and notes of a run: kept with it, offered to the next run of the same problem, and brought in when asked."""

import json
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from conversation import Session as Conversation
from fingerprints import resumed
from terminals import PREDATOR, PROMPT, Session, folders_of_runs, journal_of, parfit

from parfit.errors import DataError
from parfit.model.language.reader import read_model
from parfit.session.records import Note
from parfit.session.results import Mark
from parfit.session.runs.keepsakes import Keepsakes, as_text, from_text

MODEL, DATA = PREDATOR


def values_in(folder):
    """The marks and notes that a run has left, by name and by text."""
    found = json.loads((folder / "marks.json").read_text())
    return {each["name"]: each["values"] for each in found["marks"]}, [each["text"] for each in found["notes"]]


def test_text_and_back_to_the_last_digit():
    names, numbers = ("a", "b"), np.array([1 / 3, -1e-300])
    kept = Keepsakes(
        (Mark("best", names, numbers, 3.0),), (Note("why? ü", datetime(2026, 1, 2, 3, 4), names, numbers),)
    )
    again = from_text(as_text(kept).encode())
    assert again.told == "1 mark and 1 note"
    (mark,), (note,) = again
    assert (mark.name, mark.names, mark.values.tolist()) == ("best", names, numbers.tolist())
    assert mark.sum_of_squares is None  # it may be another by then
    assert (note.text, note.time, note.values.tolist()) == ("why? ü", datetime(2026, 1, 2, 3, 4), numbers.tolist())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "\xff\x00",
        "[" * 100_000,
        '{"marks": 3}',
        '{"marks": [{"name": 1, "values": {}}], "notes": []}',
        '{"marks": [{"name": "a\\u001b", "values": {}}], "notes": []}',
        '{"marks": [], "notes": [{"text": "x", "time": "yesterday", "values": {}}]}',
    ],
)
def test_other_files_are_refused(text):
    with pytest.raises(DataError, match="does not hold the marks and notes"):
        from_text(text.encode("latin-1"), "x.json")


def test_the_next_run_of_the_same_problem_can_have_them(tmp_path):
    first = parfit(tmp_path, MODEL, DATA, "-e", "SET p1 .75", "-e", "MARK good", "-e", "NOTE p1 is better so")
    assert first.returncode == 0
    (old,) = folders_of_runs(tmp_path)
    marks, notes = values_in(old)
    assert (marks["good"]["p1"], notes) == (0.75, ["p1 is better so"])
    with Session(tmp_path, MODEL, DATA) as user:
        assert "1 mark and 1 note of the run of 20" in user.wait(PROMPT)
        said = user.give("LOAD MARKS")
        assert "good: p1 = 0.75" in said
        assert "p1 is better so" in said
        user.give("RECALL good")
        user.give("QUIT 0", "\\Z")
        assert user.end() == 0
    (new,) = set(folders_of_runs(tmp_path)) - {old}
    assert journal_of(new)[0] == f"LOAD MARKS {old / 'marks.json'}"
    assert values_in(new) == (marks, notes)  # and so it goes on from run to run
    (old / "marks.json").unlink()  # the run has a copy
    assert resumed(new).values[0] == 0.75


def test_a_script_is_not_told_but_may_ask(tmp_path):
    parfit(tmp_path, MODEL, DATA, "-e", "MARK good")
    asked = parfit(tmp_path, MODEL, DATA, "-e", "LOAD MARKS", "-e", "RECALL good")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "brings them in" not in asked.stdout


@pytest.mark.parametrize("command", ["RECALL", "COMPARE"])
def test_who_misses_marks_is_pointed_to_those_of_the_last_run(tmp_path, command):
    noted = parfit(tmp_path, MODEL, DATA, "-e", "NOTE a mark would be good")
    assert noted.returncode == 0
    assert "LOAD MARKS" not in parfit(tmp_path, MODEL, DATA, "-e", command).stderr
    parfit(tmp_path, MODEL, DATA, "-e", "MARK good")
    missed = parfit(tmp_path, MODEL, DATA, "-e", command)
    assert missed.returncode == 1
    assert "LOAD MARKS brings them in" in missed.stderr


def test_of_another_problem_there_are_none(tmp_path):
    session = Conversation(read_model(MODEL), folder=tmp_path)
    assert "no earlier run of this model and data" in session.refused("LOAD MARKS")
    assert "no such file" in session.refused(f"LOAD MARKS {tmp_path}/none.json")
    session.run.close()


def test_own_marks_stay_and_undo_takes_the_others_away(tmp_path):
    session = Conversation(read_model(MODEL), folder=tmp_path)
    session("MARK m1", "SET p1 3", "MARK m2")
    kept = Path(session.run.folder, "marks.json").read_text()
    Path(session.run.folder, "other.json").write_text(kept.replace('"m2"', '"m3"'))
    other = Path(session.run.folder, "other.json")
    session("UNDO 3", "SET p1 5", "MARK m1", f"LOAD MARKS {other}")
    assert {each.name: each.values[0] for each in session.env.marks}["m1"] == 5
    assert {each.name for each in session.env.marks} == {"m1", "m3"}
    session("UNDO")
    assert set(values_in(Path(session.run.folder))[0]) == {"m1"}
    session.run.close()
