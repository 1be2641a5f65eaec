"""Driving the program as a user does: in a process of its own, through pipes or at a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType

PARFIT = (sys.executable, "-m", "parfit")
MODELS = Path(__file__).resolve().parents[1] / "models"
PREDATOR = (str(MODELS / "predator-prey.ode"), str(MODELS / "predator-prey.csv"))
ENZYME = str(MODELS / "enzyme.ode")
PATIENCE = 60.0  # seconds after which something is held to be missing, unless the program works on it all the time
WHOLE_RUN = 300.0  # seconds after which a run through pipes is held to be endless
A_WHILE = 1.0  # seconds that more is waited for a program that works
GLANCE = 0.01  # seconds between two looks at a process
N_LOOKS = 5  # that find it asleep, for it to be waiting

# What prompt_toolkit sends when it begins to read a line (bracketed paste on) becomes one character of the plain text.
READS = "\x02"
PASTE_ON = "\x1b[?2004h"
ESCAPES = re.compile(
    r"\x1b(?:[_P][^\x1b]*\x1b\\|\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Za-z0-9]|[=>78A-Z])|\r"
)
PROMPT = READS + ">"  # it moves over the blank instead of writing it
QUESTION = READS + "[^\n]*:"
DUMB_PROMPT = r"(?:\A|\n)> \Z"
DUMB_QUESTION = r"(?:\A|\n)[^\n]*: \Z"


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process that keeps all its files in a folder."""
    inherited = {name: os.environ[name] for name in ("PATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH") if name in os.environ}
    return {
        **inherited,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PAGER": "",  # tests of it say which
        "PROMPT_TOOLKIT_NO_CPR": "1",  # nobody answers where the cursor is
        **more,
    }


def executing(*commands: str) -> list[str]:
    """The words of a command line that gives these commands."""
    return [word for command in commands for word in ("-e", command)]


