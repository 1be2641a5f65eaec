"""Minimizations that somebody follows: what is kept of them when they end by themselves, by Ctrl-C, or by hand."""

import pickle
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from coarse import TWO
from conversation import data_of, model_of

from parfit.estimation.optimizers import searching
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.strategies.watching import Part, Waiting, minimized, telling, unwatched
from parfit.session.environment import Environment
from parfit.simulation.status import Status


@pytest.fixture
def part():
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey")).with_values(TWO)
    problem = env.problem()
    return Part(env, problem, problem.evaluate(env.parameters.point))


def search(part, watch):
    map_ = part.env.parameters
    return minimized(part, map_.point, Settings(max_iterations=12), map_, watch)


@dataclass
class Impatient:
    """Somebody who ends it at a trial, and may accept what was reached."""

    n_left: int
    accepts: bool = True
    is_accepted = False

    def __call__(self, trial, steps):
        if self.n_left == 0:
            self.is_accepted = self.accepts
            raise KeyboardInterrupt
        self.n_left -= 1


def ending(n, accepts=True):
    @contextmanager
    def watch(part):
        yield Impatient(n, accepts)

    return watch


def test_every_trial_is_in_the_trace(part):
    seen = []
    found = search(part, telling(seen.append))
    assert found.trace.first == part.first.sum_of_squares
    assert [each.total for each in found.trace.tried] == [trial.evaluation.sum_of_squares for trial in seen]
    for each, trial in zip(found.trace.tried, seen, strict=True):
        np.testing.assert_array_equal(each.p, trial.p)
        assert each.steps is None
    assert not found.is_accepted


def test_who_watches_changes_nothing(part):
    one, other = search(part, telling(lambda trial: None)), search(part, unwatched)
    np.testing.assert_array_equal(one.result.p, other.result.p)
    for each, same in zip(one.trace.tried, other.trace.tried, strict=True):
        np.testing.assert_array_equal(each.p, same.p)
        assert each.status == same.status or np.isnan(each.status.time)
        assert replace(each, p=None, status=None).__dict__ == replace(same, p=None, status=None).__dict__


def counted(made, kind, *given):
    made.append(kind)
    return kind(*given)


@pytest.mark.parametrize("in_kernel", [True, False])
def test_trials_that_nobody_watches_are_made_when_somebody_asks(part, monkeypatch, in_kernel):
    """Where the kernel has them; whoever evaluates in Python has the time to keep them."""
    made = []
    for kind in (searching.Trial, searching.Tried):
        monkeypatch.setattr(searching, kind.__name__, partial(counted, made, kind))
    if not in_kernel:
        monkeypatch.setattr(type(part.problem), "kernel", None)
        part.problem.__dict__.pop("kernel", None)
    found = search(part, unwatched)
    assert bool(made) is not in_kernel
    tried = found.trace.tried
    assert len(tried) == found.result.n_evaluations - 1
    assert found.trace.tried is tried
    assert [each.total for each in tried if each.accepted][-1] == found.result.evaluation.sum_of_squares


def test_a_trace_is_pickled_with_its_trials(part):
    trace = search(part, unwatched).trace
    copied = pickle.loads(pickle.dumps(trace))
    assert [each.p.tolist() for each in copied.tried] == [each.p.tolist() for each in trace.tried]
    assert [each.accepted for each in copied.tried] == [each.accepted for each in trace.tried]


def test_whoever_waits_hears_where_the_search_has_ended(part):
    heard = []

    @contextmanager
    def watch(part):
        yield Waiting(heard.append)

    found = search(part, watch)
    assert heard == [found.result]


@pytest.mark.parametrize("n", [5, 9, 14])
def test_what_is_accepted_is_the_same_as_so_many_steps(part, n):
    found = search(part, ending(n))
    assert found.is_accepted
    assert found.result.ending is Ending.INTERRUPTED
    map_ = part.env.parameters
    limited = minimized(part, map_.point, Settings(max_iterations=found.result.n_iterations), map_, unwatched)
    np.testing.assert_array_equal(found.result.p, limited.result.p)
    assert [each.lam for each in found.trace.tried] == [each.lam for each in limited.trace.tried]


def test_ctrl_c_is_passed_on(part):
    with pytest.raises(KeyboardInterrupt):
        search(part, ending(5, accepts=False))


class Arctangent:
    """From 3 a step by Gauss and Newton leads to -9.5, where the residual is larger."""

    def evaluate(self, p):
        return Evaluation(np.arctan(p), 1 / (1 + p[:, np.newaxis] ** 2), Status())


def test_what_no_step_has_led_to_is_accepted_only_where_that_makes_sense(part):
    problem, start, settings = Arctangent(), np.array([3.0]), Settings(0.0)
    part = replace(part, problem=problem, first=problem.evaluate(start))
    map_ = part.env.parameters
    with pytest.raises(KeyboardInterrupt):
        minimized(part, start, settings, map_, ending(0))
    found = minimized(part, start, settings, map_, ending(0), needs_step=False)
    assert found.is_accepted
    assert found.result.p.tolist() == [3.0]
    assert found.trace.tried == ()


def test_the_steps_of_integrations_are_kept_where_they_are_asked_for(part):
    options = replace(part.env.options, output=5, suppressed=0)
    found = search(replace(part, env=part.env.with_options(options)), unwatched)
    assert all(each.steps for each in found.trace.tried if each.usable)
    times = [step.t for step in found.trace.tried[0].steps]
    assert times == sorted(times)
