"""Nothing that can be typed ends the program, confuses it, or changes what a command that failed has left alone."""

import os
import random
import signal
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from time import sleep

import pytest
from fingerprints import fingerprint, resumed
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from parfit.commands import TABLE
from parfit.console import Console
from parfit.dialogue import EndOfInput
from parfit.errors import DONE, FAILED, EndSession
from parfit.opening import open_run
from parfit.sources import Script, cleaned

LINES = 50  # of an example
EXAMPLES = 200  # for each kind of source
LIMIT = 5  # seconds for what one line can ask for here
MODEL = "par k=1, m=.5\nx'=-k*x\ny'=k*x-m*y\nflow=k*x\naux out=flow\nx(0)=2\n@ total=4\ndone\n"
DATA = "t,x,y\n1,.7,.9\n2,.3,1\n3,.1,.8\n"

# ---- what is typed

names = [command.name for command in TABLE.commands]
menu_words = sorted({item.word for command in TABLE.commands for each in command.questions for item in each.menu})
examples = [example for command in TABLE.commands for example in command.examples]
usual = ["0", "0", "0.0", ".5", "1.", "-1", "+2", "1d-3", "2.5E+1", "1(1)3", ".5(.5)2", "0(1e-9)1", "3(-1)1"]
unusual = [
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1e999",
    "1e308",
    "1e-308",
    "1e-400",
    "NaN",
    "0x10",
    "1_000",
    "٣",
    "-0",
    "1e",
]
digits = [
    "9" * 30,
    "0." + "3" * 300,
    "1" * 500,
    "99999999999",
    "1e5",
    ".",
    "-",
    "+",
    "4.9e-324",
    "1.7976931348623157e308",
]
words = [*menu_words, *"yYnN?", "k", "m", "K", "x", "Y", "out", "flow", "t", "all", "yes", "no", "kk", "p1"]
signs = ['"', '""', '"k"', '"a b"', '"open', ",", ",,", "=", "==", "k=", "=3", "k=3", "k = 3", "#", "a#b", "# c"]
bars = ["|", "| par k=2", "| x'=-k*x", "| done", "|\x1b[2J", "|\x00 #x", "| a\rSET 1 3", "||"]
statements = ["par k=3", "par new=1", "x'=-k*x*y", "x'=", "z'=1", "remove flow", "remove x", "aux q=x+y", "x(0)=k"]
keywords = ["init x=3", "EDIT", "TEXT", "DERIV"]
readable = ["data.csv", "model.ode", "with blank.csv", '"with blank.csv"', "/dev/null"]
unreadable = ["missing.csv", "missing.ode", ".", "..", "/", "a/b.csv", "noise.bin", "~", "~nobody/x.csv", "data.csv/x"]
odd = ["new.csv", "f.png", "a/f.svg", ".png", "x.pft", "x" * 300 + ".csv", "\x00.csv", "*.csv", "-", "-h.csv"]
controls = [
    "\x1b[31m",
    "\x00",
    "\x07",
    "\t",
    "\r",
    "\x0b",
    "\x85",
    "\u2028",
    "\ud800",
    "\u202e",
    "\ufeff",
    "\U0001f600",
    "é",
]
repeated = ["a", '"', ",", "0 ", "1 2 ", "k=", "9", "#", "\U0001f600"]
large = ["SAMPLE MESH 20000 1e-3", "SAMPLE INSERT 0 2 30000", "CREATE 0 .001(.001)9", "OPTION OUTPUT 1"]
KINDS = [usual, usual, unusual, digits, words, words, signs, statements, keywords, readable, unreadable, odd]
POOL = 12_000  # lines of which conversations are made


def a_token(rng):
    kind = rng.random()
    if kind < 0.03:
        return rng.choice(controls) if rng.random() < 0.7 else "".join(chr(rng.randrange(0x3000)) for _ in range(6))
    if kind < 0.035:
        return (rng.choice(repeated) * 100_000)[: rng.choice([2000, 100_000])]
    if kind < 0.07:
        return rng.choice(bars)
    if kind < 0.25:
        return str(rng.randint(-3, 12))
    if kind < 0.3:
        return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300))
    return rng.choice(rng.choice(KINDS))


def some_tokens(rng):
    return " ".join(a_token(rng) for _ in range(rng.randrange(7)))


def a_line(rng):
    kind = rng.random()
    if kind < 0.005:
        return rng.choice(large)
    if kind < 0.15:
        return rng.choice(examples)
    if kind < 0.25:
        return rng.choice(["", "0", "?", "Y", "N", "1", "k"])
    if kind < 0.45:
        return some_tokens(rng)
    name = rng.choice(names)
    return f"{name if rng.random() < 0.7 else name[: rng.randint(1, 6)].lower()} {some_tokens(rng)}"


generator = random.Random(1977)
lines = st.sampled_from([a_line(generator) for _ in range(POOL)])
conversations = st.lists(lines, min_size=LINES, max_size=LINES)


# ---- who types


class Typist:
    """Somebody who types one line after the other, whatever is asked, and gives up when there are no more."""

    interactive = True
    place = ""

    def __init__(self, given):
        self._lines = iter(given)

    def read(self, prompt, text=""):
        line = next(self._lines, None)
        if line is None:
            raise EndOfInput
        return cleaned(line)

    def unread(self):
        raise AssertionError("what somebody typed cannot be given back")


