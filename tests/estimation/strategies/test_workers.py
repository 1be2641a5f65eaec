"""Work done by other processes: the same to the last bit, whoever dies on the way."""

import os
import signal
import threading

import pytest
from coldstarts import begun

from parfit.errors import CommandError
from parfit.estimation.strategies import parallel, workers
from parfit.estimation.strategies.starting.start import Request, start

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def local():
    """Two processes, which may take as long as they need to begin."""
    from dask import config

    with config.set({f"distributed.comm.timeouts.{what}": "600s" for what in ("connect", "tcp")}):
        yield workers.connect(workers.LOCAL, 2)
        workers.disconnect()


def totals(env, n, **more):
    return [each.total for each in start(env, Request(n), **more).ended]


def test_two_processes_find_what_one_finds_and_a_worker_that_is_killed_changes_nothing(local):
    _, env = begun("predators", 1, 30.0)
    workers.employ(None)
    expected = totals(env, 80)
    crew = workers.Crew(local.client.get_executor(pure=False), 4)
    assert totals(env, 40, crew=crew) == expected[:40]
    pids = list(local.client.run(os.getpid).values())
    killed = threading.Event()

    def kill(part):
        if part > 0.2 and not killed.is_set():
            killed.set()
            os.kill(pids[0], signal.SIGKILL)

    assert totals(env, 80, tell=kill, crew=crew) == expected
    assert killed.is_set()


def test_threads_are_counted(local):
    assert local.where == "LOCAL 2"
    assert local.n_threads >= 1


@pytest.mark.parametrize("where", ["nowhere.json", "host:1", "ftp://host"])
def test_what_is_no_scheduler_is_refused_and_who_worked_before_still_does(where, local):
    workers.employ(crew := workers.Crew(local.client.get_executor(pure=False), 4))
    with pytest.raises(CommandError, match="neither an address"):
        workers.connect(where)
    assert workers.present() is local
    assert local.client.status == "running"
    assert parallel._Employed.crew is crew
