"""Searches that are gone on with, and stopped."""

import numpy as np
import pytest
from coldstarts import begun

from parfit.data.observations import make_observations
from parfit.estimation.optimizers import bounded
from parfit.estimation.strategies.starting.exploring import Explorer
from parfit.estimation.strategies.starting.places import Place, Places
from parfit.model.model import Model
from parfit.session.environment import Environment


def test_a_search_is_that_of_the_optimizer_itself():
    _, env = begun("chain", 1, 5.0)
    place = Place(0, env.values, env.parameters.scaling)
    found = Explorer(env).gone_on(Explorer(env).begun(place), 400)
    expected = bounded.minimize(env.problem(), env.parameters.point, bounded.Settings(max_evaluations=400))
    assert np.array_equal(found.p, expected.p)
    assert found.total == expected.evaluation.sum_of_squares
    assert found.n_evaluations == expected.n_evaluations


def test_problems_are_made_once_for_each_scaling():
    _, env = begun("chain", 1, 5.0)
    explorer, places = Explorer(env), Places(env)
    assert explorer.problem(places(1)) is explorer.problem(places(2))
    assert explorer.problem(places(1)) is not explorer.problem(places(4))


def test_time_ends_a_search_at_the_best_so_far_with_the_work_that_was_done():
    _, env = begun("predators", 1, 30.0)
    explorer = Explorer(env)
    begin = explorer.begun(Place(0, env.values, env.parameters.scaling))
    found = explorer.gone_on(begin, 400, seconds=0.0)
    assert found.n_evaluations < 400
    assert found.limits == (found.n_evaluations,)
    assert found.total <= env.problem().evaluate(env.parameters.point).sum_of_squares


def test_where_nothing_can_be_integrated_a_search_stays():
    _, env = begun("logistic", 1, 30.0)
    place = Place(0, np.array([1e300, -1.0, 1.0]), env.parameters.scaling)
    explorer = Explorer(env)
    found = explorer.gone_on(explorer.begun(place), 12)
    assert found.total == np.inf


def test_what_moves_too_fast_for_the_data_costs_little_and_leads_nowhere():
    """A thousand waves between two observations: 24 such integrations would take seconds."""
    times = np.linspace(1.0, 20.0, 20)
    data = make_observations(times, ["x"], np.sin(times)[:, np.newaxis])
    env = Environment.of(Model.from_text("par w=1\nx'=w*y\ny'=-w*x\ninit x=0, y=1\n@ t0=0\n"), data)
    explorer = Explorer(env)
    found = explorer.gone_on(explorer.begun(Place(0, np.array([6000.0]), env.parameters.scaling)), 24)
    assert found.total == np.inf
    assert explorer.n_evaluations == 1


def test_ctrl_c_is_passed_on(monkeypatch):
    _, env = begun("chain", 1, 5.0)

    def interrupted(problem, start, settings, bounds, *rest):
        found = original(problem, start, settings, bounds)
        return type(found)(found.p, found.evaluation, module.Ending.INTERRUPTED, 0.0, 0, 0)

    from parfit.estimation.strategies.starting import exploring as module

    original = bounded.minimize
    monkeypatch.setattr(module.bounded, "minimize", interrupted)
    explorer = Explorer(env)
    with pytest.raises(KeyboardInterrupt):
        explorer.gone_on(explorer.begun(Places(env)(1)), 12)


SPRING = "par w=1\nx'=w*v\nv'=-w*x\ninit x=1, v=0\n@ t0=0\n"


def test_no_search_begins_where_a_solution_turns_several_times_between_any_two_observations():
    """Thirty times as fast as the data there are five turns from one to the next; who has time looks there too."""
    times = np.linspace(1.0, 30.0, 30)
    env = Environment.of(Model.from_text(SPRING), make_observations(times, ["x"], np.cos(times)[:, np.newaxis]))
    fast, slow = (Place(1, np.array([w]), env.parameters.scaling) for w in (30.0, 1.1))
    explorer = Explorer(env)
    assert explorer.gone_on(explorer.begun(fast), 12).total == np.inf
    assert (explorer.n_hopeless, explorer.n_evaluations) == (1, 1)
    assert explorer.gone_on(explorer.begun(slow), 12).total < 1e-3
    patient = Explorer(env, in_a_hurry=False)
    assert patient.gone_on(patient.begun(fast), 12).total < np.inf
    assert patient.n_hopeless == 0
