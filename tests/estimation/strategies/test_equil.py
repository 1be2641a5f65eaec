"""Equilibria without anybody to talk to."""

import pytest
from conversation import data_of, model_of

from parfit.errors import NumericalError
from parfit.estimation.strategies.equil import Request, equil, usual_times
from parfit.model.model import Model
from parfit.session.environment import Environment


def states(found):
    return sorted(tuple(each.y) for each in found.found)


def test_logistic_growth_rests_at_0_and_at_its_capacity():
    env = Environment.of(Model.from_text("par r=1, c=5\ny'=r*y*(1-y/c)\ninit y=1\n@ total=10\ndone"))
    result = equil(env)
    assert not result.timed
    (found,) = result.found
    assert [y for (y,) in states(found)] == pytest.approx([0, 5], abs=1e-9)


def test_where_time_matters_each_time_has_its_own():
    env = Environment.of(Model.from_text("par a=2\ny'=a*t-y\ninit y=1\n@ total=10\ndone"))
    assert usual_times(env) == (0.0, 5.0, 10.0)
    heard = []
    result = equil(env, Request((1.0, 3.0)), heard.append)
    assert result.timed
    assert heard == [0.5, 1.0]
    assert [states(each)[0][0] for each in result.found] == pytest.approx([2, 6])


def test_a_beginning_that_is_no_number_is_refused():
    env = Environment.of(model_of("barnes"), data_of("barnes"))
    with pytest.raises(NumericalError):
        equil(Environment.of(Model.from_text("par a=0\ny'=-y\ninit y=1/a\ndone")))
    assert equil(env).found
