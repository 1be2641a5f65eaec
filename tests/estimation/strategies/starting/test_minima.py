"""Searches gathered by where they have ended."""

from dataclasses import dataclass

import numpy as np

from parfit.estimation.strategies.starting.minima import agreeing, are_left, gathered


@dataclass(eq=False)
class Ended:
    total: float
    values: np.ndarray
    label: str = ""


def ended(*totals, values=None):
    return [Ended(total, np.ones(2) if values is None else values[k], f"place {k}") for k, total in enumerate(totals)]


def test_searches_that_end_at_one_sum_of_squares_are_one_minimum():
    found = gathered(ended(5.0, 1.0, 1.0005, 5.001))
    assert [(each.total, each.n) for each in found] == [(1.0, 2), (5.0, 2)]


def test_the_searches_of_a_minimum_stand_in_their_order():
    (found,) = gathered(ended(1.0005, 1.0, 1.0002))
    assert [each.label for each in found.searches] == ["place 0", "place 1", "place 2"]


def test_small_steps_do_not_make_one_minimum_of_many():
    """Each is near to the one before, but the last is far from the first."""
    found = gathered(ended(*(1.0008**k for k in range(6))))
    assert [each.n for each in found] == [2, 2, 2]


def test_two_points_of_one_sum_of_squares_are_told_apart():
    same, apart = gathered(ended(1.0, 1.0, 3.0, 3.0, values=np.array([[1, 2], [1.01, 2], [1, 2], [2, 1.0]])))
    assert same.is_one_point
    assert not apart.is_one_point


def test_those_that_end_a_little_lower_than_the_best_agree_with_it():
    """They are no other minimum, though none of them has become the best."""
    found = ended(1.0, 0.9995, 1.0008, 1.002)
    assert agreeing(found, found[0]) == 3


def test_minima_that_one_search_each_has_met_let_expect_more_of_them():
    assert are_left(gathered(ended(1.0, 1.0, 1.0, 1.05, 1.1)), 50, 4)
    assert not are_left(gathered(ended(1.0, 1.0, 1.0, 1.0, 1.05)), 50, 4)


def test_where_many_minima_lie_side_by_side_the_best_must_be_met_more_often_than_others():
    others = [1.0 + 0.02 * k for k in range(1, 7) for _ in range(3)]
    assert are_left(gathered(ended(*[1.0] * 4, *others)), 20, 4)
    assert not are_left(gathered(ended(*[1.0] * 6, *others)), 20, 4)
    assert not are_left(gathered(ended(*[1.0] * 3, *[1.005] * 3, *others)), 20, 4)


def test_what_chance_cannot_have_exchanged_with_the_best_does_not_count():
    assert not are_left(gathered(ended(1.0, 1.0, 7.0, 8.0, 9.0)), 50, 4)


def test_without_degrees_of_freedom_nothing_is_told():
    assert not are_left(gathered(ended(1.0, 2.0, 3.0)), 0, 4)
