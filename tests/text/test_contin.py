"""Lines that CONTIN proposes: the shortest that do what is meant, and what helps where nothing can be integrated."""

from dataclasses import replace

import pytest
from contrived import SMOOTH, contrived

from parfit.estimation.strategies.contin import Request, contin, remembered, with_breaks
from parfit.simulation.status import Reason, Status
from parfit.text.contin import remedies, shortest


@pytest.fixture
def env(begin):
    case = contrived()
    session = begin(case.model, case.observations)
    session(SMOOTH, "IFIT")
    return session.env


def test_a_proposal_says_what_differs_from_what_is_remembered(env):
    settings = remembered(env)
    assert shortest(env, Request((0.3,), settings)) == "CONTIN 0.3"
    some = with_breaks(settings, (0.6, 4.5))
    assert shortest(env, Request((0.3, 1.0), some)) == "CONTIN 0.3 1 BREAKS 4 14"
    assert shortest(env, Request((0.3,), replace(some, weights=(1.0, 2.0)))) == "CONTIN 0.3 BREAKS 4 14 WEIGHTS 1 2"
    inner = [float(t) for t in env.samples.times[1:-1]]
    assert shortest(env, Request((1.0,), with_breaks(settings, inner))) == "CONTIN 1 BREAKS ALL"


def test_what_is_remembered_is_not_said_again(env):
    some = with_breaks(remembered(env), (0.6, 1.6, 4.5, 9.5))
    later = contin(env, Request((0.2,), some)).env
    assert shortest(later, Request((0.3,), some)) == "CONTIN 0.3"


def test_remedies_lie_between_and_before(env):
    settings = replace(remembered(env), gamma=0.8)
    told = remedies(env, settings, 0.5, Status(Reason.NOT_FINITE, 4.6))
    assert told == "lower gamma (CONTIN 0.65) or add a break point at t = 4.5 (CONTIN 0.8 BREAKS 14)"
    told = remedies(env, settings, 0.8, Status(Reason.START, 0.0))
    assert told.startswith("insert sample times there (SAMPLE INSERT)")
