"""The files of a run by themselves: journal, copies of what was read, and what is kept."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from parfit.errors import ParfitError
from parfit.journal import FILES, Run
from parfit.runs import find_run, new_folder, past_runs, personal_script, prune, user_folder


@pytest.fixture
def said():
    return []


@pytest.fixture
def run(tmp_path, said):
    opened = Run.new(tmp_path / "run", ["model.ode", "data.csv"], said.append)
    yield opened
    opened.close()


def replayed(run):
    return [line for line in run.replay() if not line.startswith("#")]


# ---- the journal


def test_what_was_recorded_is_on_disk_at_once(run, tmp_path):
    run.record("SET p1 3")
    assert "\nSET p1 3\n" in (tmp_path / "run" / "journal.pft").read_text()
    run.record("MODEL TEXT\n| par k=1\n| x'=-k*x")
    assert run.entries() == ["SET p1 3", "MODEL TEXT", "| par k=1", "| x'=-k*x"]
    assert run.opened() == [os.path.abspath("model.ode"), os.path.abspath("data.csv")]


def test_a_recorded_command_has_been_handed_to_the_disk(run, monkeypatch):
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

    monkeypatch.setattr("parfit.journal.datetime", Clock)
    times = []
    for _ in range(2):
        run.begin()
        times.append(run.now())
        run.record("NOTE x")
    assert [time.second for time in times] == [5, 6]
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    assert [again.now() for line in again.replay() if line == "NOTE x"] == times
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


def test_without_a_folder_nothing_is_kept():
    run = Run()
    run.record("SET p1 3")
    run.append("report", "x")
    run.keep_input("model.ode")
    assert run.entries() == []
    assert run.present() == []
    run.close()


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


def test_inputs_are_copied_in_their_order(run, tmp_path):
    source = tmp_path / "x.csv"
    for text in ("one", "two"):
        source.write_text(text)
        run.keep_input(str(source))
    source.unlink()
    run.record("SET p1 3")
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    for text in ("one", "two"):
        assert again.located(str(source)).read_text() == text
        again.keep_input(str(source))
    assert again.located(str(source)) == source, "of a third one there is no copy"
    again.replaying = False
    assert again.located(str(source)) == source
    again.close()


@pytest.mark.parametrize(
    "name", ["table.csv", "sub/table.csv", "../table.csv", "../../x/table.csv", "./a/../table.csv"]
)
def test_what_lies_beside_an_input_lies_beside_its_copy(name, run, tmp_path):
    home = tmp_path / "a" / "b" / "c"
    beside = Path(os.path.normpath(home / name))
    for folder in (home / "a", beside.parent):
        folder.mkdir(parents=True, exist_ok=True)
    beside.write_text("beside")
    (home / "m.ode").write_text("model")
    run.keep_input(str(home / "m.ode"), [name])
    run.record("SET p1 3")
    run.close()
    again = Run.resumed(tmp_path / "run", lambda text: None)
    copy = again.located(str(home / "m.ode"))
    again.close()
    assert copy.is_relative_to(tmp_path / "run" / "inputs")
    assert copy.read_text() == "model"
    assert Path(os.path.normpath(copy.parent / name)).is_relative_to(tmp_path / "run" / "inputs")
    assert Path(os.path.normpath(copy.parent / name)).read_text() == "beside"


def test_a_pipe_has_no_copy_and_the_run_goes_on(run, tmp_path, said):
    os.mkfifo(tmp_path / "pipe.csv")
    run.keep_input(str(tmp_path / "pipe.csv"))
    run.record("SET p1 3")
    assert len(said) == 1
    assert "cannot be read again" in said[0]
    assert run.entries() == ["SET p1 3"]


# ---- what is kept


def test_kept_files_get_a_folder_of_their_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run.append("report", "a report")
    Path("m-run-2").symlink_to("nowhere")
    assert run.present() == ["report"]
    assert [run.keep(["report"], Path("m-run")).name for _ in range(3)] == ["m-run", "m-run-3", "m-run-4"]
    assert Path("m-run-4", FILES["report"]).read_text() == "a report\n"


def test_where_nothing_can_be_kept_the_run_says_where_it_is(run, tmp_path):
    run.append("report", "a report")
    (tmp_path / "file").write_text("")
    with pytest.raises(ParfitError, match="cannot be written: Not a directory; the files are in"):
        run.keep(["report"], tmp_path / "file" / "x")


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
