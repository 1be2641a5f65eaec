"""Experiments of several files."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.data.stacking import added, apart, name_of
from parfit.errors import DataError
from parfit.model.conditions.design import Condition


def observations(source, *values):
    return make_observations(
        range(len(values)), ["a"], np.reshape(values, (-1, 1)), source=source, labels={"a": "a [mg]"}
    )


def test_files_name_experiments():
    found = added(observations("x/low dose.csv", 1.0, 2.0), observations("high.csv", 3.0))
    assert found.names == ("a[low_dose]", "a[high]")
    assert found.label("a[high]") == "a[high] [mg]"
    assert [each.condition for each in apart(found)] == [Condition("low_dose"), Condition("high")]
    third = added(found, observations("third.csv", 4.0))
    np.testing.assert_array_equal(third.values, [[1.0, 3.0, 4.0], [2.0, np.nan, np.nan]])


def test_the_first_data_are_what_they_are():
    first = observations("low.csv", 1.0)
    assert added(None, first) is first


def test_a_name_is_given_once():
    with pytest.raises(DataError, match="there are two experiments low"):
        added(observations("low.csv", 1.0), observations("y/low.csv", 1.0))


def test_names_fit_into_lists():
    assert name_of(" 5 mg, fed [A]") == "5_mg_fed_A"
