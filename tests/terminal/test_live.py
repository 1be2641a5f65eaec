"""A fit that is watched at a real pseudo-terminal: its picture and keys, resizing, and terminals that can do less."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from contextlib import contextmanager
from pathlib import Path

import pytest
from fingerprints import resumed
from screens import Watched
from terminals import (
    DUMB_PROMPT,
    PREDATOR,
    PROMPT,
    Session,
    environment,
    folders_of_runs,
    journal_of,
    parfit,
    until,
)

from parfit.errors import NO_MINIMUM
from parfit.session.console import RESIZED
from parfit.terminal.keys import TypeAhead, listen

GATED = (sys.executable, str(Path(__file__).parents[1] / "gated.py"))  # which never runs ahead of who looks at it
SIZES = [(24, 80), (50, 200)]
CTRL_C, CTRL_Z, UP = "\x03", "\x1a", "\x1b[A"
# With so small steps an integration takes long enough for somebody to press a key before the fit is over.
SLOW = "OPTION 8 1 5 1e-8 7 .0001"
START = "SET p1 1.4 p2 .15 p3 1.8"
FIT = "FIT MARQUARDT 1e8 1e-12 1e-14 100"
COLOURED = rb"\x1b\[(3[0-7]|9[0-7]|38)"
RUNS, WAITS = "^p pause", "^PAUSED: p go on   s step   a accept   q stop$"


@contextmanager
def begun(folder, line=FIT, size=(24, 80), before=(SLOW, START), command=GATED, **more):
    """Somebody who has given a command, and paused it as soon as something was to be seen."""
    with Watched(folder, *PREDATOR, size=size, env=environment(folder, **more), command=command) as session:
        session.wait()
        for each in before:
            session.give(each)
        session.press(f"{line}\r", seen(RUNS))
        session.type("p")
        session.until(seen(WAITS))
        yield session


def seen(pattern):
    return f"(?m){pattern}"


def rows(text):
    """The numbers of the iterations in the table, and their sums of squares."""
    found = re.findall(r"^(?=.{8}\d  ) *(\d+) +(\d\S*)", text, re.MULTILINE)
    return [(int(k), float(total)) for k, total in found]


def beyond(k):
    """A condition: the table has come further than row k, and it waits."""
    return lambda text: rows(text) and rows(text)[-1][0] > k and re.search(seen(WAITS), text)


def check_layout(text, lines, columns):
    """Table and picture are on the screen, beside each other if there is room, and the keys below them."""
    shown = text.rstrip("\n").split("\n")
    assert len(shown) <= lines - 1
    assert max(map(len, shown)) < columns
    heading = max(k for k, line in enumerate(shown) if line.startswith("iteration  sum of squares"))
    title = max(k for k, line in enumerate(shown) if re.search(r"STATE +sum of squares \d", line))
    assert (title == heading) == (columns > 100)
    assert "y1 observed" in text
    assert "y2 observed" in text
    assert shown[-1].startswith("PAUSED")


# ---- keys


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[1]}x{size[0]}")
def test_every_key(tmp_path, size):
    with begun(tmp_path, size=size) as session:
        text = session.until(seen(WAITS))
        check_layout(text, *size)
        assert re.search(COLOURED, session.raw[session.raw.rindex(b"FIT MARQ") :].split(b"\n", 1)[1])
        k, total = rows(text)[-1]
        session.settle()
        used = session.processor_time
        session.drain(0.3)
        assert session.until(seen(WAITS)) == text, "it stands still"
        assert session.processor_time - used <= 1, "and takes no processor time"
        text = session.press("s", beyond(k))
        assert rows(text)[-1][0] == k + 1, "one step"
        assert rows(text)[-1][1] < total, "downward"
        assert f"sum of squares {rows(text)[-1][1]:.7g}" in text, "the picture is that of the last row"
        session.press("ss", beyond(k + 2))
        for key in ("x", UP, "\r"):  # which mean nothing
            session.type_ahead(key)
        session.settle()
        assert rows(session.until(seen(WAITS)))[-1][0] == k + 3
        session.press("p", seen(RUNS))
        text = session.press("p", beyond(k + 3))
        k, total = rows(text)[-1]
        text = session.press("a", "ACCEPTED: the best point so far is kept; UNDO goes back")
        assert f"SUM OF SQUARES OF THE RESIDUALS {total:.7g} ({k} steps," in text
        assert not re.search(seen(WAITS), text)
        assert not re.search(seen(RUNS), text)
        reached = re.findall(r"^\d  p\d +(\S+)", text, re.MULTILINE)
        session.type("QUIT 0\r")
        assert session.end() == 0
    (run,) = folders_of_runs(tmp_path)
    assert journal_of(run)[-1] == f"FIT MARQUARDT 100000000 1e-12 1e-14 {k} 3"
    env = resumed(run)
    assert [f"{value:.7g}" for value in env.values] == reached
    assert env.sum_of_squares == pytest.approx(total, rel=1e-6)


def test_other_ways_to_end_it(tmp_path):
    with begun(tmp_path) as session:
        session.press("q", r"stopped; nothing was changed\n>")
        session.press("SET p2 .16\r", r"1  p1 +1\.4 .*\n2  p2 +0\.16 ")
        session.press(f"{FIT}\r", seen(RUNS))
        k, _ = rows(session.press("p", seen(WAITS)))[-1]
        session.press(CTRL_C, r"STOPPED: it was interrupted; the best point so far is kept[\s\S]*\n>")
        run = folders_of_runs(tmp_path)[0]
        assert [line.split()[0] for line in journal_of(run)] == ["OPTION", "SET", "SET", "FIT"]
        assert journal_of(run)[-1].endswith(f" {k} 3"), "what was on the screen, and not the one before"
        session.press(f"{FIT}\r", seen(RUNS))
        session.press("p", seen(WAITS))
        session.type_ahead("SET p1 1.25\rNOTE pass\r")
        session.press("a", r"ACCEPTED[\s\S]*> SET p1 1.25\n[\s\S]*1  p1 +1\.25 [\s\S]*> NOTE pass\n")


@pytest.mark.parametrize(
    ("before", "line", "entry"),
    [
        ([START], "SHOOT 5 10 15", r"SHOOT 5 10 15 0 AUTO 1e-06 AUTO 100 ONLY \d+"),
        (["SMOOTH SPLINE 1 6 1 6 N"], "CONTIN .2 .5", r"CONTIN 0.2 BREAKS NONE .* ONLY \d+"),
        ([START], "SEQ 10 5 1e6", r"SEQ 10 5 1000000 1e-06 AUTO \d+ STOP"),
    ],
)
def test_the_other_commands_have_the_same_keys(tmp_path, before, line, entry):
    with begun(tmp_path, line, before=(*before, SLOW)) as session:
        text = session.press("s", lambda text: rows(text) and re.search(seen(WAITS), text))
        check_layout(text, 24, 80)
        k = rows(text)[-1][0]
        session.press("s", beyond(k))
        session.press("a", seen("^>$"))
        assert re.search("ACCEPTED after|what was reached is kept", session.text)
        shown = session.press("SET 0\r", r"SET 0\n[\s\S]*\n6  p6 .*\n>")
    run = folders_of_runs(tmp_path)[0]
    assert re.fullmatch(entry, journal_of(run)[-2])
    assert [f"{value:.7g}" for value in resumed(run).values] == re.findall(r"\n\d  p\d +(\S+)", shown)[-6:]


# ---- sizes


@pytest.mark.parametrize(("first", "then"), [SIZES, SIZES[::-1]], ids=["larger", "smaller"])
def test_resizing_in_the_middle(tmp_path, first, then):
    with begun(tmp_path, size=first) as session:
        session.at_once = 37  # a redraw is never seen in one piece
        check_layout(session.until(seen(WAITS)), *first)
        session.resize(*then)
        beside = r"\A.*STATE.*\n" if then[1] > 100 else r"\A.*lambda\n"
        text = session.until(seen(rf"{beside}[\s\S]*{WAITS}"))
        check_layout(text, *then)
        k = rows(text)[-1][0]
        text = session.press("s", beyond(k))
        check_layout(text, *then)
        session.resize(8, 40)  # there is no room for a picture, nor for the line of keys
        session.until(lambda text: "STATE" not in text and rows(text) and rows(text)[-1][0] == k + 1)
        session.resize(*first)
        check_layout(session.until(seen(rf"STATE +sum of squares[\s\S]*{WAITS}")), *first)
        session.type("p")
        session.resize(*then)  # while it runs
        check_layout(session.press("p", seen(rf"{beside}[\s\S]*{WAITS}")), *then)
        session.press("a", "ACCEPTED")


# ---- terminals that can do less


def test_without_colour_and_without_unicode(tmp_path):
    with begun(tmp_path, NO_COLOR="1", LANG="C") as session:
        text = session.press("ss", beyond(rows(session.until(seen(WAITS)))[-1][0] + 1))
        check_layout(text, 24, 80)
        assert text.isascii()
        shown = session.raw[session.raw.rindex(b"FIT MARQ") :].split(b"\n", 1)[1]
        assert not re.search(COLOURED, shown)


def test_a_dumb_terminal_has_lines(tmp_path):
    with Session(tmp_path, *PREDATOR, env=environment(tmp_path, TERM="dumb")) as session:
        session.wait(DUMB_PROMPT)
        session.give(START, DUMB_PROMPT)
        shown = session.give("FIT 1", DUMB_PROMPT)
        assert re.search(r"iteration  sum of squares.*\n +1 ", shown)
        assert "PAUSED" not in shown
        assert "p pause" not in shown
        assert b"\x1b" not in session.raw


def test_a_pipe_has_lines(tmp_path):
    done = parfit(tmp_path, *PREDATOR, input=f"{START}\nFIT 1\nQUIT 0\n")
    assert re.search(r"iteration  sum of squares.*\n +1 ", done.stdout)
    assert "\x1b" not in done.stdout + done.stderr
    assert "p pause" not in done.stdout


def test_a_script_at_a_terminal_moves_without_keys(tmp_path):
    """Nobody asked for a conversation, and what is typed belongs to whoever comes next."""
    (tmp_path / "fit.pft").write_text(f"{SLOW}\n{START}\n{FIT.replace('100', '8')}\n")
    with Watched(tmp_path, *PREDATOR, "-b", "fit.pft") as session:
        session.until(r"STATE +sum of squares")
        session.type("q")
        assert session.end() == NO_MINIMUM
        assert "p pause" not in session.text
    assert journal_of(folders_of_runs(tmp_path)[0])[-1].startswith("FIT")


# ---- bars


def part_done(text):
    """In percent; -1 while the bar is not there."""
    return max((int(part) for part in re.findall(r"(\d+) %", text)), default=-1)


def test_a_long_simulation_has_a_bar_that_goes_away(tmp_path):
    with Watched(tmp_path, *PREDATOR) as session:
        session.wait()
        session.type("CREATE 0 .5(.5)3000 0 y1 y2 0 1e-8 .0001 0 .05 1\r")
        text = session.until(r"CREATE █*░* +\d+ %  \d+ \w+ (left|so far)")
        first = part_done(text)
        session.until(lambda text: part_done(text) > first)
        text = session.press(CTRL_C, "interrupted; nothing was changed")
        assert "%" not in text


def test_who_wants_quiet_has_no_bar(tmp_path):
    line = "CREATE 0 .5(.5)1000 0 y1 y2 0 1e-8 .0003 0 .05 1"
    with Session(tmp_path, *PREDATOR, "--quiet", "-e", line) as session:
        assert session.end() == 0
        assert session.text == ""


# ---- the modes of the terminal


class Terminal:
    """Both ends of a pseudo-terminal."""

    def __init__(self, master, slave):
        self.master, self._slave = master, slave

    def modes(self):
        return termios.tcgetattr(self._slave)

    def type(self, data):
        """Type, and wait until it can be read."""
        os.write(self.master, data)
        until(lambda: self._n_typed() >= len(data))

    def _n_typed(self):
        return struct.unpack("i", fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)))[0]


@pytest.fixture
def terminal(monkeypatch):
    """A pseudo-terminal as standard input, as who sits at it has it."""
    master, slave = pty.openpty()
    with os.fdopen(slave) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        yield Terminal(master, slave)
    os.close(master)


def is_cbreak(modes):
    return not modes[3] & (termios.ICANON | termios.ECHO) and modes[3] & termios.ISIG


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt, SystemExit])
def test_the_modes_are_restored(terminal, error):
    before = terminal.modes()

    def work():
        with listen(TypeAhead()):
            assert is_cbreak(terminal.modes())
            if error is not None:
                raise error

    if error is None:
        work()
    else:
        with pytest.raises(error):
            work()
    assert terminal.modes() == before


def test_keys_are_read_as_they_come(terminal):
    ahead = TypeAhead()
    with listen(ahead) as keys:
        assert keys.pressed() == ""
        terminal.type(b"ps")
        assert [keys.pressed(wait=True), keys.pressed(), keys.pressed()] == ["p", "s", ""]
        terminal.type(b"\x1b[A")
        assert keys.pressed() == ""
        terminal.type(b"\x1bO")  # the rest of a sequence may come later
        assert keys.pressed() == ""
        terminal.type(b"q\xc3")
        assert keys.pressed() == ""
        terminal.type(b"\xa9")
        assert keys.pressed(wait=True) == "é"
        terminal.type(b"SET p1 3\rNO")
        assert keys.pressed() == ""
        terminal.type(b"TE a\rhalf")
        assert keys.pressed() == ""
        terminal.type(b"p")
        assert keys.pressed(wait=True) == "p", "who types a line ahead can still press keys"
    assert ahead.take_lines() == ["SET p1 3", "NOTE a"]
    assert ahead.take_rest() == "half"
    assert ahead.take_rest() == ""


def test_only_a_key_alone_counts_while_something_runs(terminal):
    ahead = TypeAhead()
    with listen(ahead) as keys:
        terminal.type(b"pa")
        assert keys.pressed(alone=True) == ""
    assert ahead.take_rest() == "pa"


def test_what_is_typed_ahead_can_be_erased():
    ahead = TypeAhead()
    ahead.add("SET\nFIX\x7fT\x7f\x7f\x7f\x7f\x7fSTATS\n")
    assert ahead.take_lines() == ["SET", "STATS"]


def test_what_is_typed_while_a_fit_runs_waits_for_the_prompt(tmp_path):
    """One key at a time: no letter of it steers the fit, and what is no whole line is there to be gone on with."""
    with Watched(tmp_path, *PREDATOR, env=environment(tmp_path)) as session:
        session.wait()
        for each in (SLOW, START):
            session.give(each)
        session.press(f"{FIT.replace('100', '12')}\r", seen(RUNS))
        for key in "set p1 1.25\rnote qua":
            session.type(key)
            session.drain(0.03)
        text = session.until(r"> set p1 1.25\n[\s\S]*1  p1 +1\.25 [\s\S]*> note qua")
        assert "ACCEPTED" not in text
        assert "nothing was changed" not in text
        session.press("si\r", r"> note quasi\n>")
    assert [line.split()[0] for line in journal_of(folders_of_runs(tmp_path)[0])][-3:] == ["FIT", "SET", "NOTE"]


def test_keys_pressed_before_are_not_lost(terminal):
    os.write(terminal.master, b"q")
    with listen(TypeAhead()) as keys:
        assert keys.pressed(wait=True) == "q"


def test_another_size_wakes_who_waits_for_a_key(terminal):
    import signal

    with listen(TypeAhead()) as keys:
        before = signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGWINCH))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            assert keys.pressed(wait=True) == RESIZED
        finally:
            signal.signal(signal.SIGALRM, before)
    assert signal.getsignal(signal.SIGWINCH) is signal.SIG_DFL


def test_ctrl_z_in_the_middle(tmp_path):
    """The shell finds the terminal as it was, and the fit goes on with its keys after fg."""
    env = environment(tmp_path, PS1="shell: ")
    with Watched(tmp_path, size=(24, 80), env=env, command=("bash", "--norc", "-i")) as shell:
        shell.until("shell:")
        shell.type(f"{' '.join((*GATED, *PREDATOR))}\r")
        shell.wait(PROMPT)
        shell.give(SLOW)
        shell.give(START)
        shell.press(f"{FIT}\r", seen(RUNS))
        k = rows(shell.press("p", seen(WAITS)))[-1][0]
        shell.press(CTRL_Z, r"Stopped[\s\S]*shell:")
        shell.press("stty -a | tr ' ' '\\n' | grep -cE '^(icanon|echo|isig);?$'\r", seen("^3$"))
        shell.press("fg\r", seen(WAITS))
        shell.press("s", beyond(k))
        shell.press("q", "nothing was changed")
        shell.press("QUIT 0\r", r"QUIT 0\n[\s\S]*shell:")
