"""Pieces of work: all of them, once each, whoever does them; and an end when somebody wants one."""

import pickle
import threading
from concurrent.futures import Executor, Future

import pytest

from parfit.estimation.strategies.parallel import Crew, StoppedError, _Tally, spread, threads


def square(number, tell):
    tell(0.5)
    return number * number


class Elsewhere(Executor):
    """Does everything at once, with what arrives of a parcel: as a cluster does."""

    n_chunks = 0

    def submit(self, work, /, *given, **more):
        self.n_chunks += 1
        future = Future()
        future.set_result(pickle.loads(pickle.dumps(work(*pickle.loads(pickle.dumps(given)), **more))))
        return future


@pytest.mark.parametrize("size", [1, 2, 5])
def test_every_piece_is_done_once_whoever_does_it(size):
    heard, parts = [], []
    with threads(size) as crew:
        spread(square, range(50), lambda number, found: heard.append((number, found)), parts.append, crew)
    assert sorted(heard) == [(k, k * k) for k in range(50)]
    assert parts[-1] == 1.0
    assert all(0.0 <= part <= 1.0 for part in parts)


def test_another_executor_gets_chunks_that_travel():
    elsewhere, heard = Elsewhere(), {}
    spread(square, range(40), heard.__setitem__, crew=Crew(elsewhere, 2))
    assert heard == {k: k * k for k in range(40)}
    assert 2 <= elsewhere.n_chunks < 40


def test_no_work_is_done_at_once():
    spread(square, [], lambda number, found: pytest.fail("nothing to be heard"))


def test_an_error_ends_it_and_what_is_under_way_notices():
    begun, ended = threading.Event(), threading.Event()

    def work(number, tell):
        if number == 0:
            assert begun.wait(60)
            raise ZeroDivisionError
        begun.set()
        try:
            while True:
                tell(0.1)
        except StoppedError:
            ended.set()
            raise

    with threads(2) as crew, pytest.raises(ZeroDivisionError):
        spread(work, range(2), lambda number, found: None, crew=crew)
    assert ended.wait(60)


def test_ctrl_c_comes_out_and_what_was_heard_stays():
    heard = []

    def hear(number, found):
        heard.append(number)
        if len(heard) == 3:
            raise KeyboardInterrupt

    with threads(1) as crew, pytest.raises(KeyboardInterrupt):
        spread(square, range(100), hear, crew=crew)
    assert len(heard) == 3


def test_who_works_elsewhere_is_not_stopped():
    tally = _Tally()
    tally.is_over.set()
    pickle.loads(pickle.dumps(tally)).tell(1, 0.5)
    with pytest.raises(StoppedError):
        tally.tell(1, 0.5)
