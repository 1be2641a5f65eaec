"""Whether residuals could be errors."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.spread import spread
from parfit.estimation.strategies.starting.plausible import HARDLY, LEVEL, does_follow, is_ordered, is_plausible

TIMES = np.linspace(0.0, 10.0, 30)


def data(values, sds=None):
    weights = None if sds is None else 1.0 / np.asarray(sds)
    names = [f"x{k}" for k in range(values.shape[1])]
    return make_observations(TIMES, names, values, weights, sds)


def size(observations):
    return spread(observations.values, observations.weights)


def test_errors_are_hardly_ever_taken_for_more():
    """Each of 2000 samples has three variables; 1 % would be 20."""
    rng = np.random.default_rng(3)
    observations = data(np.column_stack([np.sin(TIMES), np.cos(TIMES), TIMES]))
    refused = sum(is_ordered(rng.normal(size=90), observations) for _ in range(2000))
    assert refused < 30


@pytest.mark.parametrize("wave", [1, 2, 3])
def test_waves_in_the_residuals_are_seen(wave):
    observations = data(np.sin(TIMES)[:, np.newaxis])
    rng = np.random.default_rng(wave)
    left = 0.1 * np.sin(wave * TIMES) + 0.01 * rng.normal(size=30)
    assert not is_plausible(left, observations, size(observations), 2)


def test_a_peak_that_is_missed_is_seen_by_its_signs():
    """Of a wrong minimum: one large residual, a few positive ones, and then all negative."""
    observations = data(np.exp(-TIMES)[:, np.newaxis])
    left = np.concatenate([[-0.3, 0.22, 0.2, 0.13, 0.05, 0.004], np.full(24, -0.06)])
    assert is_ordered(left, observations)


def test_a_solution_that_leaves_most_of_the_spread_explains_nothing():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, 1))
    assert not is_plausible(0.9 * values[:, 0], data(values), size(data(values)), 1)


def test_nothing_left_is_plausible_whatever_its_order():
    observations = data(np.sin(TIMES)[:, np.newaxis])
    assert is_plausible(1e-9 * np.sin(TIMES), observations, size(observations), 1)


@pytest.mark.parametrize(("factor", "expected"), [(1.0, True), (1.6, False)])
def test_known_errors_decide_by_chi_square(factor, expected):
    """At 1.6 standard deviations chi-square is 77 with 30 degrees of freedom, above all percentiles that count."""
    observations = data(np.sin(TIMES)[:, np.newaxis], np.full((30, 1), 0.01))
    left = factor * np.where(np.arange(30) % 2, 1.0, -1.0)
    assert is_plausible(left, observations, size(observations), 0) is expected


def test_a_change_of_units_changes_nothing():
    rng = np.random.default_rng(5)
    values = np.sin(TIMES)[:, np.newaxis]
    for left in (0.01 * rng.normal(size=30), 0.1 * np.sin(2 * TIMES)):
        found = {
            is_plausible(factor * left, data(factor * values), size(data(factor * values)), 2)
            for factor in (1e-9, 1.0, 1e9)
        }
        assert len(found) == 1


def test_most_of_the_spread_left_is_not_to_follow_the_data():
    observations = data(np.sin(TIMES)[:, np.newaxis])
    centred = np.sin(TIMES) - np.sin(TIMES).mean()
    assert does_follow(0.4 * centred, size(observations))
    assert not does_follow(0.6 * centred, size(observations))


def test_errors_in_order_by_chance_could_hardly_be_errors_and_waves_could_not():
    observations = data(np.sin(TIMES)[:, np.newaxis])
    rng = np.random.default_rng(6)
    drawn = [0.05 * rng.normal(size=30) for _ in range(1000)]
    refused = [sum(is_ordered(left, observations, level) for left in drawn) for level in (LEVEL, HARDLY)]
    assert 1 <= refused[0] <= 20
    assert refused[1] <= 1
    assert is_ordered(0.1 * np.sin(TIMES), observations, HARDLY)
