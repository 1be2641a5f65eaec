"""What is seen of long work, and what keys do to it: layout, bars, and that accepted results replay exactly."""

import re
import signal
from contextlib import contextmanager
from io import StringIO
from types import SimpleNamespace

import pytest
from coarse import TWO, setting
from contrived import SMOOTH, contrived
from conversation import assert_same

from parfit.errors import FAILED, Abandoned
from parfit.live import bar, steering
from parfit.live.bar import Bar, Parts, duration, working
from parfit.live.layout import arranged
from parfit.live.steering import RUNS, WAITS, Accepted, Steering
from parfit.session.console import RESIZED, Console
from parfit.session.sources import Script
from parfit.text.details import written_out

TABLE = ["iteration  sum of squares", *(f"{k:9}  {100 - k:14}" for k in range(1, 60))]
FOOT = ["p pause"]


# ---- the layout


def picture(width, height):
    """A picture that fills its size, in colour, whose lines say how large it is."""
    return "\n".join("\x1b[38;5;33m" + f"{width}x{height}".ljust(width, "#") + "\x1b[0m" for _ in range(height))


def visible(text):
    return [re.sub(r"\x1b\[[\d;]*m", "", line) for line in text.split("\n")]


@pytest.mark.parametrize("drawn", [picture, None])
@pytest.mark.parametrize("n_rows", [1, 2, 5, 60])
@pytest.mark.parametrize("lines", [5, 8, 12, 24, 50])
@pytest.mark.parametrize("columns", [20, 40, 80, 100, 200])
def test_everything_fits_on_the_screen_with_headings_and_foot(columns, lines, n_rows, drawn):
    seen = visible(arranged(TABLE[:n_rows], drawn, FOOT, columns, lines))
    assert len(seen) <= lines - 1, "the cursor is on the line below"
    assert max(map(len, seen)) <= columns - 1
    assert seen[0].startswith(TABLE[0][: columns - 1])
    assert seen[-1] == FOOT[0]


def test_a_picture_is_beside_the_table_where_there_is_room_and_below_it_elsewhere():
    wide, narrow = (visible(arranged(TABLE[:4], picture, FOOT, *size)) for size in ((200, 50), (70, 24)))
    assert wide[0].startswith(TABLE[0])
    assert "#" in wide[0]
    assert wide[3].startswith(TABLE[3])
    assert narrow[:4] == TABLE[:4]
    assert narrow[4].startswith("69x")


def test_a_long_table_shows_its_latest_rows_and_leaves_room_for_the_picture():
    for size in ((80, 24), (200, 50)):
        seen = visible(arranged(TABLE, picture, FOOT, *size))
        rows = [line for line in seen if re.match(r" +\d+ +\d+", line)]
        assert rows[-1].startswith(TABLE[-1])
        assert not any(line.startswith(TABLE[1]) for line in seen)
        assert sum("#" in line for line in seen) >= 16


def test_a_screen_too_small_for_a_picture_has_the_table_alone():
    assert "#" not in arranged(TABLE, picture, FOOT, 80, 10)
    assert "#" not in arranged(TABLE, picture, FOOT, 40, 24)


# ---- bars


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (7.4, "7 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s"), (3600, "1 h 0 min"), (7380, "2 h 3 min")],
)
def test_durations_in_words(seconds, text):
    assert duration(seconds) == text


def test_the_time_left_follows_from_the_part_that_is_done():
    assert Bar("CREATE", 0.25, 10.0).text(80, unicode=False).endswith("-  25 %  30 s left")
    assert Bar("CREATE", 0.0, 3.0).text(80, unicode=False).endswith("  0 %  3 s so far"), "nobody can know"
    assert Bar("CREATE", 1.0, 3.0).text(80, unicode=False).endswith("100 %  0 s left")
    assert Bar("GUESS", None, 3.0).text(80, unicode=False) == "GUESS 3 s so far"


@pytest.mark.parametrize("fraction", [-0.1, 0.0, 0.3, 0.999, 1.0, 1.2, None])
@pytest.mark.parametrize("width", [10, 30, 60, 200])
def test_a_bar_is_one_line_that_fits(width, fraction):
    text = Bar("CREATE", fraction, 12.0).text(width, unicode=False)
    assert len(text) <= width
    assert text.isascii()
    cells = Bar("CREATE", fraction, 12.0).text(width, unicode=True)
    assert len(cells) == len(text)


def test_a_bar_grows_with_the_work():
    lengths = [Bar("CREATE", k / 10, 1.0).text(80, unicode=False).count("#") for k in range(11)]
    assert lengths == sorted(lengths)
    assert lengths[0] == 0
    assert lengths[-1] == bar.LONGEST


