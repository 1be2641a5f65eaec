"""Iterated curve fitting without a dialogue: the numbers of the command to the last bit, and rounds one by one."""

import numpy as np
import pytest
from conversation import assert_same

from parfit.errors import StateError
from parfit.estimation.strategies import rounds
from parfit.estimation.strategies.curve_fit import DERIVATIVE, INTEGRAL
from parfit.estimation.strategies.rounds import Request, begun, iterate
from parfit.simulation.status import Reason, Status


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request(DERIVATIVE), "DFIT 3 Y .01"),
        (Request(DERIVATIVE, fixed=False, tol=0.001, rounds=3), "DFIT 3 N .001 AUTO 1e-6 AUTO N 2 N"),
        (Request(INTEGRAL, rounds=2), "IFIT 4 Y .01 AUTO 1e-6 AUTO N 1 N"),
        (Request(INTEGRAL, by_integration=True, rounds=3), "IFIT 3 AUTO 1e-6 AUTO 2 N"),
    ],
)
def test_three_lines_of_python_are_the_command(prey, request_, line):
    env = prey.env
    result = iterate(env, request_)
    prey(line)
    assert_same(result.env, prey.env)
    assert len(result.env.iterates) == request_.rounds + 1
    for one, other in zip(result.env.iterates, prey.env.iterates, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.guesses["y2"], other.guesses["y2"])
    np.testing.assert_array_equal(result.env.guesses["y2"].y, prey.env.guesses["y2"].y)


def test_rounds_one_by_one(prey):
    """A refinement is a step of its own, and its tolerance holds from then on."""
    env = prey.env
    first = begun(env, Request(DERIVATIVE)).fitted().improved().improved(0.001).closed()
    second = first.next()
    assert len(first.seen) == 2
    assert second.tol == 0.001
    prey("DFIT 3 Y .01 AUTO 1e-6 AUTO Y .001 N 1 N")
    assert_same(second.result().env, prey.env)


def test_a_round_that_fails_leaves_everything_as_it_was(prey, monkeypatch):
    monkeypatch.setattr(rounds, "integrated_guess", lambda *arguments: ({}, Status(Reason.START)))
    result = iterate(prey.env, Request(INTEGRAL, by_integration=True, rounds=3))
    assert result.env is prey.env
    assert result.full is None
    assert result.rounds.failed
    assert result.rounds.failure.reason is Reason.START
    assert len(result.rounds.seen) == 1


def test_it_needs_guesses(begin):
    session = begin()
    session("SMOOTH SPLINE AUTO AUTO")
    with pytest.raises(StateError, match="all states were observed"):
        iterate(session.env, Request(INTEGRAL))
