"""SUSP."""

import os
import signal

import pytest


def test_suspend_is_harmless_in_a_script(session, monkeypatch):
    monkeypatch.setattr(os, "kill", lambda *given: pytest.fail("nobody could resume"))
    assert "no effect" in session("SUSP", "SET 1 2")
    assert session.env.values[0] == 2


def test_suspend_stops_at_a_terminal(session, monkeypatch):
    sent = []
    monkeypatch.setattr(os, "kill", lambda *given: sent.append(given))
    session.typed("SUSP", "SET 1 2")
    assert sent == [(os.getpid(), signal.SIGTSTP)]
    assert str(session.run.folder) in session.output, "where the files are, to look at meanwhile"
    assert session.env.values[0] == 2
