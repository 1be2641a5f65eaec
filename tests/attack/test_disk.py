"""A disk that is full, or a folder that cannot be written: told once, and what was done is not lost."""

import os
import resource
import shutil
import subprocess
from contextlib import suppress
from io import StringIO

import pytest
from attacked import commands, files, opened, within
from fingerprints import fingerprint, resumed
from terminals import MODELS, Session, environment, folders_of_runs, journal_of, parfit

from parfit.session.interpreter import DONE
from parfit.session.runs import journal
from parfit.session.sources import Script

ENZYME = str(MODELS / "enzyme.ode")


def assert_told_once(done, n_commands):
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be written") == 1
    assert done.stderr.count("\n") == 1
    assert "the conversation goes on" in done.stderr
    assert done.stdout.count("> ") >= n_commands


COMMANDS_TO_WRITE = [word for k in range(8) for word in ("-e", f"SET 1 1.{k}", "-e", "REPORT 3")]


def test_a_run_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    assert_told_once(parfit(tmp_path, ENZYME, "--run-folder", "file/run", *COMMANDS_TO_WRITE), 16)
    assert (tmp_path / "file").read_text() == ""


def test_a_state_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    env = environment(tmp_path, XDG_STATE_HOME=str(tmp_path / "file"))
    assert_told_once(parfit(tmp_path, ENZYME, *COMMANDS_TO_WRITE, env=env), 16)


def test_a_report_on_a_full_disk(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.txt").symlink_to("/dev/full")
    assert_told_once(parfit(tmp_path, ENZYME, "--run-folder", "mine", *COMMANDS_TO_WRITE), 16)
    assert journal_of(tmp_path / "mine") == ["SET p1 1"]


@pytest.mark.parametrize("room", [0, 60, 400, 700])
def test_a_disk_that_fills_up(room, tmp_path):
    """The system's limit on the size of files stands for a full disk: some of what is written gets through."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    parfit(tmp_path, ENZYME, "-e", "INTEG N")  # whatever can be kept for all runs is
    known = set(folders_of_runs(tmp_path))
    done = parfit(tmp_path, ENZYME, *COMMANDS_TO_WRITE, preexec_fn=limited)
    assert done.stderr.count("cannot be written") == 1
    assert done.stdout.count("> SET") == 8
    assert "Traceback" not in done.stderr
    for folder in set(folders_of_runs(tmp_path)) - known:
        if (folder / "journal.pft").exists() and b"#: " in (folder / "journal.pft").read_bytes():
            env = resumed(folder)
            values = [float(line.split()[2]) for line in journal_of(folder) if line.startswith("SET")]
            assert env.values[0] == [env.first_values[0], *values][-1]


def test_a_disk_that_fills_up_in_a_conversation(tmp_path):
    """The history of lines is kept in a file too."""
    (tmp_path / "state" / "parfit" / "history").mkdir(parents=True)  # which can be neither read nor written
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.txt").symlink_to("/dev/full")
    with Session(tmp_path, ENZYME, "--run-folder", "mine") as session:
        session.wait()
        shown = session.give("REPORT 3")
        assert "cannot be written" in shown
        assert "cannot be written" not in session.give("REPORT 3") + session.give("SET 1 3")
        session.type("QUIT\r")
        assert session.end() == 0


def test_a_folder_that_is_taken_away(tmp_path):
    with Session(tmp_path, ENZYME) as session:
        session.wait()
        session.give("SET 1 3")
        shutil.rmtree(*folders_of_runs(tmp_path))
        assert "cannot be written" in session.give("REPORT 3")
        assert "cannot be written" not in session.give("REPORT 3")
        session.type("QUIT\r")
        assert session.end() == 0


# ---- what was done is known without the disk


def _filled(folder):
    """Leave next to no room on a disk that is mounted there; gives whether there is one that can be full."""
    if not os.path.ismount(folder):
        return False
    try:
        (folder / "filler").write_bytes(b"x" * 100_000)
    except OSError:
        os.truncate(folder / "filler", (folder / "filler").stat().st_size - 600)
        return True
    return False


@pytest.mark.parametrize("state", ["/proc", "full"])
def test_save_and_history_know_what_was_done(state, tmp_path):
    """The second is a small disk, where the user may mount one."""
    (tmp_path / "full").mkdir()
    if state == "full":
        with suppress(OSError):
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", tmp_path / "full"],
                check=False,
                capture_output=True,
            )
    is_full = state == "/proc" or _filled(tmp_path / "full")
    env = environment(tmp_path, XDG_STATE_HOME=str(tmp_path / state))
    given = ["SET 1 2", "REPORT 1 2 3 4 5", "REPORT 1 2 3 4 5", "SET 1 3", "SAVE w.pft", "HISTORY"]
    try:
        done = parfit(tmp_path, ENZYME, *(word for line in given for word in ("-e", line)), env=env)
    finally:
        with suppress(OSError):
            subprocess.run(["umount", tmp_path / "full"], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be written") == is_full
    script = (tmp_path / "w.pft").read_text().splitlines()
    assert script[0] == "# Replay with: parfit models/enzyme.ode -b " + str(tmp_path / "w.pft")
    assert [script[2], script[-1], len(script)] == ["SET p1 2", "SET p1 3", 6]
    assert "   1  SET p1 2" in done.stdout
    assert "   4  SET p1 3" in done.stdout


class Full:
    """A file on a disk on which so many writes find room; of the next one half does."""

    def __init__(self, stream, room):
        self.stream, self.room = stream, room

    def write(self, text):
        self.room -= 1
        if self.room < 0:
            self.stream.write(text[: len(text) // 2])
            self.stream.flush()
            raise OSError(28, "No space left on device")
        self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def test_a_write_that_fails_ends_the_journal_at_a_whole_entry(tmp_path, monkeypatch):
    """Each write in turn."""
    home = files(tmp_path)
    opening = journal._opened
    for room in range(14):
        monkeypatch.setattr(journal, "_opened", lambda path, mode, room=room: Full(opening(path, mode), room))
        run, states = tmp_path / f"run{room}", []
        with within(home):
            interpreter = opened(run)
            for line, more in commands(home):
                states.append(fingerprint(interpreter.env))
                assert interpreter.obey(line, Script(more)) == DONE
            assert len(interpreter.run.commands()) == len(states), "all of it is known"
            interpreter.run.close()
        assert interpreter.console.err.getvalue().count("cannot be written") == 1
        monkeypatch.setattr(journal, "_opened", opening)
        if room == 0:
            assert b"#= " not in (run / "journal.pft").read_bytes()
            continue
        warnings = StringIO()
        found = fingerprint(resumed(run, warnings))
        assert warnings.getvalue() == ""
        n_done = (run / "journal.pft").read_bytes().count(b"\n#@ ")
        assert found == states[n_done] or "FIT INTERACTIVE" in journal_of(run)[-4:], room
