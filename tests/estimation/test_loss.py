"""The sum of squares as a loss: value, derivative and problem belong together."""

import numpy as np
import pytest

from parfit.estimation.loss import LeastSquares
from parfit.estimation.problem import Evaluation
from parfit.simulation.status import Status


def test_least_squares():
    f = np.array([3.0, -4.0, 0.0])
    assert LeastSquares().sum(f) == 25.0
    moved = f + np.array([0.0, 1e-6, 0.0])
    slope = (LeastSquares().sum(moved) - LeastSquares().sum(f)) / (moved[1] ** 2 - f[1] ** 2)
    assert LeastSquares().weights(f)[1] == pytest.approx(slope, rel=1e-6)
    found = Evaluation(f, np.eye(3), Status())
    assert LeastSquares().weighted(found) is found
