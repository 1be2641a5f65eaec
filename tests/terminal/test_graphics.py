"""A terminal is asked whether it shows pixels: what it answers, when, and what somebody types meanwhile."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from functools import partial
from threading import Thread

import numpy as np
import pytest
from terminals import PREDATOR, PROMPT, Session, environment, folders_of_runs, journal_of

from parfit.plotting import Figure, Series
from parfit.session.console import Console
from parfit.terminal import graphics as module
from parfit.terminal.answers import Answers
from parfit.terminal.graphics import Graphics
from parfit.terminal.keys import TypeAhead, listen

ASKED = b"\x1b[c"
CELL, ATTRIBUTES, SIXEL = b"\x1b[6;16;8t", b"\x1b[?62;22c", b"\x1b[?62;4c"
KITTY = b"\x1b_Gi=31;OK\x1b\\"
FIGURE = Figure((Series("y", np.linspace(0, 1, 9), np.linspace(0, 1, 9) ** 2, "solid"),))
ENOUGH = 20.0  # seconds, in which even a busy machine answers
# The program, which puts pieces of an answer together however long a busy machine takes for them.
PATIENT = "import sys; from parfit.terminal import answers; answers.LATEST = 600.0"
PATIENT = (sys.executable, "-c", f"{PATIENT}; from parfit.__main__ import main; sys.exit(main())")


class Fake:
    """A terminal that answers, once it was asked, in its own way; what it is shown it keeps."""

    def __init__(self, master, answer):
        self.shown = b""
        self._master, self._answer = master, answer
        Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while ASKED not in self.shown:
            self.shown += os.read(self._master, 4096)
        os.write(self._master, self._answer)


@pytest.fixture
def terminal(monkeypatch):
    """Makes a console at a pseudo-terminal, with what asks it, and what was typed ahead."""
    monkeypatch.delenv("TMUX", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    master, slave = pty.openpty()
    with os.fdopen(os.dup(slave)) as keyboard, os.fdopen(slave, "w", encoding="utf-8") as screen:
        monkeypatch.setattr(sys, "stdin", keyboard)

        def make(answer, patience=ENOUGH):
            monkeypatch.setattr(module, "PATIENCE", patience)
            fake, answers, ahead = Fake(master, answer), Answers(), TypeAhead()
            graphics = Graphics(Console(screen, screen), answers, partial(listen, ahead, answers))
            return fake, graphics, answers, ahead

        yield make
    os.close(master)


@pytest.mark.parametrize(
    ("answer", "begins"),
    [
        (KITTY + CELL + ATTRIBUTES, "\x1b_Ga=T,f=100,q=2,c=40,r=10,"),
        (KITTY + CELL + SIXEL, "\x1b_Ga=T"),
        (CELL + SIXEL, '\x1bP0;1q"1;1;320;156#'),
        (b"\x1b[4;384;640t" + SIXEL, '\x1bP0;1q"1;1;320;156#'),  # by the size of the window, of 80 x 24 cells
        (SIXEL, '\x1bP0;1q"1;1;400;198#'),
        (b"\x1b[6;0;0t" + SIXEL, '\x1bP0;1q"1;1;400;198#'),
        (ATTRIBUTES, ""),
        (b"\x1b_Gi=31;EINVAL:no\x1b\\" + ATTRIBUTES, ""),
        (b"\x1b]11;rgb:0/0/0\x07\x1b[>1;2c\x1b[?6c", ""),
    ],
)
def test_what_it_answers_is_what_it_is_sent(terminal, monkeypatch, answer, begins):
    monkeypatch.setattr(Console, "screen", (80, 24))
    fake, graphics, _, _ = terminal(answer)
    found = graphics(FIGURE, 40, 10)
    assert found[: len(begins)] == begins
    assert bool(found) == bool(begins)
    assert graphics(FIGURE, 40, 10)[: len(begins)] == begins
    assert fake.shown.count(ASKED) == 1, "it is asked once"


def test_the_system_may_know_the_size_of_the_window(terminal):
    _, graphics, _, _ = terminal(SIXEL)
    fcntl.ioctl(sys.stdin, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 804, 514))
    assert graphics(FIGURE, 40, 10).startswith('\x1bP0;1q"1;1;320;168#'), "cells of 8 x 17 pixels"


def test_who_does_not_answer_gets_text_and_a_late_answer_counts_for_the_next_picture(terminal):
    _, graphics, answers, _ = terminal(b"", patience=0.2)
    assert graphics(FIGURE, 40, 10) == ""
    assert answers.without((KITTY + ATTRIBUTES).decode() + "T") == "T"
    assert graphics(FIGURE, 40, 10).startswith("\x1b_Ga=T")


def test_what_is_typed_meanwhile_is_typed_ahead(terminal):
    _, graphics, _, ahead = terminal(b"STATS\rFI" + KITTY + b"T" + ATTRIBUTES)
    assert graphics(FIGURE, 40, 10)
    assert ahead.take_lines() == ["STATS"]
    assert ahead.take_rest() == "FIT"


def test_text_is_what_is_wanted_or_pixels_whatever_it_says(terminal):
    fake, graphics, _, _ = terminal(KITTY + ATTRIBUTES)
    assert graphics(FIGURE, 40, 10, "TEXT") == ""
    assert fake.shown == b"", "nobody is asked"
    assert graphics(FIGURE, 40, 10, "SIXEL").startswith("\x1bP0;1q")
    assert graphics(FIGURE, 40, 10, "KITTY").startswith("\x1b_Ga=T")


def test_in_tmux_the_question_goes_past_it_and_the_answer_may_come_after_its_own(terminal, monkeypatch):
    monkeypatch.setenv("TMUX", "/tmp/tmux")
    fake, graphics, _, _ = terminal(ATTRIBUTES + KITTY)
    text = graphics(FIGURE, 40, 10)
    assert text.startswith("\x1bPtmux;\x1b\x1b_Ga=T,U=1,")
    assert "\U0010eeee" in text
    assert b"\x1bPtmux;\x1b\x1b_Gi=31" in fake.shown
    assert b"\x1b_G" not in fake.shown.replace(b"\x1b\x1b_G", b""), "tmux would take it for a title"


def test_tmux_that_knows_sixels_is_sent_them(terminal, monkeypatch):
    monkeypatch.setenv("TMUX", "/tmp/tmux")
    _, graphics, answers, _ = terminal(b"", patience=0.01)
    answers.without((CELL + SIXEL).decode())
    assert graphics(FIGURE, 40, 10).startswith('\x1bP0;1q"1;1;320;156#'), "as they are, not past it"


def test_a_tmux_that_cannot_be_got_past_is_not_asked_for_kitty(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "tmux-256color")
    fake, graphics, _, _ = terminal(ATTRIBUTES)
    assert graphics(FIGURE, 40, 10) == ""
    assert b"_G" not in fake.shown


class Answering(Session):
    """Somebody at a terminal that answers as soon as it is asked, however late that may be for the program."""

    def _receive(self, timeout):
        n = self.raw.count(ASKED)
        received = super()._receive(timeout)
        for _ in range(self.raw.count(ASKED) - n):
            for part in (b"N", KITTY[:5], KITTY[5:], b"O", CELL[:3], CELL[3:] + ATTRIBUTES[:1], ATTRIBUTES[1:], b"T"):
                self.type(part)
        return received


def test_a_conversation_at_a_terminal_that_shows_pixels(tmp_path):
    """Late or not, answers never get into the prompt, nothing typed is lost, and the echo has text."""
    with Answering(tmp_path, *PREDATOR, size=(24, 60), env=environment(tmp_path), command=PATIENT) as session:
        session.wait()
        session.give("ECHO 1")
        session.type("PLOT y1\r")
        session.wait(f"{PROMPT}[^\n]*NOT")  # which was typed among the answers
        session.type("E a remark\r")
        session.wait(f"{PROMPT}")
        session.give("PLOT y1")
        assert re.search(rb"\x1b_Ga=T,f=100,q=2,c=59,r=\d+,", session.raw), "now the answers are known"
        before = len(session.raw)
        session.give("OPTION PICTURES TEXT")
        session.give("PLOT y1")
        assert b"\x1b_G" not in session.raw[before:]
        session.give("ECHO 0")
    run = folders_of_runs(tmp_path)[0]
    assert journal_of(run)[-4:] == ["PLOT y1 0 N", "OPTION PICTURES TEXT", "PLOT y1 0 N", "ECHO OFF"]
    assert "NOTE a remark" in journal_of(run)
    echo = (run / "echo.txt").read_text()
    assert echo.count("y1 observed") == 3
    assert "\x1b" not in echo
