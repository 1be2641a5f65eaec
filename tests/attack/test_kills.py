"""kill -9: whatever moment it comes at, nothing that was completed is lost, and nothing is changed."""

import os
import random
import re
import signal
from io import StringIO
from pathlib import Path

import pytest
from attacked import LONG, commands, known_run, opened
from fingerprints import fingerprint, resumed
from terminals import PREDATOR, READS, Session, folders_of_runs, journal_of, parfit

from parfit.session.console import Console
from parfit.session.interpreter import DONE
from parfit.session.opening import open_run, resume_run
from parfit.session.runs import inputs, journal
from parfit.session.sources import Script

# ---- at counted moments: before, within and after each write


class Clock:
    """Counts moments, and kills the process at one of them."""

    def __init__(self, last=None):
        self.n, self.last = 0, last

    def tick(self):
        self.n += 1
        if self.n == self.last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, work):
        def done(*arguments, **more):
            self.tick()
            result = work(*arguments, **more)
            self.tick()
            return result

        return done

    def watched(self, patch):
        """Have every write to journal and copies count."""
        clock, opening = self, journal._opened

        class Watched:
            def __init__(self, stream):
                self.stream = stream

            def write(self, text):
                clock.tick()
                self.stream.write(text[: len(text) // 2])
                self.stream.flush()
                clock.tick()
                self.stream.write(text[len(text) // 2 :])
                self.stream.flush()
                clock.tick()

            def __getattr__(self, name):
                return getattr(self.stream, name)

        patch.setattr(journal, "_opened", lambda *how: Watched(opening(*how)))
        patch.setattr(os, "replace", self.around(os.replace))
        patch.setattr(os, "fsync", self.around(os.fsync))
        patch.setattr(inputs, "_write_whole", self.around(inputs._write_whole))


def in_a_process(work):
    """Do work in a process of its own, which may be killed; gives the bytes that it told."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            work(writing)
        except BaseException as error:
            os.write(writing, f"FAILED {error!r}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        told = stream.read()
    os.waitpid(child, 0)
    assert b"FAILED" not in told, told
    return told


def conversation(home, run, clock):
    """All commands; after each one that is completed, a byte is told."""

    def work(writing):
        os.chdir(home)
        with pytest.MonkeyPatch.context() as patch:
            clock.watched(patch)
            interpreter = opened(run)
            for line, more in commands(home):
                assert interpreter.obey(line, Script(more)) == DONE
                os.write(writing, b".")

    return work


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return known_run(tmp_path_factory.mktemp("known"))


def n_moments(work_with):
    """How many moments some work has."""
    clock = Clock()
    told = in_a_process(lambda writing: (work_with(clock)(writing), os.write(writing, b"%d" % clock.n)))
    return int(re.search(rb"\d+", told)[0])


def chosen(n):
    """All moments by hand; elsewhere every fourth."""
    return range(1, n + 1) if LONG else range(2, n + 1, 4)


def test_a_run_killed_at_any_write_goes_on_where_it_was(tmp_path, known):
    home = known.home
    n = n_moments(lambda clock: conversation(home, tmp_path / "whole", clock))
    assert n > 100
    for k in chosen(n):
        run = tmp_path / f"run{k}"
        n_seen = len(in_a_process(conversation(home, run, Clock(k))))
        if not (run / "journal.pft").exists() or not journal.parse((run / "journal.pft").read_bytes())[0].opened:
            assert n_seen == 0, "only what was being opened may be lost"
            continue
        warnings = StringIO()
        env = resumed(run, warnings)
        assert warnings.getvalue() == "", k
        n_found = sum(line.startswith("#@ ") for line in (run / "journal.pft").read_text().splitlines())
        assert n_seen <= n_found <= n_seen + 1, k
        in_the_middle = n_found == 5 and n_seen == 4  # FIT 2 is kept as far as it went
        assert in_the_middle or without_time(env) == without_time_of(known.states[n_found]), (k, n_seen, n_found)
        assert fingerprint(resumed(run)) == fingerprint(env)


def without_time(env):
    return without_time_of(fingerprint(env))


def without_time_of(state):
    """Two runs differ in when their notes were made."""
    return re.sub(r"datetime\.datetime\([^)]*\)", "then", repr(state))


@pytest.mark.parametrize("how", ["torn", "damaged"])
def test_a_run_killed_while_it_is_resumed_stays_what_it_was(how, tmp_path, known):
    data = known.journal
    spoiled = data[:-5] if how == "torn" else data.replace(b"NOTE what", b"NOTE that")
    expected = known.states[-2] if how == "torn" else known.states[7]

    def resuming(run, clock):
        def work(writing):
            with pytest.MonkeyPatch.context() as patch:
                clock.watched(patch)
                resume_run(run, Console(StringIO(), StringIO()), go_on=lambda: True).run.close()

        return work

    n = n_moments(lambda clock: resuming(known.spoiled(spoiled), clock))
    for k in chosen(n):
        run = known.spoiled(spoiled)
        in_a_process(resuming(run, Clock(k)))
        assert fingerprint(resumed(run)) == expected, k
        kept = b"".join(path.read_bytes() for path in run.glob("journal*"))
        assert how == "torn" or b"NOTE that" in kept, "what could not be played again is kept"


# ---- at a real terminal

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


def n_done(n_given):
    """How many of the first commands succeed."""
    return sum(command != "REDO" for command in COMMANDS[:n_given])


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the environment is before the first command, and after each one that succeeds."""
    folder = tmp_path_factory.mktemp("expected") / "run"
    interpreter = open_run(PREDATOR, folder, Console(StringIO(), StringIO()), debug=True)
    found = [fingerprint(interpreter.env)]
    for command in COMMANDS:
        outcome = interpreter.obey(command, Script([]))
        found += [fingerprint(interpreter.env)] if outcome == DONE else []
    interpreter.run.close()
    return found


def check(folder, n_seen, n_given, expected):
    """A killed run has the commands that were seen to be completed, and perhaps the one that was given."""
    runs = [run for run in folders_of_runs(folder) if (run / "journal.pft").exists()]
    if not runs or not journal.parse((runs[0] / "journal.pft").read_bytes())[0].opened:
        assert n_seen <= 0
        return "before there was a journal"
    env = resumed(runs[0])
    n_found = len(journal_of(runs[0]))
    assert n_done(max(n_seen, 0)) <= n_found <= n_done(n_given), (n_seen, n_given, journal_of(runs[0]))
    assert fingerprint(env) == expected[n_found]
    return "while a command was done" if n_seen < n_given else "at the prompt"


@pytest.mark.parametrize("n_given", [3, 17])
@pytest.mark.parametrize("waits", [True, False])
def test_a_run_killed_at_a_terminal(n_given, waits, tmp_path, expected):
    """After a command was completed, or at once after it was typed."""
    with Session(tmp_path, *PREDATOR) as session:
        session.wait()
        for command in COMMANDS[: n_given - 1]:
            session.give(command)
        if waits:
            session.give(COMMANDS[n_given - 1])
        else:
            session.type(COMMANDS[n_given - 1] + "\r")
        session.kill()
    check(tmp_path, n_given if waits else n_given - 1, n_given, expected)
    again = parfit(tmp_path, "--resume", "-e", "SET 2 7", "-e", "REPORT 3")
    assert again.returncode == 0, again.stderr
    assert re.search(r"^2  p2 +7 ", again.stdout, re.MULTILINE)


@pytest.mark.skipif(not LONG, reason="by hand: PARFIT_ATTACK=200 kills so many times at moments of the clock")
def test_many_runs_killed_at_random_moments(tmp_path, expected):
    rng = random.Random(int(os.environ.get("PARFIT_SEED", "1977")))
    moments = []
    for k in range(int(os.environ["PARFIT_ATTACK"])):
        folder = tmp_path / str(k)
        folder.mkdir()
        given = 0 if k % 8 == 0 else rng.randint(1, len(COMMANDS))
        with Session(folder, *PREDATOR) as session:
            if given == 0:
                session.look(timeout=rng.uniform(0, 1.5))
            else:
                session.wait()
                for command in COMMANDS[: given - 1]:
                    session.give(command)
                session.type(COMMANDS[given - 1] + "\r")
                session.look(timeout=rng.uniform(0, 0.06))
            session.kill()
            session.look(r"(?!)")
            n_seen = session.text.count(READS + ">") - 1
        moments.append(check(folder, n_seen, given, expected))
    counts = {moment: moments.count(moment) for moment in set(moments)}
    Path(os.environ.get("PARFIT_TOLD", os.devnull)).write_text(f"{counts}\n")
    assert len(counts) >= 2, counts