class Seen(Console):
    """A console that takes itself for a terminal."""

    is_live = True
    colour = False
    unicode = False
    screen = (80, 24)

    def __init__(self, **more):
        super().__init__(StringIO(), StringIO(), **more)

    @property
    def text(self):
        return self.out.getvalue()


def worked(console, monkeypatch, n_alarms=3, patience=0.01):
    """Some work of which half is done, that lasts for some alarms, with bars that come soon."""
    monkeypatch.setattr(bar, "PATIENCE", patience)
    monkeypatch.setattr(bar, "SHOWN_EVERY", 0.02)
    with working(console, "WORK") as tell:
        tell(0.5)
        wait_for(n_alarms)
    return console.out.getvalue()


def wait_for(n_alarms):
    """Let alarms go off, those of the bar or, where there is none, of our own."""
    seen, bars = [], signal.getsignal(signal.SIGALRM)

    def ring(number, frame):
        seen.append(number)
        if callable(bars):
            bars(number, frame)

    is_free = not any(signal.getitimer(signal.ITIMER_REAL))
    signal.signal(signal.SIGALRM, ring)
    if is_free:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    while len(seen) < n_alarms:
        signal.pause()
    if is_free:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, bars)


def test_a_bar_is_shown_while_work_lasts_and_removed_after_it(monkeypatch):
    shown = worked(Seen(), monkeypatch)
    assert "WORK #" in shown
    assert "s left" in shown
    assert shown.endswith("\r\x1b[1A\x1b[J"), "the line of the bar is empty again"


def test_work_that_is_soon_done_has_no_bar(monkeypatch):
    assert worked(Seen(), monkeypatch, n_alarms=0, patience=600.0) == ""


@pytest.mark.parametrize("console", [Seen(quiet=True), Console(StringIO(), StringIO())], ids=["quiet", "a file"])
def test_nobody_else_sees_a_bar(monkeypatch, console):
    assert worked(console, monkeypatch) == ""


def test_an_alarm_while_the_bar_is_drawn_draws_nothing(monkeypatch):
    """A stream that is being written to cannot be written to."""

    class Slow(Seen):
        depth = deepest = 0

        def redraw(self, text, rows, afresh=False):
            self.depth += 1
            self.deepest = max(self.depth, self.deepest)
            signal.raise_signal(signal.SIGALRM)
            self.depth -= 1
            return super().redraw(text, rows, afresh)

    console = Slow()
    assert "WORK #" in worked(console, monkeypatch)
    assert console.deepest == 1


