"""Plain data as JSON."""

import json

import numpy as np
import pytest

from parfit.export.plain import json_text, known


@pytest.mark.parametrize("number", [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0])
def test_numbers_keep_their_last_digit(number):
    assert json.loads(json_text([number])) == [number]
    assert known(number) == number


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_json_cannot_say_is_null(number):
    assert known(number) is None
    assert json_text({"a": number, "b": [number]}, None) == '{"a": null, "b": [null]}\n'
    assert json.loads(json_text(np.array([[1.0, number]]))) == [[1.0, None]]


def test_arrays_and_numbers_of_numpy_are_plain():
    given = {"a": np.arange(3), "b": np.float64(0.5), "c": np.bool_(True), "d": (1, "µ"), "e": None}
    assert json.loads(json_text(given)) == {"a": [0, 1, 2], "b": 0.5, "c": True, "d": [1, "µ"], "e": None}
