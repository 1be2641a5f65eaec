"""Guesses without a dialogue: the curve of CREOBS to the last bit."""

import numpy as np
import pytest
from coarse import only
from conversation import model_of

from parfit.errors import StateError
from parfit.estimation.strategies.guess import Request, guess, unobserved
from parfit.session.environment import Environment


@pytest.fixture
def env():
    return Environment.of(model_of("predator-prey"), only("predator-prey", "y1"))


def test_three_lines_of_python_are_the_command(begin, env):
    request = Request("y2", [0, 2.5, 8.75, 12.5], [8, 3, 5, 4])
    result = guess(env, request)
    session = begin(data=only("predator-prey", "y1"))
    session("CREOBS 4 0 2.5 8.75 12.5 8 3 5 4")
    one, other = result.env.guesses["y2"], session.env.guesses["y2"]
    t = np.linspace(0, 12.5, 101)
    np.testing.assert_array_equal(one.curve(t), other.curve(t))
    again = begin(data=only("predator-prey", "y1"))
    again(request.written())
    np.testing.assert_array_equal(again.env.guesses["y2"].curve(t), one.curve(t))


def test_points_may_come_in_any_order(env):
    result = guess(env, Request("y2", [12.5, 0, 5], [4, 8, 6]))
    assert result.guess.t.tolist() == [0, 5, 12.5]
    assert result.guess.y.tolist() == [8, 6, 4]
    assert result.guess.curve([0.0, 5.0, 12.5]) == pytest.approx([8, 6, 4])


def test_what_was_observed_is_not_guessed(env):
    assert unobserved(env) == ["y2"]
    for name in ("y1", "nobody"):
        with pytest.raises(StateError, match=f"{name} is no state that was not observed"):
            guess(env, Request(name, [0, 12.5], [1, 2]))
