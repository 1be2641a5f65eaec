"""ECHO."""

import pytest

from parfit.session.sources import Script


@pytest.mark.parametrize("on", [["ECHO 1"], ["ECHO ON"], ["ECHO", "1"], ["echo", "on"]])
@pytest.mark.parametrize("off", [["ECHO 0"], ["ECHO OFF"], ["ECHO", "0"]])
def test_echo(session, on, off):
    session("NOTE before")
    assert session.env.echo is False, "off at the start of a session"
    session(*on)
    assert session.env.echo is True
    session("SET p1 7")
    code, _, _ = session.obey(Script(["SET p9 1"], "x"))
    assert code == 1
    session(*off)
    session("NOTE after", "SET p1 8")
    text = session.file("echo")
    assert "> SET p1 7" in text
    assert "started at" in text, "the answer too"
    assert "'p9' is no parameter" in text, "and what went wrong"
    assert "before" not in text
    assert "after" not in text


def test_echo_refuses_others(session):
    assert "'2' is not on the menu; enter 1 or ON, 0 or OFF" in session.refused("ECHO 2")


def test_echo_follows_undo(session):
    session("ECHO ON", "UNDO", "REPORT 1")
    assert "REPORT 1" not in session.file("echo")
    session("REDO", "SET p1 8")
    assert "> SET p1 8" in session.file("echo")
