"""Where the rungs begin, and when there is no use in more of them."""

import numpy as np
import pytest
from coldstarts import begun

from parfit.data.observations import make_observations
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.ladder import Ladder
from parfit.estimation.strategies.starting.patience import GIVEN_UP
from parfit.estimation.strategies.starting.places import FACTORS, NEARER, Place, logarithms
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


def test_a_search_that_logarithms_led_to_0_goes_on_without_them():
    """A second rate that begins next to nothing hardly moves in its logarithm, and soon is where it should be."""
    model = Model.from_text("par a=.3, b=.2\nx'=-a*x-b*x*x\nx(0)=2\n@ t0=0\n")
    times = np.linspace(0.2, 6.0, 30)
    x = 0.6 / (0.7 * np.exp(0.3 * times) - 0.4)  # the solution, from 1/x
    noisy = x + 0.15 * np.random.default_rng(1).normal(size=30)
    env = Environment.of(model, make_observations(times, ["x"], noisy[:, np.newaxis]))
    ladder = Ladder(env, 10.0, 0)
    ladder._go_on(ladder._explorer.begun(Place(0, env.values, env.parameters.scaling)))
    assert ladder.best is not None
    low, place = ladder.best.total, Place(3, np.array([0.5, 1e-60]), logarithms(env.parameters, env.values))
    stuck = ladder._explorer.gone_on(ladder._explorer.begun(place), 100)
    assert low * 1.001 < stuck.total < 1.5 * low
    assert ladder._finished(stuck).total <= 1.001 * low


@pytest.mark.parametrize(
    ("text", "values", "has_turned"),
    [
        ("x'=a*x+b\n", [-1.0, 0.01], True),
        ("x'=a*x+b\n", [1.0, 0.01], False),
        ("x'=-x+a*1e-9*x+b\n", [-1.0, 0.01], False),  # it may as well be 0
        ("x'=-a*b*x\n", [-1.0, -1.0], False),  # two signs, of which only the product is seen
    ],
)
def test_a_sign_has_turned_if_the_data_tell_it(text, values, has_turned):
    times = np.linspace(0.2, 4.0, 20)
    noisy = np.exp(-times) + 0.01 * np.random.default_rng(3).normal(size=20)
    model = Model.from_text(f"par a=.5, b=.3\n{text}x(0)=1\n@ t0=0\n")
    env = Environment.of(model, make_observations(times, ["x"], noisy[:, np.newaxis]))
    ladder = Ladder(env, 1.0, 0)
    problem = env.with_values(values).problem()
    at = problem.evaluate(problem.parameters.point)
    ladder._add(Way("", at.sum_of_squares, np.array(values), at.residuals))
    assert ladder.has_turned() is has_turned
