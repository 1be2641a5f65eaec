"""Continuation without a dialogue: the numbers of CONTIN to the last bit, failures as values, and steps by hand."""

import pytest
from contrived import SMOOTH, contrived
from conversation import assert_same

from parfit.estimation.problem import Ending
from parfit.estimation.problems.continuation import ContinuationFit
from parfit.estimation.strategies import contin as strategy
from parfit.estimation.strategies.contin import Failure, Reached, Request, Sweep, contin, remembered, with_breaks
from parfit.estimation.strategies.watching import telling


@pytest.fixture
def session(begin):
    """At IFIT's parameters, from which FIT cannot take a step."""
    case = contrived()
    session = begin(case.model, case.observations)
    session(SMOOTH, "IFIT")
    return session


@pytest.mark.parametrize(
    ("gammas", "breaks", "stop", "line"),
    [
        ((0.2,), (0.6, 1.6, 4.5, 9.5), False, "CONTIN .2 BREAKS .6 1.6 4.5 9.5"),
        ((0.3, 0.6, 0.8, 1.0), (), False, "CONTIN .3 .6 .8 1"),
        ((0.2, 0.5, 1.0), (0.6, 1.6, 4.5, 9.5), True, "CONTIN .2 .5 1 BREAKS .6 1.6 4.5 9.5 STOP"),
    ],
)
def test_three_lines_of_python_are_the_command(session, gammas, breaks, stop, line):
    env = session.env
    result = contin(env, Request(gammas, with_breaks(remembered(env), breaks), stop))
    session(line)
    assert_same(result.env, session.env)
    assert result.env.continuation == session.env.continuation
    assert result.request.written(env) == session.entries[-1]
    assert env.continuation is None, "the environment it began in is as it was"


def test_the_values_in_between_are_told(session):
    result = contin(session.env, Request((0.3, 0.6, 0.8, 1.0), remembered(session.env)))
    gammas = [each.gamma for each in result.reached]
    assert gammas == sorted(gammas)
    assert 0.8 <= gammas[-1] < 0.95
    assert isinstance(result.failure, Failure)
    assert result.failure.following is None
    assert result.failure.before == gammas[-1]
    assert not result.reached[-1].is_integrable
    assert not result.is_interrupted


def test_one_value_after_the_other(session):
    """The sweep is a value: what was done is not undone by what follows."""
    env = session.env
    request = Request((0.2, 0.5), remembered(env))
    first = Sweep.begun(env, request).next()
    second = first.next()
    assert [each.gamma for each in first.reached] == [0.2]
    assert [each.gamma for each in second.reached] == [0.2, 0.5]
    assert second.is_over
    assert not first.is_over
    assert_same(second.result().env, contin(env, request).env)
    assert_same(first.next().result().env, second.result().env)


def test_where_nothing_can_be_integrated_nothing_is_new(session, monkeypatch):
    monkeypatch.setattr(strategy, "ERRORS", 1)
    env = session.env.with_values((-5, -3, 3, 2))
    result = contin(env, Request((1.0,), remembered(env)))
    assert result.env is env
    assert result.reached == ()
    assert result.failure.ending is Ending.START
    assert not result.failure.status


def test_who_watches_sees_every_trial(session):
    seen = []
    result = contin(session.env, Request((0.2, 0.5), remembered(session.env)), telling(seen.append))
    assert len(seen) == sum(len(each.trace.tried) for each in result.reached)
    assert [trial.evaluation.sum_of_squares for trial in seen if trial.accepted][-1] == result.reached[
        -1
    ].sum_of_squares


def test_ctrl_c_keeps_the_values_before(session, monkeypatch):
    evaluate, reached = ContinuationFit.evaluate, []

    def interrupted(self, active):
        if reached:
            raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(ContinuationFit, "evaluate", interrupted)
    request = Request((0.2, 0.5), remembered(session.env))
    for sweep in strategy.swept(session.env, request):
        reached += [each for each in sweep.reached if isinstance(each, Reached)]
    assert sweep.is_interrupted
    assert [each.gamma for each in sweep.result().reached] == [0.2]
    with pytest.raises(KeyboardInterrupt):
        contin(session.env, request)
