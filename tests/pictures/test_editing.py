"""Curves whose points and joints are moved: the chosen one can be told from the others."""

import numpy as np

from parfit.estimation.strategies.smooth import present
from parfit.pictures.editing import CHOSEN, chosen_joint, chosen_point, guess, number_of_chosen


def test_the_selected_point_has_a_symbol_of_its_own(begin):
    session = begin()
    session("CREATE 0 .5(.5)12.5 0 y2", "CREOBS y1 3 0 6 12.5 2 3 5")
    guess = session.env.guesses["y1"]
    figure = chosen_point(session.env, "y1", (guess.t, guess.y), 1)
    numbers = {each.label: each.number for each in figure.series if each.kind == "points"}
    assert len(set(numbers.values())) == 3 == len(numbers)


def test_a_guess_is_drawn_through_its_points_among_the_observations(begin):
    session = begin()
    session("CREATE 0 .5(.5)12.5 0 y2", "CREOBS y1 3 0 6 12.5 2 3 5")
    made = session.env.guesses["y1"]
    figure = guess(session.env, "y1", (made.t, made.y))
    by_label = {each.label: each for each in figure.series}
    assert set(by_label) == {"y2 observed", "y1 guessed", "y1 points"}
    np.testing.assert_array_equal(by_label["y1 points"].y, [2, 3, 5])
    assert by_label["y1 guessed"].y[0] == 2


def test_the_chosen_joint_lies_on_the_curve(begin):
    session = begin()
    session("SMOOTH SPLINE 2 4 8 2 7 10.5")
    found = present(session.env, "y1")
    by_label = {each.label: each for each in chosen_joint("y1", found, 1).series}
    assert by_label["chosen joint"].x.tolist() == [8]
    assert by_label["chosen joint"].y.tolist() == found.curve([8.0]).tolist()
    assert by_label["joints"].x.tolist() == [4, 8]
    assert by_label["chosen joint"].number not in (by_label["joints"].number, by_label["y1 observed"].number)


def test_the_symbol_of_what_is_chosen_is_free_if_one_is():
    assert number_of_chosen([]) == CHOSEN[0]
    assert number_of_chosen(CHOSEN[:2]) == CHOSEN[2]
    assert number_of_chosen(CHOSEN) == CHOSEN[0]
