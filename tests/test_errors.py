"""Errors have two parts: what happened, and what to do about it in the conversation."""

import pickle

import pytest

from parfit.errors import DataError, ParfitError, StateError


def test_an_error_says_what_happened_and_the_conversation_what_to_do():
    error = StateError("nothing was smoothed", "SMOOTH does it")
    assert str(error) == "nothing was smoothed"
    assert error.told == "nothing was smoothed; SMOOTH does it"
    assert ParfitError("it failed").told == "it failed"


@pytest.mark.parametrize("error", [StateError("a", "b"), DataError("a", "file.csv", 3, "b"), DataError("a")])
def test_an_error_survives_a_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.told, type(copy)) == (str(error), error.told, type(error))


def test_a_placed_error_has_its_place_before_both_parts():
    assert DataError("is empty", "a.csv", 2, "LOAD another").told == "a.csv:2: is empty; LOAD another"
