"""Curve fitting without a dialogue: the numbers of DFIT and IFIT to the last bit; what was found is a value."""

import numpy as np
import pytest
from contrived import SMOOTH as LINES
from contrived import contrived
from conversation import assert_same

from parfit.errors import StateError
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.strategies.curve_fit import DERIVATIVE, INTEGRAL, AtOnce, Request, curve_fit, require_seen
from parfit.estimation.strategies.search import along_curves, entered
from parfit.estimation.strategies.watching import telling


@pytest.fixture
def linear(begin):
    """Lotka and Volterra's equations, which are linear in their parameters."""
    case = contrived()
    session = begin(case.model, case.observations)
    session(LINES)
    return session


@pytest.mark.parametrize(("kind", "line"), [(DERIVATIVE, "DFIT"), (INTEGRAL, "IFIT")])
def test_three_lines_of_python_are_the_command(both, kind, line):
    env = both.env
    result = curve_fit(env, Request(kind))
    both(line)
    assert_same(result.env, both.env)
    assert f"SUM OF SQUARES {result.estimate.sum_of_squares:.7g}" in both.report


@pytest.mark.parametrize(("kind", "line"), [(DERIVATIVE, "DFIT 2"), (INTEGRAL, "IFIT 2")])
def test_guesses_count_where_they_are_asked_for(prey, kind, line):
    env = prey.env
    result = curve_fit(env, Request(kind, guessed=True))
    prey(line)
    assert_same(result.env, prey.env)


def test_a_search_in_place_of_the_solution(both):
    env = both.env
    how = entered(env, along_curves(env), 0.01, 1e-6, 1e-9)
    seen = []
    result = curve_fit(env, Request(INTEGRAL, how=how), telling(seen.append))
    both("IFIT 1 .01 1e-6 1e-9")
    assert_same(result.env, both.env)
    assert len(seen) == len(result.estimate.search.trace.tried)
    assert result.estimate.solved is None


def test_a_linear_problem_is_solved_whatever_the_start(linear):
    env = linear.env
    there = curve_fit(env, Request(INTEGRAL, how=AtOnce()))
    elsewhere = curve_fit(env.with_values([7.0, -3, 2, 9]), Request(INTEGRAL))
    assert elsewhere.env.values == pytest.approx(there.env.values, rel=1e-4)
    linear("IFIT")
    assert_same(there.env, linear.env)


def test_only_a_linear_problem_is_solved_at_once(both):
    with pytest.raises(StateError, match="not linear in the active parameters"):
        curve_fit(both.env, Request(INTEGRAL, how=AtOnce()))


def test_bounds_are_kept(linear):
    free = curve_fit(linear.env, Request(INTEGRAL))
    lower, upper = np.full(4, -np.inf), np.full(4, np.inf)
    upper[2] = free.env.values[2] / 2
    env = linear.env.with_values(np.minimum(linear.env.values, upper)).with_bounds(lower, upper)
    bound = curve_fit(env, Request(INTEGRAL))
    assert bound.estimate.solved.is_outside
    assert bound.estimate.search is not None
    assert bound.env.values[2] == upper[2]
    assert bound.estimate.sum_of_squares > free.estimate.sum_of_squares


def test_what_cannot_be_computed_is_a_value(both):
    env = both.env.with_values([np.nextafter(np.inf, 0)] * 6)
    result = curve_fit(env, Request(INTEGRAL, how=Settings()))
    assert result.env is env
    assert result.full is None
    assert not result.estimate.failure


def test_slopes_say_nothing_of_initial_values(both):
    both("MODEL par c=1", "MODEL y1(0)=c")
    with pytest.raises(StateError, match="c occurs only in initial values"):
        require_seen(both.env, guessed=False)
    with pytest.raises(StateError, match="c occurs only in initial values"):
        curve_fit(both.env, Request(DERIVATIVE))
