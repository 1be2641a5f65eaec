"""Lines that nobody should type, and somebody who obeys them all and looks at what they leave behind."""

from __future__ import annotations

import random
import shutil
import signal
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from fingerprints import fingerprint, resumed

from parfit.commands import TABLE
from parfit.errors import DONE, FAILED, Abandoned, EndSession
from parfit.session.console import Console
from parfit.session.interpreter import PROMPT
from parfit.session.line import EndOfInput
from parfit.session.opening import open_run
from parfit.session.sources import JOINERS, Script, cleaned
from parfit.terminal.prompt import ABANDONED

MODELS = Path(__file__).parent / "attack" / "models"
NAMES = sorted(path.stem for path in MODELS.glob("*.ode"))
LIMIT = 20  # seconds of processor time for what one line can ask for here
SHOWABLE = set("\n\t" + JOINERS)  # beside what is printable

# ---- what is typed

commands = [command.name for command in TABLE.commands]
menu_words = sorted({item.word for command in TABLE.commands for each in command.questions for item in each.menu})
examples = [example for command in TABLE.commands for example in command.examples]
usual = ["0", "0", "0.0", ".5", "1.", "-1", "+2", "1d-3", "2.5E+1", "1(1)3", ".5(.5)2", "0(1e-9)1", "3(-1)1"]
unusual = ["nan", "inf", "-inf", "1e999", "-1e999", "1e308", "-1e308", "1e-308", "1e-400", "NaN", "0x10", "1_000", "٣"]
unusual += ["-0", "1e", "1e300", "1e-300", "1e160", "1e-160", "--1", "1..2", "1e+", "infinity", "½", "１２"]
digits = ["9" * 30, "0." + "3" * 300, "1" * 500, "99999999999", "1e5", ".", "-", "+", "4.9e-324"]
digits += ["1.7976931348623157e308", str(2**31), str(2**63), str(-(2**64)), "9" * 5000]
words = [*menu_words, *"yYnN?", "t", "all", "yes", "no", "kk", "p1", "now", "NONE", "AUTO", "ONLY"]
signs = ['"', '""', '"k"', '"a b"', '"open', ",", ",,", "=", "==", "k=", "=3", "k=3", "k = 3", "#", "a#b", "# c"]
signs += ['"a""b"', '"\'"', "'\"'", '"#"', '"\\"', "\\", "$HOME", "`ls`", "$(ls)", ";", "&&", "%s", "{}", "{0}", "%n"]
bars = ["|", "| par k=2", "| x'=-k*x", "| done", "|\x1b[2J", "|\x00 #x", "| a\rSET 1 3", "||"]
statements = ["par k=3", "par new=1", "x'=-k*x*y", "x'=", "z'=1", "remove flow", "remove x", "aux q=x+y", "x(0)=k"]
keywords = ["init x=3", "EDIT", "TEXT", "DERIV"]
readable = ["data.csv", "model.ode", "with blank.csv", '"with blank.csv"', "/dev/null"]
unreadable = ["missing.csv", "missing.ode", ".", "..", "/", "a/b.csv", "noise.bin", "~", "~nobody/x.csv", "data.csv/x"]
odd = ["new.csv", "f.png", "a/f.svg", ".png", "x.pft", "x" * 300 + ".csv", "\x00.csv", "*.csv", "-", "-h.csv", "x.dat"]
controls = ["\x1b[31m", "\x00", "\x07", "\t", "\r", "\x0b", "\x85", "\x9b31m", "\u2028", "\ud800", "\u202e", "\ufeff"]
controls += ["\U0001f600", "é", "\u200d", "\x7f", "\x1b]0;title\x07"]
repeated = ["a", '"', ",", "0 ", "1 2 ", "k=", "9", "#", "\U0001f600", "(", "-", "."]
large = ["SAMPLE MESH 20000 1e-3", "SAMPLE INSERT 0 2 30000", "CREATE 0 .001(.001)9", "OPTION OUTPUT 1"]


class Lines:
    """A generator of lines about a model."""

    def __init__(self, seed: int, names: tuple[str, ...]):
        self._rng = random.Random(seed)
        own = [*names, *names, *(name.upper() for name in names)]
        self._kinds = [usual, usual, unusual, digits, [*words, *own], own, signs, statements, keywords]
        self._kinds += [readable, unreadable, odd]

    def some(self, n: int) -> list[str]:
        return [self._line() for _ in range(n)]

    def _line(self) -> str:
        rng, kind = self._rng, self._rng.random()
        if kind < 0.005:
            return rng.choice(large)
        if kind < 0.15:
            return rng.choice(examples)
        if kind < 0.25:
            return rng.choice(["", "0", "?", "Y", "N", "1", "k"])
        if kind < 0.4:
            return self._tokens()
        name = rng.choice(commands)
        return f"{name if rng.random() < 0.7 else name[: rng.randint(1, 6)].lower()} {self._tokens()}"

    def _tokens(self) -> str:
        return " ".join(self._token() for _ in range(self._rng.randrange(7)))

    def _token(self) -> str:
        rng, kind = self._rng, self._rng.random()
        if kind < 0.03:
            return (
                rng.choice(controls) if rng.random() < 0.7 else "".join(chr(rng.randrange(0x3000)) for _ in range(6))
            )
        if kind < 0.035:
            return (rng.choice(repeated) * 100_000)[: rng.choice([2000, 100_000])]
        if kind < 0.07:
            return rng.choice(bars)
        if kind < 0.25:
            return str(rng.randint(-3, 12))
        if kind < 0.3:
            return repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-300, 300))
        return rng.choice(rng.choice(self._kinds))


