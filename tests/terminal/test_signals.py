"""Signals that end the program: the terminal is as it was before, and what was on the screen is written down."""

import os
import signal
import termios

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from screens import Watched
from terminals import PREDATOR, folders_of_runs, journal_of, parfit

from parfit.session.console import Signalled
from parfit.terminal.fullscreen import show
from parfit.terminal.signals import handled

RIGHT = "\x1b[C"
CURSOR_ON, CURSOR_OFF = b"\x1b[?25h", b"\x1b[?25l"


@pytest.fixture
def session(tmp_path):
    with Watched(tmp_path, *PREDATOR) as opened:
        opened.modes = modes(opened)  # as the shell would leave them
        opened.wait()
        yield opened


def modes(session):
    return termios.tcgetattr(session._master)[:4]


def ended(session, number):
    """The program is sent a signal, and ends by it."""
    os.kill(session.process.pid, number)
    session.end()
    session._feed()
    assert session.process.returncode == -number


def test_nudge_gives_back_the_terminal_and_its_values(session, tmp_path):
    session.press("NUDGE\r", "RETURN leave")
    session.press(RIGHT + "f", "p1 is frozen")
    assert session.screen.is_alternate
    assert modes(session) != session.modes
    ended(session, signal.SIGTERM)
    assert not session.screen.is_alternate
    assert modes(session) == session.modes
    assert session.raw.rfind(CURSOR_ON) > session.raw.rfind(CURSOR_OFF)
    (run,) = folders_of_runs(tmp_path)
    assert journal_of(run) == []
    assert "#- cut off, and not kept: SET p1 1.02; FREEZE p1\n" in (run / "journal.pft").read_text()
    assert parfit(tmp_path, "--resume", "-e", "INTEG N").returncode == 0


def test_a_fit_and_a_prompt_give_back_the_terminal(session, tmp_path):
    session.give("OPTION 8 1 5 1e-8 7 .0005")  # so small steps that a fit takes long
    session.give("SET p1 1.4 p2 .15 p3 1.8")
    session.press("FIT MARQUARDT 1e8 1e-12 1e-14 100\r", "(?m)^p pause")
    assert modes(session) != session.modes
    ended(session, signal.SIGHUP)
    assert modes(session) == session.modes
    with Watched(tmp_path, *PREDATOR) as other:
        before = modes(other)
        other.wait()
        assert modes(other) != before
        ended(other, signal.SIGTERM)
        assert modes(other) == before


def test_a_handler_of_somebody_else_comes_back():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Signalled) as caught, handled():
        os.kill(os.getpid(), signal.SIGTERM)
    assert caught.value.number == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_view_is_in_what_ends_it():
    class Shot:
        outcome = ""

        def press(self, key):
            os.kill(os.getpid(), signal.SIGTERM)
            return self

        def render(self, width, height):
            return ""

    view = Shot()
    with create_pipe_input() as keyboard:
        keyboard.send_text("a")
        with pytest.raises(Signalled) as caught:
            show(view, input=keyboard, output=DummyOutput())
    assert caught.value.view is view
