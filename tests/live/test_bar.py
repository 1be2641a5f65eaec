"""The bar of work that says nothing itself: drawn by an alarm clock, which may ring at any moment."""

import io
import signal
from types import SimpleNamespace

import pytest

from parfit import interrupts
from parfit.live import bar
from parfit.live.bar import working
from parfit.session.console import Console


class Slow(io.RawIOBase):
    """A terminal that takes so long to write something that the alarm rings."""

    def __init__(self):
        self.written = b""

    def writable(self):
        return True

    def isatty(self):
        return True

    def write(self, data):
        self.written += bytes(data)
        signal.raise_signal(signal.SIGALRM)
        return len(data)


@pytest.fixture
def console(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = io.TextIOWrapper(io.BufferedWriter(Slow()), encoding="utf-8")
    found = Console(stream, stream)
    assert found.is_live
    return found


@pytest.fixture(autouse=True)
def usual(monkeypatch):
    monkeypatch.setattr(bar, "PATIENCE", 600.0)  # only the alarms of the tests ring
    monkeypatch.setattr(bar, "time", SimpleNamespace(monotonic=lambda: 0.0))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    alarm = signal.signal(signal.SIGALRM, lambda number, frame: None)
    yield
    signal.signal(signal.SIGINT, before)
    signal.signal(signal.SIGALRM, alarm)


def test_an_alarm_in_the_middle_of_a_write_draws_nothing(console):
    """A stream that is being written to cannot be written to once more: RuntimeError, says Python."""
    with working(console, "INTEG"):
        console.say("what the work says")
        assert console.out.buffer.raw.written == b"what the work says\n"
        signal.raise_signal(signal.SIGALRM)
        assert b"INTEG 0 s so far" in console.out.buffer.raw.written
    assert not console.is_writing
    assert not any(signal.getitimer(signal.ITIMER_REAL))


def test_an_alarm_on_the_way_out_does_not_interrupt_that(console):
    """Else the clock would go on, and ring while the interrupt is told."""
    seen = []

    def interrupted():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGALRM)
            seen.append("the way out")

    with pytest.raises(KeyboardInterrupt), interrupts.remembered(), working(console, "INTEG"):
        interrupted()
    assert seen == ["the way out"]
    assert not any(signal.getitimer(signal.ITIMER_REAL))