# ---- who types


class Typist:
    """Somebody who types one line after the other, whatever is asked, and gives up when there are no more.

    A question that is asked for the fourth time is left by Ctrl-C, as people do, so that more commands are reached.
    """

    interactive = echoed = True
    place = ""

    def __init__(self, given):
        self._lines = iter(given)
        self._asked, self._n_asked = None, 0

    def read(self, prompt, text=""):
        self._n_asked = self._n_asked + 1 if self._asked == (prompt, text) else 1
        self._asked = prompt, text
        if self._n_asked > 3 and prompt != PROMPT:
            raise Abandoned(ABANDONED)
        line = next(self._lines, None)
        if line is None:
            raise EndOfInput
        return cleaned(line)

    def unread(self):
        raise AssertionError("what somebody typed cannot be given back")


def a_script(given):
    return Script(given, "a.pft")


class TooLong(BaseException):
    """A line took longer than it may."""


@contextmanager
def in_time(seconds=LIMIT):
    """Limit the processor time, which a busy machine does not lengthen."""

    def stop(number, frame):
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


# ---- what comes of it


def furnish(folder: Path, name: str) -> None:
    """The files of a model, with others that may be named."""
    (folder / "a").mkdir(parents=True)
    for path in (MODELS / f"{name}.ode", MODELS / f"{name}.csv"):
        shutil.copy(path, folder / f"{'model' if path.suffix == '.ode' else 'data'}{path.suffix}")
    shutil.copy(MODELS / f"{name}.csv", folder / "with blank.csv")
    shutil.copy(MODELS / "force.csv", folder)
    (folder / "noise.bin").write_bytes(bytes(range(256)))


def converse(folder: Path, given, make_source=a_script, limit=LIMIT) -> tuple[int, int]:
    """Obey all lines in a folder with a model; gives how many were obeyed, and how many of these failed.

    A line that fails must say so, without any character that a terminal obeys, and leave everything as it was. In the
    end the journal, played again without the files that were read, leads to the same environment.
    """
    out, err = StringIO(), StringIO()
    interpreter = open_run(["model.ode", "data.csv"], folder / "run", Console(out, err), debug=True)
    try:
        counts = _obey_all(interpreter, make_source(given), out, err, limit)
        assert interpreter.obey("HELP", Script([])) == DONE
    finally:
        interpreter.run.close()
    if (folder / "run").exists():
        for path in folder.iterdir():
            if path.is_file():
                path.unlink()
        warnings = StringIO()
        with in_time(8 * limit):
            again = resumed(folder / "run", warnings)
        assert "could not be played" not in warnings.getvalue(), warnings.getvalue()[:2000]
        assert fingerprint(again) == fingerprint(interpreter.env)
    return counts


def _obey_all(interpreter, source, out, err, limit):
    n_obeyed = n_failed = 0
    while True:
        try:
            line = source.read("> ")
        except EndOfInput:
            return n_obeyed, n_failed
        if not line.strip():
            continue
        for stream in (out, err):
            stream.seek(0)
            stream.truncate()
        before, mark = interpreter.timeline, fingerprint(interpreter.env)
        try:
            with in_time(limit):
                outcome = interpreter.obey(line, source)
        except EndSession:
            continue
        except TooLong:
            raise AssertionError(f"{line[:200]!r} takes too long") from None
        except Exception as error:
            error.add_note(f"the line was {line[:300]!r}")
            raise
        n_obeyed += 1
        wild = {c for c in out.getvalue() + err.getvalue() if not c.isprintable()} - SHOWABLE
        assert not wild, f"{line[:200]!r} shows {wild}"
        assert outcome in (DONE, FAILED), line[:200]
        if outcome == FAILED:
            n_failed += 1
            # FIT 2 in a script keeps what it had reached before the line that was wrong.
            if not interpreter.env.origin.startswith("FIT INTERACTIVE") or interpreter.timeline is before:
                # Nothing but the memory of the failure itself may differ.
                now = interpreter.timeline
                assert now.present is before.present, line[:200]
                assert (now.past, now.future, now.made) == (before.past, before.future, before.made), line[:200]
                assert fingerprint(interpreter.env) == mark, line[:200]
            assert err.getvalue().strip(), f"{line[:200]!r} failed without a word"
            assert source.interactive or len(err.getvalue()) < 2500, f"{line[:200]!r} says too much"
