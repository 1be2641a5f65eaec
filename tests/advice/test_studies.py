"""What GUIDE says of several experiments: followed blindly, it finds what differs between them, and nothing more."""

import numpy as np
import pytest

from parfit.advice import advise
from parfit.data.columns import observations_from
from parfit.model.model import Model

GROWTH = Model.from_text("par r=.1, K=50\nn'=r*n*(1-n/K)\ninit n=5\ndone\n", "growth")
DAYS = np.arange(0.0, 31.0, 3.0)


def grown(rate, capacity=100.0):
    """The closed solution."""
    return capacity / (1.0 + (capacity / 5.0 - 1.0) * np.exp(-rate * DAYS))


def plots(rates, sd, seed=1):
    rng = np.random.default_rng(seed)
    values = [grown(rate) + sd * rng.standard_normal(DAYS.size) for rate in rates]
    names = np.repeat([f"p{k}" for k in range(len(rates))], DAYS.size)
    columns = {"run": names, "day": np.tile(DAYS, len(rates)), "n": np.concatenate(values)}
    return observations_from(columns, GROWTH)


@pytest.fixture
def follow(begin):
    def obey(data, most=15):
        session, steps = begin(GROWTH, data), []
        while not (advice := advise(session.interpreter.timeline)).done:
            assert len(steps) < most, steps
            session("GUIDE Y")
            steps.append(advice.command)
        return session, steps

    return obey


def test_a_rate_that_differs_becomes_local(follow):
    rates = (0.3, 0.45, 0.2)
    session, steps = follow(plots(rates, sd=2.0))
    assert [step for step in steps if step.startswith("MODEL")] == ["MODEL local r"]
    values = dict(zip(session.env.model.parameters, session.env.values, strict=True))
    assert [values[f"r[p{k}]"] for k in range(3)] == pytest.approx(rates, rel=0.1)
    assert values["K"] == pytest.approx(100, rel=0.05)


@pytest.mark.parametrize("known", ["NOISE n ADDITIVE", "NOISE n 2", "NOISE n BOTH", "PRIOR K NORMAL 100 30"])
@pytest.mark.parametrize("rates", [(0.3, 0.45, 0.2), (0.3, 0.3, 0.3)])
def test_noise_models_and_priors_are_no_observations_of_an_experiment(begin, known, rates):
    session = begin(GROWTH, plots(rates, sd=2.0))
    session("SET r=.3 K=90", known, "FIT MORE")
    assert (advise(session.interpreter.timeline).command == "MODEL local r") == (rates[0] != rates[1])


@pytest.mark.parametrize("seed", range(3))
def test_what_differs_by_chance_alone_stays_shared(follow, seed):
    session, steps = follow(plots((0.3, 0.3, 0.3), sd=2.0, seed=seed))
    assert not any(step.startswith("MODEL") for step in steps)
    assert session.env.model.parameters == ("r", "K")


def test_who_takes_it_back_is_not_told_again(follow, begin):
    session = begin(GROWTH, plots((0.3, 0.45, 0.2), sd=2.0))
    session("SET r=.3 K=90", "FIT MORE")
    assert advise(session.interpreter.timeline).command == "MODEL local r"
    session("GUIDE Y", "UNDO")
    assert advise(session.interpreter.timeline).command != "MODEL local r"
