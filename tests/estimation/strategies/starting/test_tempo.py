"""One factor on all rates: which parameters have it, and where the data want it to be."""

import numpy as np
import pytest
from coldstarts import ACCURATE, begun

from parfit import Model, Simulator
from parfit.data.observations import make_observations
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.exploring import Explorer
from parfit.estimation.strategies.starting.places import Place, logarithms
from parfit.estimation.strategies.starting.tempo import do_oscillate, paced, powers

TIMES = np.linspace(0.0, 12.0, 40)


def table(*columns):
    return make_observations(TIMES, [f"y{k}" for k in range(len(columns))], np.column_stack(columns))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.sin(1.5 * TIMES), True),
        (1e6 + 1e-3 * np.sin(1.5 * TIMES), True),
        (np.exp(-0.3 * TIMES), False),
        (TIMES * np.exp(-0.5 * TIMES), False),
        (np.ones_like(TIMES), False),
        (np.where(TIMES % 2.0 < 1.0, np.nan, np.sin(1.5 * TIMES)), True),
    ],
)
def test_data_oscillate_whatever_their_size_and_offset(column, expected):
    assert do_oscillate(table(np.exp(-TIMES), column)) is expected


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("x'=a*x-b*x*y\ny'=c*x*y-d*y\ninit x=1, y=e", "abcde", [1, 1, 1, 1, 0]),
        ("x'=a*(1-x/b)*x-c*x/(1+d*x)\ninit x=1", "abcd", [1, 0, 1, 0]),
        ("x'=y/a\ny'=-b*x\ninit x=1", "ab", [-1, 1]),  # a time, and a rate
        ("x'=y\ny'=a*(1-x^2)*y-b*x\ninit x=1", "ab", None),  # the first equation has a pace of its own
        ("x'=-a*x+1\ninit x=1", "a", None),
    ],
)
def test_powers_of_a_factor(text, values, expected):
    model = Model.from_text("par " + ", ".join(f"{name}={0.3 + k}" for k, name in enumerate(values)) + "\n" + text)
    found = powers(model, tuple(range(len(values))), model.values)
    assert (None if found is None else found.tolist()) == (None if expected is None else pytest.approx(expected))


def test_a_factor_on_all_rates_is_one_on_time():
    true, _ = begun("grazing", 1, 30)
    model, active = true.model, true.parameters.active
    found = powers(model, active, true.values)
    assert found is not None
    faster = true.values.copy()
    faster[list(active)] *= 3.0**found
    slow, fast = (Simulator(model, times, ACCURATE) for times in (TIMES[1:], TIMES[1:] / 3.0))
    assert fast(faster).y == pytest.approx(slow(true.values).y, rel=1e-6)


@pytest.mark.parametrize("factor", [0.1, 0.4, 3.0, 9.0])
def test_a_place_comes_to_the_pace_of_the_data(factor):
    """Within half of the distance between two factors that are tried."""
    true, _ = begun("predators", 1, 30)
    values = factor * true.values
    place = Place(5, values, logarithms(true.parameters, values))
    found = paced(Explorer(true).problem(place), place, np.ones(4))
    assert (found.number, found.scaling) == (place.number, place.scaling)
    assert found.values / true.values == pytest.approx(np.full(4, (found.values / true.values)[0]), rel=1e-3)
    assert found.values == pytest.approx(true.values, rel=0.07)


def test_paces_at_which_no_data_could_show_a_solution_are_not_compared(monkeypatch):
    """Of a place that is too fast already only the slower ones are."""
    true, _ = begun("predators", 1, 30)
    place = Place(5, 100.0 * true.values, logarithms(true.parameters, true.values))
    problem = Explorer(true).problem(place)
    tried = []
    original = type(problem.simulator).__call__

    def seen(simulator, values, *args, **kwargs):
        tried.append(values[0] / place.values[0])
        return original(simulator, values, *args, **kwargs)

    monkeypatch.setattr(type(problem.simulator), "__call__", seen)
    paced(problem, place, np.ones(4))
    assert max(tried) < 1.2
    assert min(tried) < 0.07


def test_without_time_a_place_stays():
    true, _ = begun("predators", 1, 30)
    place = Place(5, 3.0 * true.values, logarithms(true.parameters, true.values))
    assert paced(Explorer(true).problem(place), place, np.ones(4), 0.0).values == pytest.approx(place.values, rel=1e-3)


def test_auto_rescues_a_period():
    """Predators and prey that go ten times as fast as they should."""
    true, _ = begun("predators", 1, 30)
    found = auto(true.with_values(10.0 * true.values), Request(10.0))
    assert found.is_believed
    assert found.env.values == pytest.approx(true.values, rel=0.1)
    assert found.best.label == "at the pace of the data"
    named = [rung.name for rung in found.rungs]
    assert named[2] == "at the pace of the data"
    assert found.rungs[2].total == pytest.approx(found.env.sum_of_squares, rel=1e-3)
    assert found.rungs[1].total > 10.0 * found.rungs[2].total
