"""Whatever ends a run, it can be resumed after the last command that was completed."""

import itertools
import os
import random
import re
import resource
import shutil
from io import StringIO
from pathlib import Path

import pytest
from fingerprints import fingerprint, resumed
from terminals import MODELS, PREDATOR, READS, Session, environment, folders_of_runs, journal_of, parfit

from parfit.console import Console
from parfit.errors import ParfitError
from parfit.interpreter import DONE, Interpreter
from parfit.journal import Run
from parfit.opening import open_run
from parfit.sources import Script

ENZYME = str(MODELS / "enzyme.ode")
N_KILLS = 50
N_AT_START = 10  # of them before the first prompt
START = 0.8  # seconds that it may take
COMMAND = 0.03  # seconds within which most commands are done
COMMANDS = (
    "SET p1 1.1 p6 .2",
    "INTEG Y",
    "MARK first",
    "FREEZE 2 3",
    "SAMPLE INSERT 0 3 2",
    "WEIGHT 2 y1 0 3 .5 4 .25 0 Y",
    "INTEG N",
    "PLOT 1 2 0 y1 0 y1 0 Y",
    "SCALE p4 LOG",
    "REPORT 1 3 5 11",
    "UNDO 2",
    "OPTION 5 1e-4 8 1",
    f'LOAD DATA "{PREDATOR[1]}"',
    "INTEG Y",
    "RECALL first",
    "REDO",  # fails: there is nothing to be redone
    "SET p1 1.3",
)
DONE_OF_THEM = [command for command in COMMANDS if command != "REDO"]


def states_of(folder, paths, commands):
    """What the environment is before the first command, and after each one that succeeds."""
    interpreter = open_run(paths, folder, Console(StringIO(), StringIO()), debug=True)
    found = [fingerprint(interpreter.env)]
    for command in commands:
        outcome = interpreter.obey(command, Script([]))
        found += [fingerprint(interpreter.env)] if outcome == DONE else []
    interpreter.run.close()
    return found


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return states_of(tmp_path_factory.mktemp("expected") / "run", PREDATOR, COMMANDS)


def test_the_commands_differ_in_what_they_leave(expected):
    assert len(expected) == len(DONE_OF_THEM) + 1
    assert len(set(expected)) >= len(expected) - 3, "PLOT, REPORT and MARK change little or nothing"


# ---- kill -9


def killed(folder, rng, at_start):
    """A session killed at a moment: how many commands were seen to be completed, and how many were given."""
    with Session(folder, *PREDATOR) as session:
        if at_start:
            session.look(timeout=rng.uniform(0, START))
            given = 0
        else:
            given = rng.randint(1, len(COMMANDS))
            session.wait()
            for command in COMMANDS[: given - 1]:
                session.give(command)
            session.type(COMMANDS[given - 1] + "\r")
            session.look(timeout=rng.uniform(0, COMMAND))
        session.kill()
        session.look(r"(?!)")  # what it had still shown
        return session.text.count(READS + ">") - 1, given


def n_done(n_given):
    """How many of the first commands succeed."""
    return sum(command != "REDO" for command in COMMANDS[:n_given])


def test_a_killed_run_goes_on_after_the_last_completed_command(tmp_path, expected):
    rng = random.Random(1977)
    moments = []
    for k in range(N_KILLS):
        folder = tmp_path / str(k)
        folder.mkdir()
        n_seen, n_given = killed(folder, rng, at_start=k < N_AT_START)
        runs = [run for run in folders_of_runs(folder) if (run / "journal.pft").exists()]
        if n_seen < 0 and (not runs or not (runs[0] / "journal.pft").read_bytes()):
            moments.append("before there was a journal")
            continue
        (run,) = runs
        env = resumed(run)
        n_found = len(journal_of(run))
        assert n_done(max(n_seen, 0)) <= n_found <= n_done(n_given), (k, n_seen, n_given, journal_of(run))
        assert fingerprint(env) == expected[n_found], (k, n_seen, n_found)
        moments.append("while a command was done" if n_seen < n_given else "at the prompt")
        if k % 10 == 9:
            again = parfit(folder, "--resume", "-e", "SET 2 7", "-e", "REPORT 3")
            assert again.returncode == 0, again.stderr
            assert re.search(r"^2  p2 +7 ", again.stdout, re.MULTILINE)
            assert len(journal_of(run)) == n_found + 2
    assert moments.count("while a command was done") >= 5, "the moments must be such that something could go wrong"
    assert moments.count("at the prompt") >= 5


