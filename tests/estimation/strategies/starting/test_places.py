"""Numbered places to begin at."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.starting.places import FACTORS, Places, along, around, awake, observed_beginnings
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.questions import plain

TEXT = "par a=2, b=-3, c=0, x0=1\nx'=a*x+b*y\ny'=c\nx(0)=x0\ny(0)=1\n@ t0=0\n"


def environment(text=TEXT, first=5.0):
    data = make_observations([0.1, 5.0, 10.0], ["x"], [[first], [2.0], [3.0]])
    return Environment.of(Model.from_text(text), data)


def test_the_same_number_is_the_same_place_in_any_order():
    env = environment()
    first, second = Places(env), Places(env)
    there = [first(number).values for number in range(1, 9)]
    for number in (5, 2, 8):
        assert np.array_equal(second(number).values, there[number - 1])


def test_seeds_move_all_places():
    env = environment()
    assert not np.any(Places(env, 1)(3).values == Places(env, 2)(3).values)


def test_places_stay_within_their_factors_and_keep_signs():
    env = environment()
    places = Places(env)
    for number in range(1, 200):
        ratio = places(number).values[:2] / env.values[:2]
        factor = FACTORS[number % len(FACTORS)]
        assert (ratio > 0.999 / factor).all()
        assert (ratio < 1.001 * factor).all()


def test_places_leave_no_gaps():
    """Of 200 places of one factor in two parameters every cell of a grid of 5 x 5 has some, as a lattice would."""
    env = environment("par a=2, b=3\nx'=a*x+b\nx(0)=1\n@ t0=0\n")
    places = Places(env)
    chosen = [number for number in range(1, 1001) if FACTORS[number % len(FACTORS)] == 30.0]
    parts = np.log(np.array([places(number).values / env.values for number in chosen])) / np.log(30.0)
    counts, *_ = np.histogram2d(*parts.T, bins=5, range=[[-1, 1], [-1, 1]])
    assert counts.min() >= 4


def test_numbers_are_short_so_that_what_is_typed_is_the_same_place():
    for number in range(1, 30):
        values = Places(environment())(number).values
        assert all(float(plain(value)) == value and len(f"{value:g}") <= 10 for value in values)


def test_bounds_hold_and_two_of_them_are_filled():
    env = environment().with_bounds([1.0, -np.inf, 0.0, -np.inf], [4.0, -1.0, 10.0, np.inf])
    values = np.array([Places(env)(number).values for number in range(1, 100)])
    assert values[:, 0].min() >= 1.0
    assert values[:, 0].max() <= 4.0
    assert values[:, 1].max() <= -1.0
    assert values[:, 2].min() < 1.0
    assert values[:, 2].max() > 9.0


def test_an_observed_beginning_is_taken_from_the_data():
    env = environment(first=5.0)
    assert observed_beginnings(env) == {3: 5.0}
    near = [Places(env)(number).values[3] for number in range(1, 40, 2)]
    assert min(near) > 5.0 / 1.51
    assert max(near) < 5.0 * 1.51


@pytest.mark.parametrize("time", [0.4, 5.0])
def test_what_was_observed_at_rest_makes_no_other_observation_an_early_one(time):
    text = "par v=2, x0=1\nx'=v-x\nx(0)=x0\n@ t0=0\n"
    data = make_observations([time, 10.0, np.inf], ["x"], [[5.0], [2.0], [2.0]])
    env = Environment.of(Model.from_text(text), data)
    assert observed_beginnings(env) == ({1: 5.0} if time < 0.5 else {})


def test_positive_parameters_are_searched_as_logarithms_and_now_and_then_as_they_are():
    places = Places(environment())
    assert places(1).scaling == (Scaling.LOGARITHM, Scaling.NONE, Scaling.LOGARITHM, Scaling.LOGARITHM)
    assert places(4).scaling == (Scaling.NONE,) * 4


def test_around_a_minimum_two_parameters_change_their_roles():
    env = environment("par a=2, b=3, c=5\nx'=a*x+b-c\nx(0)=1\n@ t0=0\n")
    there = [place.values.tolist() for place in around(env, env.values)]
    assert there == [[3.0, 2.0, 5.0], [5.0, 3.0, 2.0], [2.0, 5.0, 3.0]]
    assert all(place.number < 0 for place in around(env, env.values))


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_places_follow_the_units_of_parameters(size):
    env = environment("par a=2, b=3\nx'=a*x+b\nx(0)=1\n@ t0=0\n")
    other = env.with_values(env.values * size)
    for number in range(1, 10):
        assert Places(other)(number).values == pytest.approx(size * Places(env)(number).values, rel=1e-3)


def test_along_changes_of_logarithms():
    env = environment("par a=2, b=-3\nx'=a*x+b\nx(0)=1\n@ t0=0\n")
    (place,) = along(env, env.values, [np.log([2.0, 0.5])])
    assert place.values == pytest.approx([4.0, -1.5])
    assert place.number < 0


def test_what_did_nothing_is_as_large_again_as_at_first_and_much_larger_and_smaller():
    env = environment("par a=2, b=3\nx'=a*x+b\nx(0)=1\n@ t0=0\n")
    there = [place.values.tolist() for place in awake(env, np.array([7.0, -1e-9]), [1])]
    assert there == [[7.0, 0.03], [7.0, 3.0], [7.0, 300.0]]


def test_what_is_too_large_for_a_number_is_no_place():
    env = environment("par a=2, b=-3\nx'=a*x+b\nx(0)=1\n@ t0=0\n")
    assert list(along(env, np.array([1e308, 1.0]), [np.array([5.0, 0.0])])) == []


def test_a_sign_that_errors_have_given_to_what_was_observed_first_is_not_believed_everywhere():
    text = "par a=2, x0=1\nx'=a*x*log(9/x)\nx(0)=x0\n@ t0=0\n"
    places = Places(environment(text, first=-0.01))
    signs = {number % 2: np.sign(places(number).values[1]) for number in range(1, 20)}
    assert signs == {1: -1.0, 0: 1.0}
