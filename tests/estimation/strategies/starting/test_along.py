"""Searches along curves: they drive what was not observed, and lead to where the full problem can be searched."""

import numpy as np
import pytest
from conversation import Session

from parfit.data.observations import make_observations
from parfit.errors import ParfitError
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.starting import ways
from parfit.estimation.strategies.starting.along import AlongCurves
from parfit.estimation.strategies.starting.auto import auto
from parfit.estimation.strategies.starting.exploring import Explorer
from parfit.estimation.strategies.starting.ladder import CURVES
from parfit.estimation.strategies.starting.places import Places
from parfit.model.model import Model
from parfit.session.environment import Environment

# A forced spring with two rests, of which only the way is observed: solutions soon go to the other side.
SPRING = "par d=.25, a=-1, b=1, f=.3\nx'=v\nv'=-d*v-a*x-b*x^3+f*cos(1.2*t)\ninit x=1.2, v=0\n@ t0=0\n"
N_PLACES = 8


@pytest.fixture(scope="module")
def spring():
    """The true values, and a start that is wrong by factors up to 30."""
    model, times = Model.from_text(SPRING), np.linspace(0.35, 14.0, 40)
    data = make_observations(times, ["x"], np.zeros((40, 1)))
    x = Environment.of(model, data).simulator()(model.values).column("x")[1:]
    noisy = x + 0.03 * x.std() * np.random.default_rng(5).normal(size=40)
    true = Environment.of(model, make_observations(times, ["x"], noisy[:, np.newaxis]))
    return true, true.with_values([0.01, -20.0, 7.0, 5.0])


@pytest.fixture(scope="module")
def led(spring):
    places = Places(spring[1])
    return AlongCurves(spring[1]).led([places(number) for number in range(1, N_PLACES + 1)], 10.0)


def test_they_lead_to_the_answer_where_the_full_problem_does_not(spring, led):
    true, env = spring
    least, explorer, places = fit(true).total, Explorer(env), Places(env)
    alone = [explorer.gone_on(explorer.begun(places(number)), 200).total for number in range(1, N_PLACES + 1)]
    after = [explorer.gone_on(explorer.begun(place), 200).total for place in led]
    assert min(alone) > 1.01 * least
    assert min(after) <= 1.001 * least


def test_where_others_have_led_before_is_left_out(spring):
    places = Places(spring[1])
    along, some = AlongCurves(spring[1]), [places(number) for number in range(1, N_PLACES + 1)]
    first = along.led(some, 10.0)
    assert first
    assert along.led(some, 10.0) == []
    ends = np.array([place.values for place in first])
    assert all((np.abs(a - b) > 0.01 * np.abs(b)).any() for k, a in enumerate(ends) for b in ends[:k])


def test_their_lines_lead_to_the_same_numbers(spring, led):
    env = spring[1]
    explorer = Explorer(env)
    search = explorer.gone_on(explorer.begun(led[0]), 200)
    steps = next(ways.of_search(env, search))
    session = Session(env.model, env.observations)
    session(f"SET {' '.join(f'{name} {value}' for name, value in zip(env.model.parameters, env.values, strict=True))}")
    session(*(step.line for step in steps))
    words = [line.split()[0] for line in session.entries]
    assert led[0].before is not None
    scaled = ["SCALE"] if any(led[0].before.place.scaling) else []
    assert words[1 : 4 + len(scaled)] == ["SET", "SMOOTH", *scaled, "IFIT"]
    assert words[-1] == "FIT"
    assert np.array_equal(session.env.values, ways.followed(env, steps).values)
    assert session.env.sum_of_squares == pytest.approx(search.total, rel=1e-6)


def test_auto_takes_this_way_and_writes_its_commands(spring):
    true, env = spring
    found = auto(env)
    assert found.is_believed
    assert found.env.sum_of_squares <= 1.001 * fit(true).total
    assert CURVES in [each.name for each in found.rungs]
    assert "SMOOTH SPLINE AUTO" in found.lines
    assert any(line.startswith("IFIT REGULAR MORE") for line in found.lines)


def test_data_without_a_curve_of_a_state_are_refused():
    model = Model.from_text("par k=1\nx'=-k*x\nx(0)=1\naux twice=2*x\n@ t0=0\n")
    times = np.linspace(0.2, 3.0, 12)
    env = Environment.of(model, make_observations(times, ["twice"], 2.0 * np.exp(-times)[:, np.newaxis]))
    with pytest.raises(ParfitError, match="x: not observed"):
        AlongCurves(env)
