"""What curves and guesses weigh, by hand."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.curves.sampled import observed_weights, weights_of_curves

TIMES = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
DATA = make_observations(
    [1.0, 1.0, 3.0, 4.0], ["x"], [[1.0], [2.0], [3.0], [4.0]], weights=[[1.0], [3.0], [4.0], [0.0]]
)


def test_a_curve_weighs_like_its_observations_and_between_them():
    """Replicates have their mean; what has no weight does not count."""
    assert observed_weights(DATA, ["x"], TIMES)["x"].tolist() == [2.0, 2.0, 3.0, 4.0, 4.0]


class Line:
    def __call__(self, times, derivative=0):
        return 2.0 * times


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e6])
def test_a_guess_counts_like_a_curve_on_average_whatever_its_units(unit):
    even = make_observations([0.0, 4.0], ["x"], [[0.0], [8.0]])
    found = weights_of_curves(even, {"x": Line()}, TIMES, {"z": unit * TIMES})
    assert found["x"].tolist() == [1.0] * 5
    assert found["z"] == pytest.approx(np.full(5, 2.0 / unit))
    of_1977 = weights_of_curves(even, {"x": Line()}, TIMES, {"z": unit * TIMES}, of_1977=True)
    assert set(of_1977) == {"x"}