# ---- damaged journals


@pytest.fixture
def run(tmp_path):
    """A run of which a copy can be spoiled, and what its environment was after each command."""
    commands = ["SET p1 1.1", "INTEG Y", "FREEZE 2", "SET p1 1.2"]
    return tmp_path / "run", states_of(tmp_path / "run", PREDATOR, commands)


def spoiled(run, data, name="spoiled"):
    folder = run.parent / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(run, folder)
    (folder / "journal.pft").write_bytes(data)
    return folder


def test_a_torn_last_command_is_none(run):
    folder, states = run
    data = (folder / "journal.pft").read_bytes()
    end = data.rindex(b"#@ ")
    for cut in range(end, len(data)):
        warnings = StringIO()
        again = spoiled(folder, data[:cut])
        assert fingerprint(resumed(again, warnings)) == states[-2], data[end:cut]
        assert warnings.getvalue() == ""
        assert len(journal_of(again)) == len(states) - 2
    assert fingerprint(resumed(spoiled(folder, data))) == states[-1]


def test_a_torn_text_of_several_lines_is_none(tmp_path):
    """Without its last lines the text would be another model."""
    folder = tmp_path / "run"
    interpreter = open_run([ENZYME], folder, Console(StringIO(), StringIO()), debug=True)
    assert interpreter.obey("SET 1 3", Script([])) == DONE
    before = fingerprint(interpreter.env)
    text = ["| par k=1, m=2", "| # a remark", "| x'=-k*x", "| y'=m*x", "SET 1 4"]
    assert interpreter.obey("MODEL TEXT", Script(text)) == DONE
    after = fingerprint(interpreter.env)
    interpreter.run.close()
    data = (folder / "journal.pft").read_bytes()
    for cut in range(data.rindex(b"#@ "), len(data)):
        assert fingerprint(resumed(spoiled(folder, data[:cut]))) == before, data[:cut]
    assert fingerprint(resumed(spoiled(folder, data))) == after


def test_a_run_resumed_after_a_torn_command_goes_on_in_its_journal(run):
    folder, states = run
    data = (folder / "journal.pft").read_bytes()
    again = spoiled(folder, data[:-3])
    assert parfit(folder.parent, f"--resume={again}", "-e", "SET p1 1.2").returncode == 0
    assert fingerprint(resumed(again)) == states[-1]


@pytest.mark.parametrize("garbage", [b"XYZZY 1 2", b"\x00\xff\xfe\x1b[2J", b"FREEZE nothing", b"SET", b"x" * 100_000])
def test_garbage_in_a_journal_is_told_and_what_was_before_it_stays(garbage, run):
    folder, states = run
    lines = (folder / "journal.pft").read_bytes().split(b"\n")
    place = lines.index(b"FREEZE p2")
    again = spoiled(folder, b"\n".join([*lines[:place], garbage, *lines[place + 1 :]]))
    warnings = StringIO()
    is_blank = not garbage.strip(b"\x00\xff\xfe").strip()
    assert not is_blank
    assert fingerprint(resumed(again, warnings)) == states[2]
    told = warnings.getvalue()
    assert f"{again / 'journal.pft'}:{place + 1}: " in told
    assert "\x1b" not in told
    assert "what could not be played again is in" in told
    assert garbage in (again / "journal-before.pft").read_bytes()
    assert journal_of(again) == ["SET p1 1.1", "INTEG Y"]
    quiet = StringIO()
    assert fingerprint(resumed(again, quiet)) == states[2]
    assert quiet.getvalue() == "", "the second time there is nothing wrong any more"


