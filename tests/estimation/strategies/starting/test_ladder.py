"""Where the rungs begin, and when there is no use in more of them."""

import numpy as np
from coldstarts import begun

from parfit.data.observations import make_observations
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.ladder import Ladder
from parfit.estimation.strategies.starting.patience import GIVEN_UP
from parfit.estimation.strategies.starting.places import FACTORS, NEARER, Place
from parfit.estimation.strategies.starting.ways import Way
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.text.starting import belief


def test_once_the_data_are_explained_other_ways_begin_around_the_best():
    """From a start that is wrong by decades, few places are near the answer; around it many are."""
    true, env = begun("chain", 1, 2.0)
    far = env.with_values(1e3 * true.values)
    ladder = Ladder(far, 10.0, 0)
    before = ladder._centred(17)(1).values
    assert (before > 0.999e3 / FACTORS[1] * true.values).all()
    for _ in ladder.climb():
        if ladder._fit.explains:
            break
    assert ladder.best is not None
    after = ladder._centred(17)(1).values
    assert np.array_equal(ladder._centred(9)(1).values, before)  # where a better one may be
    assert (np.abs(np.log(after / ladder.best.values)) < 1.001 * np.log(NEARER[1])).all()


def test_lower_minima_beside_the_best_are_looked_for_to_the_end():
    """What ends the search must not end the look around the best before it has seen all of it."""
    _, env = begun("reactor", 2, 30.0)
    ladder = Ladder(env, 10.0, 0)
    for _ in ladder.climb():
        if ladder.is_over():
            break
    assert ladder.is_examined


def test_a_model_that_cannot_follow_the_data_is_given_up_before_the_time_is_over():
    """One exponential for data that rise and fall: nearly all ways lead to the same poor minimum."""
    model = Model.from_text("par k=.3, a=1\nx'=-k*x\nx(0)=a\n@ t0=0\n")
    times = np.linspace(0.5, 12.0, 24)
    data = make_observations(times, ["x"], (2.0 - 0.05 * times + np.sin(2.0 * times))[:, np.newaxis])
    found = auto(Environment.of(model, data), Request(1000.0))
    assert not found.follows
    assert not found.is_believed
    assert found.is_examined
    assert GIVEN_UP.ways <= len(found.ways) < 2 * GIVEN_UP.ways
    assert found.n_agreeing >= GIVEN_UP.part * len(found.ways)
    assert "another model may be needed" in " ".join(belief(found).split())


def test_combinations_without_effect_are_counted_where_a_search_has_begun():
    """Around a start at which nothing can be integrated no place tells that only a runaway has hidden a parameter."""
    model = Model.from_text("par vm=2, km=3, p=1e5\nx'=-vm*x/(km+x)+p*x^2\nx(0)=1\n@ t0=0\n")
    times = np.linspace(0.2, 4.0, 20)
    env = Environment.of(model, make_observations(times, ["x"], np.exp(-times)[:, np.newaxis]))
    ladder = Ladder(env, 1.0, 0)
    begin = ladder._explorer.begun(Place(1, np.array([2.0, 3.0, 0.1]), env.parameters.scaling))
    run_away = np.array([1e15, 1e15, 0.0])
    ladder._add(Way("", 1.0, run_away, np.ones(20), begin))
    assert ladder.redundant() == 0
