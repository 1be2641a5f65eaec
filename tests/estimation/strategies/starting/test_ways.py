"""Ways: what a step does is what its line does when it is typed."""

import numpy as np
import pytest
from coldstarts import begun
from conversation import Session

from parfit.estimation.strategies.starting import ways
from parfit.estimation.strategies.starting.exploring import Explorer
from parfit.estimation.strategies.starting.places import Places
from parfit.estimation.strategies.starting.ways import fit_more, followed, set_to


def typed(env, steps):
    """Where the lines lead that are typed at an environment's own values."""
    session = Session(env.model, env.observations)
    session(*(step.line for step in [*set_to(session.env, env.values), *steps]))
    return session.env


@pytest.mark.parametrize("number", [1, 4])
def test_the_ways_of_a_search_are_its_lines(number):
    """From a place that is searched in logarithms, and from one that is not."""
    _, env = begun("chain", 1, 30.0)
    explorer = Explorer(env)
    search = explorer.gone_on(explorer.gone_on(explorer.begun(Places(env)(number)), 3), 400)
    totals = []
    for steps in ways.of_search(env, search):
        expected, found = followed(env, steps), typed(env, steps)
        assert np.array_equal(found.values, expected.values)
        assert found.parameters.scaling == expected.parameters.scaling
        totals.append(found.sum_of_squares)
    assert min(totals) == pytest.approx(search.total, rel=1e-6)


def test_along_curves():
    _, env = begun("predators", 1, 3.0)
    steps = ways.along_curves()
    assert np.array_equal(typed(env, steps).values, followed(env, steps).values)


def test_nothing_is_set_that_is_there_already():
    _, env = begun("chain", 1, 30.0)
    assert ways.set_to(env, env.values) == []


def test_an_environment_remembers_the_line_that_made_it():
    _, env = begun("chain", 1, 30.0)
    assert followed(env, [fit_more(7)]).origin == "FIT MORE 1e-08 7"