def test_a_journal_in_which_nothing_can_be_played_again_is_kept(run):
    folder, states = run
    head = [line for line in (folder / "journal.pft").read_bytes().split(b"\n") if line.startswith((b"# ", b"#: "))]
    again = spoiled(folder, b"\n".join([*head, b"XYZZY", b"SET p1 3", b""]))
    assert fingerprint(resumed(again)) == states[0]
    assert b"SET p1 3" in (again / "journal-before.pft").read_bytes()


@pytest.mark.parametrize("data", [b"", b"\x00" * 5000, b"SET 1 3\n", b"#: \n"])
def test_a_journal_without_its_head_is_refused(data, run):
    again = spoiled(run[0], data)
    done = parfit(run[0].parent, f"--resume={again}", "-e", "SET 1 3")
    assert done.returncode == 1
    assert done.stderr.startswith("parfit: ")
    assert done.stderr.count("\n") == 1
    assert again.is_dir()


def test_ctrl_c_while_a_run_is_played_again_cuts_nothing_off(run, monkeypatch):
    folder, states = run
    before = (folder / "journal.pft").read_bytes()
    record = Run.record

    def interrupted(self, entry):
        record(self, entry)
        if entry == "INTEG Y":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            resumed(folder)
    assert (folder / "journal.pft").read_bytes() == before
    assert fingerprint(resumed(folder)) == states[-1]


# ---- inputs that changed


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("par other=1\nz'=other\n")])
def test_a_changed_or_deleted_file_does_not_matter(change, tmp_path):
    paths = [str(shutil.copy(path, tmp_path)) for path in (*PREDATOR, str(MODELS / "predator-prey-2.csv"))]
    folder = tmp_path / "run"
    *_, last = states_of(folder, paths[:2], ["SET 1 1.1", f'LOAD DATA "{paths[2]}"', "INTEG Y", "REPORT 2"])
    for path in paths:
        change(Path(path))
    assert fingerprint(resumed(folder)) == last


@pytest.mark.parametrize("where", ["drive.csv", "sub/drive.csv", "../drive.csv", "../../other/drive.csv"])
@pytest.mark.parametrize("how", ["opened", "loaded"])
def test_the_tables_of_a_model_are_kept_with_it(where, how, tmp_path):
    home = tmp_path / "a" / "b" / "c"
    table = Path(os.path.normpath(home / where))
    for folder in (home, table.parent):
        folder.mkdir(parents=True, exist_ok=True)
    table.write_text("0,1\n5,3\n10,2\n")
    (home / "driven.ode").write_text(f"par k=1\ntable w {where}\nx'=w(t)-k*x\nx(0)=1\n")
    path = str(home / "driven.ode")
    opened, commands = ([path], []) if how == "opened" else ([ENZYME], [f'LOAD MODEL "{path}"'])
    folder = tmp_path / "run"
    *_, last = states_of(folder, opened, [*commands, "SET k 2", "INTEG Y"])
    assert "INTEG Y" in journal_of(folder)
    shutil.rmtree(tmp_path / "a")
    assert fingerprint(resumed(folder)) == last
    outside = {path for path in tmp_path.rglob("*") if not path.is_relative_to(folder)}
    assert outside == set(), "copies stay in the folder of the run"


# ---- where nothing can be written


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


@pytest.mark.parametrize("room", [0, 60, 200, 400, 700])
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
            *_, value = [1600.0, *(float(line.split()[2]) for line in journal_of(folder) if line.startswith("SET"))]
            assert resumed(folder).values[0] == (value if journal_of(folder) else resumed(folder).start[0])


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


# ---- one at a time


def test_a_run_cannot_be_resumed_twice_at_once(run):
    folder, states = run
    first = Run.resumed(folder, lambda text: None)
    with pytest.raises(ParfitError, match="in use by another parfit"):
        resumed(folder)
    first.close()
    assert fingerprint(resumed(folder)) == states[-1]


def test_an_interpreter_without_a_run_keeps_nothing(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    interpreter = Interpreter(resumed(run[0]), Console(StringIO(), StringIO()), debug=True)
    for command in itertools.chain(COMMANDS[:4], ["REPORT 3", "HISTORY"]):
        assert interpreter.obey(command, Script([])) == DONE, command
    assert sorted(tmp_path.rglob("*")) == before
