"""CLUSTER in conversation, without one."""

import sys

import pytest
from conversation import Session, model_of


@pytest.fixture
def session():
    return Session(model_of("enzyme"))


def test_alone_it_says_who_does_the_work(session):
    assert "the work is done by this machine" in session("CLUSTER")
    assert "the work is done by this machine" in session("CLUSTER OFF")


@pytest.mark.parametrize("number", ["", "0", "many", "2 3", "9" * 5000])
def test_processes_are_counted(session, number):
    assert "a number of processes" in session.refused(f"CLUSTER LOCAL {number}")


def test_what_is_no_scheduler_is_refused(session):
    assert "CLUSTER needs" in (said := session.refused("CLUSTER nowhere.json")) or "neither an address" in said


@pytest.mark.parametrize("line", ["CLUSTER nowhere.json", "CLUSTER LOCAL 2", "CLUSTER tcp://nowhere:1"])
def test_nobody_waits_for_what_is_not_installed(session, monkeypatch, line):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'parfit[cluster]'" in session.refused(line)
    assert "waiting" not in session.output


def test_nobody_waits_for_a_file_that_is_not_there(session):
    session.refused("CLUSTER nowhere.json")
    assert "waiting" not in session.output


@pytest.mark.parametrize("line", ["CLUSTER LOCAL 2", "CLUSTER tcp://nowhere:1"])
def test_what_cannot_begin_is_told(session, monkeypatch, line):
    """Processes cannot, for example, where a script that is imported again begins them; then it is as before."""

    class Failing:
        def __init__(self, *args, **settings):
            raise RuntimeError("Nanny failed to start")

    monkeypatch.setattr("parfit.estimation.strategies.workers._distributed", lambda: Failing)
    monkeypatch.setattr(Failing, "LocalCluster", Failing, raising=False)
    monkeypatch.setattr(Failing, "Client", Failing, raising=False)
    assert "Nanny failed to start" in session.refused(line)
    assert "this machine" in session("CLUSTER")
