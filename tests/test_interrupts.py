"""Ctrl-C is never lost, and never leaves half of something behind."""

import dataclasses
import signal
import sys
import time

import pytest

from parfit import interrupts
from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.session.interpreter import INTERRUPTED
from parfit.session.sources import Script

PATIENCE = 60  # seconds, after which nobody waits any more


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def usual(monkeypatch):
    """The handler that Python has, also where tests run in the background and SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def alarm():
    """A function that lets an alarm clock ring, which does what Ctrl-C does, where that is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.signal(signal.SIGALRM, interrupts.interrupt)
    yield lambda: signal.raise_signal(signal.SIGALRM)
    signal.signal(signal.SIGALRM, before)
    assert signal.signal(signal.SIGINT, signal.default_int_handler) is signal.SIG_IGN, "what is ignored stays ignored"


@pytest.fixture(params=["Ctrl-C", "alarm"])
def disturb(request):
    """Either way."""
    return press if request.param == "Ctrl-C" else request.getfixturevalue("alarm")


def wait():
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(0.01)


def test_an_import_is_finished_first(tmp_path, monkeypatch):
    (tmp_path / "inner_one.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\nDONE = True\n")
    (tmp_path / "outer_one.py").write_text("import inner_one\nDONE = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def work():
        import outer_one  # noqa: F401

        seen.append("imported")
        wait()

    seen = []
    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        work()
    assert seen == ["imported"]
    assert sys.modules["inner_one"].DONE
    assert sys.modules["outer_one"].DONE


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_destructor_swallows_is_raised_again():
    class Dying:
        def __del__(self):
            press()

    seen = []

    def work():
        Dying()
        seen.append("gone on")
        interrupts.check()
        seen.append("not stopped")

    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        work()
    assert seen == ["gone on"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_at_the_latest_it_is_raised_in_the_end():
    class Dying:
        def __del__(self):
            press()

    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        Dying()


class Hands:
    """The module `_signal`, through which Ctrl-C is pressed while the signal changes hands."""

    def __init__(self, is_before):
        self.getsignal, self._is_before, self._n_left = signal.getsignal, is_before, 1

    def signal(self, number, handler):
        is_turn = (handler is interrupts._interrupt) is not self._is_before and self._n_left
        self._n_left -= bool(is_turn)
        if is_turn and self._is_before:
            press()
        before = signal.signal(number, handler)
        if is_turn and not self._is_before:
            press()
        return before


def test_it_may_be_pressed_as_soon_as_the_signal_is_given_back(monkeypatch):
    class Late:
        getsignal = signal.getsignal

        @staticmethod
        def signal(number, handler):
            before = signal.signal(number, handler)
            if handler is signal.default_int_handler:
                press()
            return before

    monkeypatch.setattr(interrupts, "_signal", Late)
    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        pass
    monkeypatch.undo()
    done = []

    def work():
        with interrupts.held():
            press()
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["all of it"], "later ones are still held off"


def test_a_method_that_is_being_written_is_finished(monkeypatch):
    @dataclass(frozen=True)
    class Pair:
        one: int
        other: int = 2

    def named(self, owner, name):
        press()

    monkeypatch.setattr(dataclasses.Field, "__set_name__", named)
    with pytest.raises(KeyboardInterrupt):
        Pair(1)
    monkeypatch.undo()
    assert Pair(1).other == 2


@pytest.mark.parametrize("is_before", [False, True], ids=["taken", "given back"])
def test_it_is_not_lost_where_the_signal_changes_hands(is_before, monkeypatch):
    monkeypatch.setattr(interrupts, "_signal", Hands(is_before))
    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with interrupts.remembered():  # and it is over
        interrupts.check()


def test_it_is_not_lost_because_something_fails():
    def work():
        try:
            press()
        except KeyboardInterrupt:
            raise StateError("something else") from None

    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        work()


def test_who_has_been_answered_is_not_interrupted_again():
    with interrupts.remembered():
        try:
            press()
        except KeyboardInterrupt:
            interrupts.answered()
        interrupts.check()
        reached = True
    interrupts.check()
    assert reached, "neither the check nor the end of what remembers has raised it again"


def test_what_holds_it_off_is_finished(disturb):
    seen = []

    def work():
        with interrupts.held():
            disturb()
            seen.append("finished")
        seen.append("not interrupted")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert seen == ["finished"]


def test_it_takes_the_signal_back():
    def work():
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as prompt_toolkit does
        interrupts.rearm()
        with interrupts.held():
            press()

    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        work()
    interrupts.rearm()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_is_ignored_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interrupts.remembered():
        press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_while_the_journal_is_written(session, monkeypatch):
    """The command is done and in the journal, and whoever pressed the key is told."""
    record = session.run.record

    def slowly(text):
        press()
        record(text)

    monkeypatch.setattr(session.run, "record", slowly)
    assert session.interpreter.obey("SET p1 7", Script([])) == INTERRUPTED
    assert session.env.values[0] == 7
    assert session.entries[-1] == "SET p1 7"
    assert "interrupted, after the command was done" in session.interpreter.console.err.getvalue()


def test_another_signal_interrupts_no_import_either(monkeypatch):
    """A bar is drawn by an alarm, which looks for a Ctrl-C that waits."""
    monkeypatch.setattr(interrupts._Memory, "is_pending", True)
    monkeypatch.setattr(interrupts, "_is_importing", lambda frame: frame == "importing")
    interrupts.check("importing")
    with pytest.raises(KeyboardInterrupt):
        interrupts.check("working")


# ---- where interrupts are ignored, but an alarm clock does the same


def test_an_alarm_interrupts_what_ignores_interrupts(alarm):
    with interrupts.remembered():
        press()  # which nobody hears
        with pytest.raises(KeyboardInterrupt):
            alarm()
        interrupts.answered()


def test_an_alarm_lets_an_import_be_finished_first(alarm, tmp_path, monkeypatch):
    (tmp_path / "inner_two.py").write_text("import signal\nsignal.raise_signal(signal.SIGALRM)\nDONE = True\n")
    monkeypatch.syspath_prepend(tmp_path)

    def work():
        import inner_two  # noqa: F401

        wait()

    with pytest.raises(KeyboardInterrupt), interrupts.remembered():
        work()
    assert sys.modules["inner_two"].DONE
