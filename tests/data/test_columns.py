"""Observations from mappings of arrays and from data frames."""

import numpy as np
import pytest

from parfit import Model
from parfit.data.columns import columns_of, observations_from
from parfit.data.csvfile import read_csv
from parfit.errors import DataError

MODEL = Model.from_text("par k=1\nA'=-k*A\nB'=k*A\naux total=A+B\n")
CSV = "time,A,A.sd,total [mg]\n0,1,.1,\n1,.5,.2,1.1\n1,.4,.2,.9\n"
COLUMNS = {
    "time": [0, 1, 1],
    "A": [1, 0.5, 0.4],
    "A.sd": np.array([0.1, 0.2, 0.2]),
    "total [mg]": [None, 1.1, 0.9],
}


class Frame:
    """As much of a data frame as is looked at."""

    def __init__(self, columns):
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name):
        return self._columns[name]


def same(one, other):
    assert one.names == other.names
    assert dict(one.labels) == dict(other.labels)
    for part in ("times", "values", "weights", "sds"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


@pytest.mark.parametrize("data", [COLUMNS, Frame(COLUMNS)], ids=["mapping", "frame"])
def test_columns_mean_what_they_mean_in_a_file(data, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    same(observations_from(columns_of(data), MODEL), read_csv(path, MODEL))


def test_the_time_may_stand_anywhere():
    found = observations_from({"B": [1.0, 2.0], "t": [3.0, 1.0]}, MODEL)
    assert found.times.tolist() == [1.0, 3.0]
    assert found.values[:, 0].tolist() == [2.0, 1.0]


def test_a_column_in_parentheses_is_left_out():
    assert observations_from({"t": [0.0], "A": [1.0], "(note)": ["late"]}, MODEL).names == ("A",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"t": [0, 1], "A": [1]}, "not equally long: t 2, A 1"),
        ({"t": [0, 1], "A": ["one", 2]}, "column A does not consist of numbers"),
        ({"t": [0, 1], "A": [[1, 2]]}, "column A must be a list"),
        ({"t": [0, None], "A": [1, 2]}, "a time is missing"),
        ({"t": [0, 1], "C": [1, 2]}, "'C' is not a state"),
        ({"t": [0, 1], "A": [1, 2], "A.sd": [0.1, None]}, "blank beside a value of A"),
        ({"t": [0, 1], "A": [1, 2], "A.sd": [0.1, -1]}, "not positive"),
        ({"t": [], "A": []}, "no observation at all"),
        (
            {"t": [0, 1], "A": [None, 2], "amt": [np.inf, None]},
            "column amt is infinite; give NaN if nothing was given",
        ),
        ({"t": [0, 1], "A": [None, 2], "evid": [np.inf, 0]}, "column evid is infinite"),
        ({"t": [0, 1], "A": [1, 2], "k": [np.inf, np.inf]}, "column k is infinite"),
    ],
)
def test_what_cannot_be_used_is_refused(columns, message):
    with pytest.raises(DataError, match=message):
        observations_from(columns, MODEL)


@pytest.mark.parametrize("data", [[1, 2], 3.0, "text"])
def test_what_has_no_columns_is_none(data):
    assert columns_of(data) is None