def parfit(
    folder: Path,
    *arguments: str | bytes,
    input: str | bytes | None = "",
    env: Mapping[str, str] | None = None,
    **how: object,
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, with what it is given through a pipe; an input of None closes it beforehand."""
    given = input.encode() if isinstance(input, str) else input
    run = subprocess.run(
        [*PARFIT, *arguments],
        input=given,
        capture_output=True,
        cwd=folder,
        env=environment(folder) if env is None else env,
        timeout=WHOLE_RUN,
        check=False,
        **how,  # type: ignore[call-overload]
    )
    out, err = (stream.decode("utf-8", "replace") for stream in (run.stdout, run.stderr))
    return subprocess.CompletedProcess(run.args, run.returncode, out, err)


@contextmanager
def started_with(number: int, handler: signal.Handlers) -> Iterator[None]:
    """What is started meanwhile ignores a signal, or does what is usual."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def folders_of_runs(folder: Path) -> list[Path]:
    """The runs that are kept, the oldest first."""
    return sorted((folder / "state" / "parfit" / "runs").glob("*"))


def journal_of(run: Path) -> list[str]:
    """The commands in a run's journal."""
    return [line for line in (run / "journal.pft").read_text().splitlines() if not line.startswith("#")]


def plain(text: str) -> str:
    """What is left of a terminal's output without its control sequences."""
    return ESCAPES.sub("", text.replace(PASTE_ON, READS))


class Session:
    """Somebody at a pseudo-terminal."""

    at_once = 65536  # bytes that are read together; few make sure that nothing is taken for whole that is not

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] = (40, 100),
        command: Sequence[str] = PARFIT,
    ):
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.process = subprocess.Popen(
            [*command, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment(folder) if env is None else env,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self._raw = b""
        self._seen = 0  # characters of the plain text that have been waited for

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.kill()
        self.hang_up()

    # ---- what is seen

    @property
    def text(self) -> str:
        """All that was shown."""
        return plain(self._raw.decode("utf-8", "replace"))

    @property
    def raw(self) -> bytes:
        """All that was shown, with its control sequences."""
        return self._raw

    def wait(self, pattern: str = PROMPT, timeout: float = PATIENCE) -> str:
        """What is shown from the last wait up to a pattern."""
        used = self.processor_time
        found = self.look(pattern, timeout)
        while found is None and self.is_working(used):
            found = self.look(pattern, A_WHILE)
        if found is None:
            raise AssertionError(f"{pattern!r} did not appear; there is {self.text[self._seen :]!r}")
        return found

    def look(self, pattern: str = PROMPT, timeout: float = PATIENCE) -> str | None:
        """The same, but None if it does not appear, because the time is over or the program is."""
        end = monotonic() + timeout
        while True:
            text = self.text
            match = re.compile(pattern).search(text, self._seen)
            if match is not None:
                before, self._seen = text[self._seen : match.end()], match.end()
                return before
            if not self._receive(end - monotonic()):
                return None

    def _receive(self, timeout: float) -> bool:
        if timeout <= 0 or not select.select([self._master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self._master, self.at_once)
        except OSError:  # the other end is closed
            return False
        self._raw += data
        return bool(data)

    def drain(self, seconds: float) -> None:
        """Receive what is shown for some time."""
        end = monotonic() + seconds
        while (left := end - monotonic()) > 0 and self.process.poll() is None:
            self._receive(left)

    # ---- what is typed

    def type(self, text: str | bytes) -> None:
        """Type keys; RETURN is \\r."""
        os.write(self._master, text.encode() if isinstance(text, str) else text)

    def type_ahead(self, text: str) -> None:
        """Type keys, and wait until the program has read them."""
        before, n = self._n_read(), len(text.encode())
        self.type(text)
        until(lambda: self._n_read() >= before + n, self.drain)

    def give(self, line: str, pattern: str = PROMPT) -> str:
        """Type a line, and wait for the next prompt or question."""
        self.type(line + "\r")
        return self.wait(pattern)

    def answer(self, lines: Iterable[str], pattern: str = PROMPT) -> str:
        """Type lines, each but the first at a question, until a prompt appears again."""
        *first, last = lines
        shown = "".join(self.give(line, QUESTION) for line in first)
        return shown + self.give(last, pattern)

    # ---- what it does

    @property
    def is_waiting(self) -> bool:
        """Whether the program sleeps: one that has something to do is running, however long it must wait for that."""
        return self._statistics()[0] == "S"

    def is_working(self, used: int) -> bool:
        """Whether the program has something to do, and was given less processor time for it than there is patience.

        On a busy machine it may take any time to get that.
        """
        if self.process.poll() is not None or all(self.is_waiting for _ in self._looks()):
            return False
        return self.processor_time - used < PATIENCE * os.sysconf("SC_CLK_TCK")

    @property
    def processor_time(self) -> int:
        """That the program has had, in ticks."""
        return 0 if self.process.poll() is not None else sum(map(int, self._statistics()[11:13]))

    def settle(self) -> None:
        """Wait until the program waits for what is typed."""
        until(lambda: not self._receive(GLANCE) and all(self.is_waiting for _ in self._looks()), self._receive)

    def _looks(self) -> Iterator[None]:
        for _ in range(N_LOOKS):
            yield
            sleep(GLANCE)

    def _statistics(self) -> list[str]:
        return Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()

    def _n_read(self) -> int:
        """Bytes that the program has read, wherever they came from."""
        return int(Path(f"/proc/{self.process.pid}/io").read_text().split()[1])

    # ---- how it ends

    def end(self) -> int:
        """The exit code, when the program ends by itself."""
        self.look(r"(?!)")
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """End the program as a crash does."""
        if self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def hang_up(self) -> None:
        """Close the terminal's window."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1


def until(condition: Callable[[], object], wait: Callable[[float], object] = sleep) -> None:
    """Wait for something to happen."""
    end = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < end, "it does not happen"
        wait(GLANCE)


def _take_terminal() -> None:
    """As a shell starts a program in the foreground, also where the tests run in the background, or by nohup."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
