import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.errors import DataError

NAN = np.nan


def test_rows_are_sorted_by_time_and_replicates_keep_their_order():
    observations = make_observations([2, 1, 2, 0.5], ("y",), [[1], [2], [3], [4]], sds=[[0.1], [0.2], [0.3], [0.4]])
    assert observations.times.tolist() == [0.5, 1, 2, 2]
    assert observations.values[:, 0].tolist() == [4, 2, 1, 3]
    assert observations.sds[:, 0].tolist() == [0.4, 0.2, 0.1, 0.3]
    assert observations.weights[:, 0].tolist() == [1 / 0.4, 1 / 0.2, 1 / 0.1, 1 / 0.3]


def test_many_replicates_keep_their_order():
    observations = make_observations(np.tile([1.0, 0.0], 100), ("y",), np.arange(200.0)[:, None])
    assert observations.values[:, 0].tolist() == [*range(1, 200, 2), *range(0, 200, 2)]


def test_missing_values_count_for_nothing():
    observations = make_observations([0, 1, 2], ("a", "b", "c"), [[1, NAN, NAN], [-3, 2, NAN], [NAN, 1, NAN]])
    assert observations.n_observations == 4
    assert observations.maxima.tolist() == [3, 2, 0]
    assert observations.weights.tolist() == [[1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert observations.sds is None


def test_weights_are_one_over_the_standard_deviation_unless_given():
    values = [[1, 2], [3, NAN]]
    from_sds = make_observations([0, 1], ("a", "b"), values, sds=[0.5, NAN])
    assert from_sds.weights.tolist() == [[2, 1], [2, 0]]
    np.testing.assert_array_equal(from_sds.sds, [[0.5, NAN], [0.5, NAN]])
    given = make_observations([0, 1], ("a", "b"), values, weights=[[3, 4], [0, 7]], sds=0.5)
    assert given.weights.tolist() == [[3, 4], [0, 0]]


def test_sample_times_begin_with_the_initial_time_once():
    observations = make_observations([1, 3, 1, 2], ("y",), [[1], [2], [3], [4]])
    assert observations.sample_times(0.5).tolist() == [0.5, 1, 2, 3]
    assert observations.sample_times(1.0).tolist() == [1, 2, 3]
    with pytest.raises(DataError, match=r"time 1 is before the initial time 1\.5"):
        observations.sample_times(1.5)


def test_arrays_are_read_only_copies():
    times, values = np.array([0.0, 1]), np.array([[1.0], [2]])
    observations = make_observations(times, ("y",), values, sds=1.0)
    times[0], values[0, 0] = 5, 5
    assert (observations.times[0], observations.values[0, 0]) == (0, 1)
    for array in (observations.times, observations.values, observations.weights, observations.sds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, NAN], ("y",), [[1], [2]]), "times must be"),
        (([0, -np.inf], ("y",), [[1], [2]]), "times must be"),
        (([[0]], ("y",), [[1]]), "times must be"),
        (([0, 1], ("y",), [[1, 2]]), r"need \(2, 1\)"),
        (([0, 1], ("y", "y"), [[1, 2], [3, 4]]), "occurs twice"),
        (([0], ("y",), [[np.inf]]), "infinite"),
        (([0], ("y",), [["x"]]), "array of numbers"),
        (([0], ("y",), [[1]], [[-1]]), "weight is negative"),
        (([0], ("y",), [[1]], [[NAN]]), "missing"),
        (([0], ("y",), [[1]], [[1, 2]]), "weights have shape"),
        (([0], ("y",), [[1]], None, [[0]]), "not positive"),
        (([0], ("y",), [[1]], None, [[np.inf]]), "not positive and finite"),
        (([0], ("y",), [[1]], None, [[1e-320]]), "too small"),
    ],
)
def test_wrong_arguments_are_data_errors(arguments, message):
    with pytest.raises(DataError, match=message):
        make_observations(*arguments)


def test_errors_name_the_source():
    with pytest.raises(DataError, match=r"^a\.csv: values have"):
        make_observations([0], ("y",), [[1, 2]], source="a.csv")
