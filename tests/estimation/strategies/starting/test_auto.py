"""AUTO from bad starts, against fits that begin at the true values and against scipy."""

import numpy as np
import pytest
from coldstarts import begun
from conversation import Session
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from parfit.data.observations import make_observations
from parfit.errors import NumericalError
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.patience import UNEXPLAINED
from parfit.model.model import Model
from parfit.session.environment import Environment

NAMES = [
    "doses",
    "held",
    "unlike",
    "chain",
    "logistic",
    "predators",
    "pendulum",
    "fitzhugh, starts",
    "enzyme",
    "two rooms",
    "pinene",
    "virus",
    "binding",
    "glycolysis",
    "reactor",
    "signals",
    "tumour",
    "rivals",
]


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_home_from_parameters_that_are_wrong_by_factors_up_to_30(name):
    true, env = begun(name, 1, 30.0)
    found, expected = auto(env), fit(true)
    assert found.env.sum_of_squares <= 1.001 * expected.total
    assert found.is_believed or not expected.judgement.is_minimum  # in a valley without an end that can be told


def test_what_is_found_is_what_scipy_finds_from_the_true_values():
    true, env = begun("predators", 2, 30.0)
    data = true.observations

    def residuals(p):
        a, b, c, d = p
        run = solve_ivp(
            lambda t, y: [a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]],
            (0.0, data.times[-1]),
            [4.0, 2.0],
            t_eval=data.times,
            rtol=1e-10,
            atol=1e-12,
        )
        return (run.y.T - data.values).ravel()

    expected = least_squares(residuals, true.values, x_scale=true.values)
    assert auto(env).env.values == pytest.approx(expected.x, rel=1e-3)


def test_its_commands_lead_to_the_same_numbers():
    _, env = begun("fitzhugh, starts", 3, 30.0)
    found = auto(env)
    session = Session(env.model, env.observations)
    session(f"SET {' '.join(f'{name} {value}' for name, value in zip(env.model.parameters, env.values, strict=True))}")
    session(*found.lines)
    assert np.array_equal(session.env.values, found.env.values)


def test_a_wrong_minimum_that_many_searches_end_at_is_not_believed():
    """All of them end at the same line through waves: it explains little, and so the search goes on to its end."""
    rng = np.random.default_rng(1)
    times = np.linspace(0.2, 40.0, 200)
    data = make_observations(times, ["x"], (np.cos(5.0 * times) + 0.01 * rng.normal(size=200))[:, np.newaxis])
    env = Environment.of(Model.from_text("par k=.03\nx'=-k*x+.2*sin(t)\nx(0)=1\n@ t0=0\n"), data)
    found = auto(env, Request(0.3))
    assert not found.explains
    assert found.minima[0].total > 0.2 * env.problem().spread


def test_data_that_the_model_cannot_follow_are_said_so_by_many_searches():
    times = np.linspace(0.2, 10.0, 30)
    data = make_observations(times, ["x"], (np.exp(-times) + 0.05 * np.sin(3.0 * times))[:, np.newaxis])
    env = Environment.of(Model.from_text("par k=30\nx'=-k*x\nx(0)=1\n@ t0=0\n"), data)
    found = auto(env, Request(20.0))
    assert not found.explains
    assert found.is_believed
    assert found.n_agreeing >= UNEXPLAINED.agreeing


def test_its_time_is_kept():
    _, env = begun("vanderpol", 1, 300.0)
    found = auto(env, Request(0.2))
    assert found.seconds < 2.0  # of the processor: one integration may go on for a while
    assert found.lines


def test_nothing_that_can_be_integrated_is_an_error():
    data = make_observations([1.0, 2.0, 3.0, 4.0, 5.0], ["x"], np.ones((5, 1)))
    env = Environment.of(Model.from_text("par k=1\nx'=k*sqrt(-1-x^2)\nx(0)=1\n@ t0=0\n"), data)
    with pytest.raises(NumericalError, match="none of the places"):
        auto(env, Request(0.2))


def test_data_so_far_apart_that_every_solution_needs_many_steps():
    """Some hundred waves from one observation to the next."""
    times = np.array([1.0, 40.0, 80.0, 120.0, 160.0])
    data = make_observations(times, ["x"], np.sin(50.0 * times)[:, np.newaxis])
    env = Environment.of(Model.from_text("par a=.5\nx'=50*y\ny'=-50*x\nx(0)=0\ny(0)=a\n@ t0=0\n"), data)
    assert auto(env, Request(0.5)).env.sum_of_squares <= 1.001 * fit(env).total


def test_an_interrupt_keeps_the_best_so_far():
    _, env = begun("predators", 1, 30.0)

    def impatient(part, total):
        raise KeyboardInterrupt

    found = auto(env, tell=impatient)
    assert found.is_interrupted
    assert not found.is_believed
    assert found.env.sum_of_squares <= found.best.total * 1.001


def test_exact_data_are_believed_at_once():
    true, env = begun("chain", 1, 30.0)
    run = true.simulator()(true.values)
    data = true.observations
    exact = np.column_stack([run.column(name)[1:] for name in data.names])
    found = auto(env.with_observations(make_observations(data.times, data.names, exact)))
    assert found.is_believed
    assert found.env.values == pytest.approx(true.values, rel=1e-4)


def test_every_rung_says_what_it_led_to_and_why_it_was_tried():
    _, env = begun("fitzhugh, starts", 1, 30.0)
    found = auto(env)
    names = [each.name for each in found.rungs]
    assert names[:3] == ["the present values", "in logarithms", "8 places"]
    assert len(set(names)) == len(names) or names.count("beside the best") > 1
    totals = [each.total for each in found.rungs]
    assert totals == sorted(totals, reverse=True)
    assert sum(each.seconds for each in found.rungs) <= found.seconds
    assert all(each.why for each in found.rungs[1:])
