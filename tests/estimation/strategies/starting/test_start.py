"""Searches from many places: the same whoever does them, and kept as they arrive."""

import numpy as np
import pytest
from coldstarts import begun

from parfit.errors import CommandError, NumericalError
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.parallel import threads
from parfit.estimation.strategies.starting.start import Request, Searching, read, start


def test_the_best_is_found_and_taken_with_marks():
    true, env = begun("predators", 1, 30.0)
    found = start(env, Request(60))
    assert found.env.sum_of_squares == pytest.approx(fit(true).total, rel=1e-3)
    assert [mark.name for mark in found.env.marks] == ["start1", "start2", "start3"]
    assert found.env.marks[0].sum_of_squares == pytest.approx(found.minima[0].total, rel=1e-6)
    assert sum(each.n for each in found.minima) + found.n_dead == 60


def test_any_number_of_threads_finds_the_same():
    _, env = begun("predators", 2, 30.0)
    totals = []
    for n in (1, 3):
        with threads(n) as crew:
            totals.append([each.total for each in start(env, Request(24), crew=crew).ended])
    assert totals[0] == totals[1]


def test_fewer_places_are_the_first_of_more():
    _, env = begun("chain", 1, 30.0)
    few, more = (start(env, Request(n)) for n in (6, 12))
    assert [each.total for each in few.ended] == [each.total for each in more.ended[:6]]


def test_what_was_finished_is_not_done_again(monkeypatch):
    _, env = begun("chain", 1, 30.0)
    pieces: dict[str, object] = {}

    class Kept:
        get = staticmethod(pieces.get)
        put = staticmethod(pieces.__setitem__)

    first = start(env, Request(8), kept=Kept())
    done: list[int] = []
    original = Searching.__call__

    def counted(self, number, tell):
        done.append(number)
        return original(self, number, tell)

    monkeypatch.setattr(Searching, "__call__", counted)
    second = start(env, Request(10), kept=Kept())
    assert sorted(done) == [9, 10]
    assert [each.total for each in second.ended[:8]] == [each.total for each in first.ended]


@pytest.mark.parametrize("total", [0.0, np.inf])
def test_a_search_that_is_kept_has_ended_as_it_did(monkeypatch, total):
    _, env = begun("chain", 1, 30.0)
    pieces: dict[str, object] = {}

    class Kept:
        get = staticmethod(pieces.get)
        put = staticmethod(pieces.__setitem__)

    found = (total, env.values.tolist())
    monkeypatch.setattr(Searching, "__call__", lambda self, number, tell: found if number == 1 else (1.0, found[1]))
    totals = [[each.total for each in start(env, Request(2), kept=Kept()).ended] for _ in range(2)]
    assert totals == [[total, 1.0]] * 2


def test_ctrl_c_keeps_the_first_ones():
    _, env = begun("predators", 1, 30.0)
    calls = []

    def impatient(part):
        calls.append(part)
        if part > 0.3:
            raise KeyboardInterrupt

    found = start(env, Request(60), impatient)
    assert found.is_interrupted
    assert 0 < found.request.n < 60
    assert [each.number for each in found.ended] == list(range(1, found.request.n + 1))


def test_what_is_better_already_stays():
    true, _ = begun("chain", 1, 30.0)
    env = fit(true).env
    found = start(env, Request(4))
    assert not found.is_better
    assert np.array_equal(found.env.values, env.values)


def test_where_no_search_leads_anywhere_it_says_so(monkeypatch):
    _, env = begun("chain", 1, 30.0)
    monkeypatch.setattr(Searching, "__call__", lambda self, number, tell: (np.inf, env.values.tolist()))
    with pytest.raises(NumericalError, match="led anywhere"):
        start(env, Request(3))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", (100, 0)),
        ("7", (7, 0)),
        ("seed 3", (100, 3)),
        ("50 SEED 9", (50, 9)),
        ("SEED 9223372036854775807", (100, 2**63 - 1)),
    ],
)
def test_lines_that_are_read(line, expected):
    found = read(line)
    assert (found.n, found.seed) == expected


@pytest.mark.parametrize("line", ["0", "many", "5 6", "SEED", "7 SEED", "7 SEED x", "SEED 1 2", "1 SEED 2 SEED 3"])
def test_lines_that_are_refused(line):
    with pytest.raises(CommandError):
        read(line)
