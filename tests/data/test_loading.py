"""Data files of either kind: which kind one is, and what it gives."""

import numpy as np
import pytest

from parfit.data.loading import data_text, is_deck, read_data, read_problem
from parfit.data.observations import make_observations
from parfit.errors import DataError
from parfit.model.model import Model
from parfit.model.textfile import file_bytes

MODEL = Model.from_text("par k=1\nx'=-k*x\ny'=k*x\n", "line")
DATA = make_observations([1.0, 2.0], ("x", "y"), [[0.5, 0.25], [0.125, 3.0]])
START = np.array([7.0])


@pytest.fixture(params=["run.csv", "run.dat", "RUN.CARDS"])
def path(request, tmp_path):
    found = tmp_path / request.param
    found.write_text(data_text(str(found), MODEL, DATA, START))
    return found


def test_the_ending_of_its_name_decides_what_is_written(path):
    assert is_deck(path) is (path.suffix != ".csv")


def test_what_was_written_is_read(path):
    found = read_data(path, MODEL)
    assert found.names == ("x", "y")
    np.testing.assert_array_equal(found.times, DATA.times)
    np.testing.assert_array_equal(found.values, DATA.values)


def test_cards_have_starting_values(path):
    found, start = read_problem(path, MODEL)
    np.testing.assert_array_equal(found.values, DATA.values)
    assert (start is None) is (path.suffix == ".csv")
    assert start is None or start.tolist() == [7.0]


def test_a_file_is_read_once_because_it_may_be_a_pipe(path):
    read = []

    def once(name):
        read.append(name)
        return file_bytes(name)

    read_problem(path, MODEL, once)
    assert read == [path]


def test_a_model_is_no_data(tmp_path):
    path = tmp_path / "line.ode"
    path.write_text("par k=1\nx'=-k*x\ndone\n")
    with pytest.raises(DataError, match="holds a model"):
        read_data(path, MODEL)
