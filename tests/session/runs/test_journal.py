"""The files of a run by themselves: journal, copies of what was read, and what is kept."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from parfit.errors import ParfitError
from parfit.session.runs.keeping import keep, present
from parfit.session.runs.past import find_run, new_folder, past_runs, personal_script, prune, user_folder
from parfit.session.runs.run import FILES, Run


@pytest.fixture
def said():
    return []


@pytest.fixture
def run(tmp_path, said):
    opened = Run.new(tmp_path / "run", ["model.ode", "data.csv"], said.append)
    yield opened
    opened.close()


def replayed(run):
    return [line for entry in run.replay() for line in entry.lines]


# ---- the journal


def test_what_was_recorded_is_on_disk_at_once(run, tmp_path):
    run.record("SET p1 3")
    assert "\nSET p1 3\n" in (tmp_path / "run" / "journal.pft").read_text()
    run.record("MODEL TEXT\n| par k=1\n| x'=-k*x")
    assert run.entries() == ["SET p1 3", "MODEL TEXT", "| par k=1", "| x'=-k*x"]
    assert run.opened() == [os.path.abspath("model.ode"), os.path.abspath("data.csv")]


def test_a_recorded_command_has_been_handed_to_the_disk(run, monkeypatch):
    run.record("SET p1 2")
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    run.record("SET p1 3")
    assert len(synced) == 1


def test_the_time_of_a_command_is_the_same_then_and_when_it_is_played_again(run, tmp_path, monkeypatch):
    """Though it may end in another second than it began in."""
    clock = iter([datetime(2026, 1, 2, 3, 4, second) for second in (5, 6, 7, 8, 9)])

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return next(clock)

    monkeypatch.setattr("parfit.session.runs.run.datetime", Clock)
    times = []
    for _ in range(2):
        run.begin()
        times.append(run.now())
        run.record("NOTE x")
    assert [time.second for time in times] == [5, 6]
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    assert [again.now() for entry in again.replay() if entry.lines == ("NOTE x",)] == times
    again.close()


@pytest.mark.parametrize(
    "text", ["NOTE \N{GREEK SMALL LETTER ALPHA} é", "NOTE a\x0bb\x85c\u2028d", "NOTE a\rb", "NOTE \udcff"]
)
def test_a_line_stays_a_line(text, run, tmp_path):
    run.record(text)
    run.record("SET p1 3")
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    assert replayed(again) == [text, "SET p1 3"]
    again.close()


def test_a_folder_holds_one_run(run, tmp_path):
    with pytest.raises(ParfitError, match="holds a run already"):
        Run.new(tmp_path / "run", ["other.ode"], print)
    with pytest.raises(ParfitError, match="holds no run"):
        Run.resumed(tmp_path, print)


def test_a_resumed_run_in_which_nothing_was_done_stays(run, tmp_path):
    run.record("SET p1 3")
    run.close()
    Run.resumed(tmp_path / "run", print).close()
    assert (tmp_path / "run" / "journal.pft").exists()


def test_without_a_folder_nothing_is_written_but_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.ode").write_text("x'=1")
    run = Run()
    assert run.read("model.ode") == b"x'=1"
    run.record("SET p1 3")
    run.append("report", "x")
    assert run.entries() == ["SET p1 3"]
    assert present(run) == []
    run.close()
    assert [path.name for path in tmp_path.rglob("*")] == ["model.ode"]


def test_trouble_is_told_once(run, tmp_path, said):
    run.record("SET p1 3")
    (tmp_path / "run" / "report.txt").mkdir()
    run.append("report", "x")
    run.append("report", "x")
    run.record("SET p1 4")
    assert len(said) == 1
    assert "Is a directory" in said[0]
    assert "SET p1 4" not in (tmp_path / "run" / "journal.pft").read_text()


# ---- what was read


def test_each_command_reads_again_what_it_read(run, tmp_path):
    source = tmp_path / "x.csv"
    for text in ("one", "two", "one"):
        source.write_text(text)
        run.begin()
        assert run.read(str(source)) == text.encode()
        run.record(f"LOAD DATA {source}")
    source.unlink()
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    assert [again.read(str(source)) for _ in again.replay()] == [b"one", b"two", b"one"]
    with pytest.raises(ParfitError, match="the journal does not say what it held"):
        again.read(str(tmp_path / "other.csv"))
    again.end_replay(complete=True)
    with pytest.raises(ParfitError, match="no such file"):
        again.read(str(source))
    again.close()


def test_a_command_reads_a_file_once(run, tmp_path):
    source = tmp_path / "x.csv"
    source.write_text("one")
    run.begin()
    assert run.read(str(source)) == b"one"
    source.write_text("two")
    assert run.read(str(source)) == b"one", "and what is copied is what was read"
    run.begin()
    assert run.read(str(source)) == b"two"


def test_a_command_that_fails_keeps_no_copy(run, tmp_path):
    (tmp_path / "x.csv").write_text("one")
    run.begin()
    run.read(str(tmp_path / "x.csv"))
    run.begin()
    run.record("SET p1 3")
    assert not (tmp_path / "run" / "inputs").exists()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [(Path.unlink, "is gone"), (lambda copy: copy.write_text("ona"), "was changed after it had been made")],
)
def test_a_copy_that_is_gone_or_changed_is_told(spoil, message, run, tmp_path):
    source = tmp_path / "x.csv"
    source.write_text("one")
    run.begin()
    run.read(str(source))
    run.record(f"LOAD DATA {source}")
    run.close()
    (copy,) = (path for path in (tmp_path / "run" / "inputs").rglob("*") if path.is_file())
    spoil(copy)
    again = Run.resumed(tmp_path / "run", lambda text: None)
    for _ in again.replay():
        with pytest.raises(ParfitError, match=message):
            again.read(str(source))
    again.close()


# ---- what is kept


def test_kept_files_get_a_folder_of_their_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run.append("report", "a report")
    Path("m-run-2").symlink_to("nowhere")
    assert present(run) == ["report"]
    assert [keep(run, ["report"], Path("m-run")).name for _ in range(3)] == ["m-run", "m-run-3", "m-run-4"]
    assert Path("m-run-4", FILES["report"]).read_text() == "a report\n"


def test_where_nothing_can_be_kept_the_run_says_where_it_is(run, tmp_path):
    run.append("report", "a report")
    (tmp_path / "file").write_text("")
    with pytest.raises(ParfitError, match="cannot be written: Not a directory; the files are in"):
        keep(run, ["report"], tmp_path / "file" / "x")


# ---- the runs there have been


@pytest.mark.parametrize(("given", "expected"), [("/x", "/x/parfit"), ("", "/h/.local/state/parfit"), ("rel", None)])
def test_folders_follow_the_conventions(given, expected, monkeypatch):
    """XDG Base Directory Specification: a relative path is invalid and to be ignored."""
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.setenv("XDG_STATE_HOME", given)
    assert str(user_folder("XDG_STATE_HOME", ".local/state")) == (expected or "/h/.local/state/parfit")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/c")
    assert personal_script() == Path("/c/parfit/start.pft")


@pytest.mark.parametrize(
    "model", ["enzyme.ode", "a/b c/ä ö.ode", "/" + "x" * 300 + ".ode", "..ode", ".ode", "-", "a\nb.ode"]
)
def test_a_run_is_named_after_its_model(model, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = new_folder(model)
    folder.mkdir(parents=True)
    assert folder.parent == tmp_path / "parfit" / "runs"
    assert len(folder.name) < 100
    assert " " not in folder.name


def test_folders_that_hold_no_run_are_passed_over(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert past_runs() == []
    runs = tmp_path / "parfit" / "runs"
    (runs / "empty").mkdir(parents=True)
    (runs / "odd" / "journal.pft").mkdir(parents=True)
    (runs / "file").write_text("")
    assert past_runs() == []
    assert prune(0) == []
    with pytest.raises(ParfitError, match="there is no run to resume yet"):
        find_run("")
