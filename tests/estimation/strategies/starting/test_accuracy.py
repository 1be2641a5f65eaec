"""Ways whose sum of squares is low only because of errors of integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from parfit.data.observations import make_observations
from parfit.estimation.strategies.starting.accuracy import Accuracy
from parfit.estimation.strategies.starting.ladder import Ladder
from parfit.estimation.strategies.starting.ways import Way
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import OF_1977

# What is measured is the flow through e, of which nearly nothing is left where s has run away.
TEXT = """par b=.7, s=.35, g=.25, rho=.3, e0=20
u'=-b*u*i/1e6
e'=b*u*i/1e6-s*e
i'=s*e-g*i
u(0)=1e6
e(0)=e0
i(0)=0
aux cases=rho*s*e
@ t0=0
"""
RUN_AWAY = np.array([0.3, 9e18, 0.02, 0.2755, 15.7])
TIMES = np.linspace(2.0, 90.0, 45)


def flow(b, s, g, rho, e0):
    """The measured flow, where s is so large that what enters e leaves it at once."""
    run = solve_ivp(
        lambda t, y: [-b * y[0] * y[1] / 1e6, b * y[0] * y[1] / 1e6 - g * y[1]],
        (0.0, 90.0),
        [1e6, e0],
        t_eval=TIMES,
        method="Radau",
        rtol=1e-10,
        atol=1e-6,
    )
    return rho * b * run.y[0] * run.y[1] / 1e6


@pytest.fixture(scope="module")
def env():
    model = Model.from_text(TEXT)
    rng = np.random.default_rng(2)
    shape = 3e4 * np.exp(-(((TIMES - 45.0) / 12.0) ** 2))
    return Environment.of(model, make_observations(TIMES, ["cases"], (shape + rng.normal(size=45))[:, None]))


def way(env, values):
    problem = env.with_values(values).problem()
    at = problem.evaluate(problem.parameters.point)
    return Way("", at.sum_of_squares, values, at.residuals)


def test_a_parameter_that_has_run_away_is_seen_through(env):
    """Against an integration of what is left of the equations there, by another program."""
    there = way(env, RUN_AWAY)
    data = env.observations.values[:, 0]
    expected = float(np.sum((data - flow(*RUN_AWAY)) ** 2))
    assert there.total != pytest.approx(expected, rel=1e-2)
    assert Accuracy(env).total(there) == pytest.approx(expected, rel=1e-3)


def test_where_the_integration_is_good_enough_it_is_the_same(env):
    here = way(env, env.values)
    assert Accuracy(env).total(here) == pytest.approx(here.total, rel=1e-4)


def test_a_rule_without_error_control_is_taken_as_it_is(env):
    coarse = env.with_options(OF_1977)
    here = way(coarse, env.values)
    assert here.total != pytest.approx(way(env, env.values).total, rel=1e-3)
    assert Accuracy(coarse).total(here) == here.total


class Known(Accuracy):
    """Accurate sums of squares, by the label."""

    def __init__(self, **totals):
        self.totals = totals

    def total(self, way):
        return self.totals[way.label]


def made(label, total):
    return Way(label, total, np.ones(5), np.ones(45))


def test_what_only_errors_make_better_is_not_added(env):
    ladder = Ladder(env, 1.0, 0)
    ladder._accuracy = Known(true=1.0, imitation=1.02, same=1.0, better=0.9)
    for each in (true := made("true", 1.0), made("imitation", 0.98), made("same", 0.98)):
        ladder._add(each)
    assert ladder.best is true
    assert ladder.ways == [true]
    ladder._add(better := made("better", 0.9))
    assert ladder.best is better


def test_the_best_gives_way_to_what_is_better_without_errors(env):
    ladder = Ladder(env, 1.0, 0)
    ladder._accuracy = Known(imitation=1.2, like=1.3, true=1.0, worse=2.0)
    for each in (made("imitation", 0.98), made("like", 0.98), true := made("true", 1.0), worse := made("worse", 2.0)):
        ladder._add(each)
    assert ladder.best is true
    assert ladder.ways == [true, worse]