def test_the_bar_is_removed_when_the_work_fails(monkeypatch):
    console = Seen()
    monkeypatch.setattr(bar, "PATIENCE", 0.01)

    def fail():
        with working(console, "WORK", lambda: 0.5):
            wait_for(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert "WORK #" in console.text
    assert console.text.endswith("\x1b[1A\x1b[J")


def test_parts_show_a_bar_only_to_who_had_to_wait(monkeypatch):
    parts = Parts("SEQ")
    assert parts.bar is None
    monkeypatch.setattr(bar, "PATIENCE", -1.0)
    parts.fraction = 0.5
    assert parts.bar.fraction == 0.5


# ---- what keys do


class Pressed:
    """Keys, one for each look at the keyboard, and others for who waits for one; then nobody presses any."""

    def __init__(self, *keys, awaited=()):
        self.keys, self.awaited = list(keys), list(awaited)
        self.n_waits = 0
        self.ahead = ""

    @property
    def in_line(self):
        return bool(self.ahead) and not self.ahead.endswith("\n")

    def keep(self, text):
        self.ahead += text

    def pressed(self, wait=False, alone=False):
        self.n_waits += wait
        keys = self.awaited if wait else self.keys
        if wait and not keys:
            raise AssertionError("it waits for a key that nobody will press")
        return keys.pop(0) if keys else ""


@pytest.fixture
def steer(monkeypatch):
    monkeypatch.setattr(steering, "LOOK_EVERY", 0.0)
    shown = []

    def make(*keys, awaited=()):
        return Steering(Pressed(*keys, awaited=awaited), lambda: shown.append(None)), shown

    return make


def test_pausing_and_going_on(steer):
    control, shown = steer("p", awaited=(RESIZED, "\n", "p"))
    control.heed(True)
    assert not control.is_paused
    assert len(shown) == 3, "it draws before it waits, after another size, and after a key that means nothing"


@pytest.mark.parametrize("line", ["stats 95\n", "quit\n", "accept\n", "plot 1 2\n", "probe y\n", " a", "SET p1=3\nq"])
def test_what_is_typed_ahead_never_ends_a_fit(monkeypatch, line):
    """One key after the other, with trials between them."""
    monkeypatch.setattr(steering, "LOOK_EVERY", 0.0)
    keys = Pressed()
    keys.pressed = lambda wait=False, alone=False: keys.keys.pop(0) if keys.keys else ""
    control = Steering(keys, lambda: None)
    for key in line:
        keys.keys = [key]
        control.heed(True)
    assert keys.ahead == line.lstrip()
    assert not control.is_accepted
    assert not control.is_paused


def test_steps_are_made_one_at_a_time(steer):
    control, shown = steer("p", "", "", "s", "", "", "", awaited=("s", "s", "p"))
    control.heed(True)  # waits, and is to make a step
    assert control.text == RUNS
    control.heed(False)  # a trial that is none
    assert len(shown) == 1
    control.heed(True)  # waits, and is to make two
    assert len(shown) == 2
    control.heed(True)
    assert len(shown) == 2
    control.heed(True)  # waits, and goes on
    assert len(shown) == 3
    control.heed(True)
    assert len(shown) == 3


def test_accepting_and_stopping(steer):
    control, _ = steer("p", awaited="a")
    with pytest.raises(Accepted):
        control.heed(True)
    assert control.is_accepted
    control, _ = steer("p", awaited="q")
    with pytest.raises(Abandoned, match="nothing was changed"):
        control.heed(True)


def test_an_unpaused_optimization_does_not_wait(monkeypatch):
    ticks = (k * steering.LOOK_EVERY / 10.0 for k in range(10, 1010))
    monkeypatch.setattr(steering, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    keys = Pressed(*[""] * 1000)
    control = Steering(keys, lambda: None)
    for _ in range(1000):
        control.heed(True)
    assert keys.n_waits == 0
    assert 80 <= 1000 - len(keys.keys) <= 110, "the keyboard is looked at now and then, not after every trial"


# ---- accepted results


def with_keys(session, monkeypatch, *keys, awaited=()):
    """Let a session be at a terminal where keys are pressed, one after each trial, and others when it waits."""
    monkeypatch.setattr(steering, "LOOK_EVERY", 0.0)
    console, left = Seen(), Pressed(*keys, awaited=awaited)
    closed = []

    @contextmanager
    def listen():
        try:
            yield left
        finally:
            closed.append(True)

    console.listen = listen
    session.interpreter.console = console
    return console, closed


@pytest.fixture
def make(begin):
    """A function that begins a session for a command which has a way to go; if it is `bare`, where that began."""

    def made(line, bare=False):
        if line.startswith("CONTIN"):
            case = contrived()
            session = begin(case.model, case.observations)
            session(*([] if bare else [SMOOTH, "IFIT"]))
        else:
            session = begin()
            session(*([] if bare else [setting(TWO)]))
        return session

    return made


FITS = [
    "FIT MARQUARDT .01 1e-12 1e-14 100",
    "FIT MARQUARDT 1 -1e-12 -1e-14 100 7",
    "FIT MORE 1e-12",
    "FIT MORE 1e-10 500 HUBER .5",
]
OTHERS = [
    "SHOOT 5 10 15",
    "CONTIN .2 .5 .8",
    "SEQ 5 5",
    "SEQ 5 5 .01 1e-4 1e-4 100 CONTINUE ALL",
    "SEQ 5 5 .01 1e-4 1e-4 100 REPEAT 1 1e-4 1e-4 50 CONTINUE",
]


# In later problems, batches and values of gamma, too.
MOMENTS = [(line, n) for line in (*FITS, *OTHERS) for n in (1, 4, 9, 18)]
MOMENTS += [(OTHERS[0], 90), (OTHERS[2], 90), *((OTHERS[4], n) for n in (30, 45, 60))]


@pytest.mark.of_1977
@pytest.mark.parametrize(("line", "n"), MOMENTS)
def test_what_was_accepted_is_kept_and_the_journal_leads_there(make, monkeypatch, line, n):
    session = make(line)
    before = session.env
    console, closed = with_keys(session, monkeypatch, *[""] * (n - 1), "p", awaited="a")
    code, *_ = session.obey(Script([line], "test.pft"))
    assert closed
    if code == FAILED:  # before the first step, there is nothing to be accepted
        assert n < 9
        assert session.env is before
        assert "nothing was changed" in console.err.getvalue()
        return
    assert "ACCEPTED" in console.text or "what was reached is kept" in console.text
    assert session.env.values.tobytes() != before.values.tobytes()
    again = make(line, bare=True)
    again.commands(*session.entries)
    assert_same(session.env, again.env)
    assert again.env.continuation == session.env.continuation
    assert again.entries == session.entries
    session.interpreter.console = Console(StringIO(), StringIO())
    session("UNDO")
    assert session.env.values.tobytes() == before.values.tobytes()


@pytest.mark.of_1977
def test_who_accepts_a_batch_without_a_step_keeps_those_before(make, monkeypatch):
    session = make("SEQ")
    console, _ = with_keys(session, monkeypatch, *[""] * 29, "p", awaited="a")
    session.obey(Script([OTHERS[3]], "test.pft"))
    assert "kept is what the first 2 batches led to" in console.err.getvalue()
    again = make("SEQ", bare=True)
    again.commands(*session.entries)
    assert_same(session.env, again.env)


@pytest.mark.parametrize("line", [*FITS, *OTHERS])
def test_what_is_stopped_changes_nothing(make, monkeypatch, line):
    session = make(line)
    before, entries = session.env, session.entries
    console, closed = with_keys(session, monkeypatch, *[""] * 6, "p", awaited="q")
    code, *_ = session.obey(Script([line], "test.pft"))
    assert code == FAILED
    assert closed
    assert session.env is before
    assert session.entries == entries
    assert "stopped; nothing was changed" in console.err.getvalue()


@pytest.mark.parametrize("line", [*FITS, *OTHERS])
def test_pausing_and_stepping_changes_no_result(make, monkeypatch, line):
    session, other = make(line), make(line)
    console, _ = with_keys(session, monkeypatch, "", "p", "", "", RESIZED, "", awaited=("s", RESIZED, "s", "s", "p"))
    session.obey(Script([line], "test.pft"))
    other(line)
    assert WAITS in console.text
    assert_same(session.env, other.env)
    assert session.entries == other.entries


def lines_of(session):
    """What REPORT 8 would write out."""
    return written_out(session.env.model, session.env.details)


def test_the_details_have_the_steps_of_integrations_that_were_asked_for(make, monkeypatch):
    """Control parameters 1 and 2 write the steps out, also those of the last trial before an end by hand."""
    session = make("FIT")
    session("OPTION 1 5 2 0")
    with_keys(session, monkeypatch, *[""] * 4, "p", awaited="a")
    session.obey(Script(["FIT 1 .01 1e-12 1e-14 100"], "test.pft"))
    again = make("FIT", bare=True)
    again(*session.entries)
    assert lines_of(again) == lines_of(session)
    assert len(lines_of(session)) > 10


# ---- limits on the line, as the journal has them


def test_only_so_many_steps(make):
    session = make("SHOOT")
    said = session("SHOOT 5 10 15 0 .01 1e-6 1e-15 100 ONLY 3")
    assert "ENDED AFTER 3 steps, IN MINIMIZATION WITH WEIGHT 1" in said
    assert session.entries[-1] == "SHOOT 5 10 15 0 0.01 1e-06 1e-15 100 ONLY 3"
    assert "'7' is more than the command can use" in session.refused("SHOOT 5 0 .01 1e-6 1e-15 100 7")
    said = session("UNDO", "SEQ 5 5 .01 1e-4 1e-4 100 ONLY 2 STOP")
    assert re.search(r"BATCH 2 UP TO .*\(2 steps", said)


def test_only_so_many_steps_with_the_last_value_of_gamma(make):
    session = make("CONTIN")
    said = session("CONTIN .2 .5 ONLY 2")
    assert session.entries[-1].startswith("CONTIN 0.2 0.5 ")
    assert session.entries[-1].endswith(" ONLY 2")
    rows = said.split("CONTINUATION PARAMETER 0.5")[1].split("STOPPED")[0]
    assert len(re.findall(r"^ +\d+ +\S+ +\S+ +\S+$", rows, re.MULTILINE)) == 2
    for wrong in ("ONLY", "ONLY 0", "ONLY 1.5", "ONLY 1 2"):
        session.refused(f"CONTIN .6 {wrong}")


# ---- the picture


@pytest.mark.parametrize("line", [*FITS[::2], *OTHERS[:3]])
def test_the_picture_moves_with_data_and_curve(make, monkeypatch, line):
    session = make(line)
    console, _ = with_keys(session, monkeypatch, "p", awaited="sq")
    session.obey(Script([line], "test.pft"))
    picture_seen = console.text.split(WAITS)[1].rpartition("iteration ")[2]
    assert "observed" in picture_seen
    assert "sum of squares" in picture_seen
    assert "TIME" in picture_seen
    assert console.text.count(WAITS) == 2, "the last picture is without keys"
    assert RUNS not in console.text.split(WAITS)[2]


def test_a_sweep_shows_how_far_it_has_come(make, monkeypatch):
    monkeypatch.setattr(bar, "PATIENCE", -1.0)
    for line, label in (("CONTIN .2 .5 .8", "CONTIN"), ("SEQ 5 5", "SEQ"), ("SHOOT 5 10 15", "SHOOT")):
        session = make(label)
        console, _ = with_keys(session, monkeypatch, *["p", ""] * 400, awaited="p" * 400)
        session.obey(Script([line], "test.pft"))
        parts = [int(part) for part in re.findall(rf"{label} [#-]+ +(\d+) %", console.text)]
        assert parts == sorted(parts)
        assert len(set(parts)) >= 3, line


def test_who_asks_for_one_gamma_sees_no_bar(make, monkeypatch):
    monkeypatch.setattr(bar, "PATIENCE", -1.0)
    session = make("CONTIN")
    console, _ = with_keys(session, monkeypatch, "p", awaited="p")
    session.obey(Script(["CONTIN .2"], "test.pft"))
    assert WAITS in console.text
    assert "%" not in console.text.split("\x1b[J")[0]


def test_in_a_file_there_are_lines_and_neither_keys_nor_control_sequences(make):
    session = make("FIT")
    said = session(FITS[0])
    assert "\x1b" not in said
    assert RUNS not in said
    assert "iteration  sum of squares    reduction     lambda" in said


@pytest.mark.parametrize(
    "line", ["FIT 1", "CONTIN .5", "CONTIN 1 BREAKS 8 14", "IFIT 1 .01 1e-6 1e-6", "SHOOT 8 14", "SEQ 10 5"]
)
def test_all_methods_write_out_the_steps_of_their_integrations(begin, line):
    """Appendix A, OPTION: control parameter 1 asks for time and states, 2 for them in optimizations, too."""
    session = begin()
    session("OPTION 1977", "SET 1 1.02", "SMOOTH 1 AUTO AUTO", "OPTION 1 5 2 0", line)
    tables = [text for text in lines_of(session) if text.split()[:3] == ["t", "step", "order"]]
    trials = [text for text in lines_of(session) if text.startswith("TRIAL")]
    assert len(tables) == len(trials) > 0
    session("OPTION 2 1", line)
    assert not [text for text in lines_of(session) if text.split()[:3] == ["t", "step", "order"]]


def test_dfit_writes_out_the_integration_of_what_was_not_observed(begin):
    session = begin(data="predator-prey-y1")
    session("OPTION 1977", "SMOOTH 1 AUTO", "OPTION 1 5 2 0", "DFIT 1 .01 1e-6 1e-6")
    assert any(text.split()[:3] == ["t", "step", "order"] for text in lines_of(session))


def test_trials_are_told_where_nobody_could_ask_for_them(begin):
    """Appendix A, section 4: what goes to -SC1 is printed in batch mode."""
    session = begin()
    assert "TRIAL LAMBDA" not in session("OPTION ACCURATE", "SET 1 1.02", "FIT 1")
    assert "TRIAL LAMBDA" in session("OPTION 1977", "SET 1 1.02", "FIT 1")


def test_the_echo_has_iterations_and_picture_without_colours(make, monkeypatch):
    """At a terminal they are only in the picture that moves."""
    session = make(FITS[0])
    with_keys(session, monkeypatch)
    session("ECHO 1", "SET 1 1.02", "FIT 1")
    echo = session.file("echo")
    assert "\x1b" not in echo
    assert "iteration" in echo
    assert [line.split()[0] for line in echo.split("\n") if line.split()[:1] == ["1"] and "." in line]
    assert "observed" in echo


@pytest.mark.parametrize(("screen", "most"), [((120, 40), 40 - 6 - 8), ((80, 24), 16)])
def test_the_last_picture_leaves_room_for_the_parameters(session, screen, most):
    """On a large screen table and words below it push nothing off; on a small one the picture does not get too low."""
    console = Seen()
    console.screen = screen
    session.interpreter.console = console
    session("SET p1 1.02", "FIT MORE")
    last = console.text[: console.text.index("SUM OF SQUARES OF THE RESIDUALS")].rpartition("\x1b[J")[0]
    picture = last[max(last.rfind("\x1b[H\x1b[2J"), last.rfind("A")) :]
    assert most - 8 <= picture.count("\x1b[K\n") + 1 <= most