class TooLong(BaseException):
    """A line took longer than it may."""


@contextmanager
def in_time(seconds=LIMIT):
    def stop(number, frame):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder in which nothing that is typed can do harm, however often it is used."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(os, "kill", lambda process, number: None)  # SUSP
    monkeypatch.setattr("parfit.editor.subprocess.call", lambda words: 0)  # MODEL EDIT
    monkeypatch.setattr("os.fsync", lambda number: None)  # which would take most of the time
    count = iter(range(10**9))

    def fresh():
        folder = tmp_path / str(next(count))
        (folder / "a").mkdir(parents=True)
        (folder / "model.ode").write_text(MODEL)
        (folder / "data.csv").write_text(DATA)
        (folder / "with blank.csv").write_text(DATA)
        (folder / "noise.bin").write_bytes(bytes(range(256)))
        monkeypatch.chdir(folder)
        return folder

    return fresh


def fuzz(folder, given, make_source):
    """Obey all lines; every environment on the way is one that a command that succeeded has made."""
    out, err = StringIO(), StringIO()
    interpreter = open_run(["model.ode", "data.csv"], folder / "run", Console(out, err), debug=True)
    try:
        n_obeyed = obey_all(interpreter, make_source(given), err)
        assert interpreter.obey("HELP", Script([])) == DONE
    finally:
        interpreter.run.close()
    assert "SET" in out.getvalue()
    assert "\x1b" not in err.getvalue(), "a terminal obeys what is shown"
    assert len(err.getvalue()) < 2000 * LINES
    return interpreter, n_obeyed


def obey_all(interpreter, source, err):
    n_obeyed = 0
    while True:
        try:
            line = source.read("> ")
        except EndOfInput:
            return n_obeyed
        if not line.strip():
            continue
        before, said = interpreter.timeline, len(err.getvalue())
        mark = fingerprint(interpreter.env.parameters)
        try:
            with in_time():
                outcome = interpreter.obey(line, source)
        except EndSession:
            continue
        except TooLong:
            raise AssertionError(f"{line[:200]!r} takes too long") from None
        n_obeyed += 1
        assert outcome in (DONE, FAILED)
        if outcome == FAILED:
            assert interpreter.timeline is before
            assert fingerprint(interpreter.env.parameters) == mark
            assert err.getvalue()[said:].strip(), f"{line[:200]!r} failed without a word"


def check(place, given, make_source):
    folder = place()
    interpreter, n_obeyed = fuzz(folder, given, make_source)
    assert {path.name for path in folder.parent.iterdir() if not path.name.isdigit()} == set(), "it writes here alone"
    if (folder / "run").exists():
        for path in folder.iterdir():  # so that the copies must do
            if path.is_file() and path.name != "run":
                path.unlink()
        warnings = StringIO()
        with in_time(8 * LIMIT):
            again = resumed(folder / "run", warnings)
        assert "could not be played" not in warnings.getvalue(), warnings.getvalue()[:2000]
        assert fingerprint(again) == fingerprint(interpreter.env)
    return n_obeyed


# A failing conversation is long; that it is shown in full is no reason to hide why it failed.
LONG = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")
deterministic = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a line that fails is shown as it is; making 50 lines simpler takes minutes
    suppress_health_check=list(HealthCheck),
)


@LONG
def test_lines_of_a_script(place):
    counts = []

    @deterministic
    @given(conversations)
    def obeyed(given):
        counts.append(check(place, given, lambda lines: Script(lines, "a.pft")))

    obeyed()
    assert sum(counts) > EXAMPLES * LINES / 3


@LONG
def test_lines_at_a_terminal(place):
    counts = []

    @deterministic
    @given(conversations)
    def obeyed(given):
        counts.append(check(place, given, Typist))

    obeyed()
    assert sum(counts) > EXAMPLES * LINES / 10, "most lines are wrong answers, but not all"


def test_enough_is_typed():
    assert 2 * EXAMPLES * LINES >= 20_000


def test_every_command_is_reached(place):
    """Each with each of its examples, so that random lines begin from what works."""
    folder = place()
    interpreter = open_run(["model.ode", "data.csv"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    reached = set()
    for command in TABLE.commands:
        for example in command.examples:
            with in_time():
                try:
                    reached |= {command.name} if interpreter.obey(example, Script([])) in (DONE, FAILED) else set()
                except EndSession:
                    reached.add(command.name)
    interpreter.run.close()
    assert reached == set(names)
    assert Path("run").is_dir()


def test_a_script_cannot_be_saved_under_any_name(place):
    folder = place()
    interpreter = open_run(["model.ode"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    try:
        assert interpreter.obey(f"SAVE {'x' * 300}", Script([])) == FAILED
    finally:
        interpreter.run.close()


def test_an_exception_would_be_seen(place):
    """That the test can fail: a command with a mistake."""
    folder = place()
    interpreter = open_run(["model.ode"], folder / "run", Console(StringIO(), StringIO()), debug=True)
    with pytest.raises(TypeError):
        interpreter.obey("SET 1 3", NoSource())
    interpreter.run.close()


class NoSource:
    interactive = property(lambda self: 1 + "")
    place = property(lambda self: 1 + "")


def test_a_hang_would_be_seen():
    with pytest.raises(TooLong), in_time(1):
        sleep(10)
