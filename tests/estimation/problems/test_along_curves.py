"""What is computed beside what curves say: weights, scaled parameters and places, by hand."""

import numpy as np
import pytest

from parfit import Model
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.along_curves import AlongCurves, held
from parfit.model.curves import interpolating
from parfit.simulation.status import Reason

TIMES = np.array([0.0, 1.0, 2.0])
EXPECTED = np.array([[1.0, 5.0], [3.0, 7.0]])  # at the last two of the times
WEIGHTS = {"x": np.array([9.0, 1.0, 2.0]), "q": np.array([9.0, 0.5, 0.0])}
COMPUTED = np.array([[2.0, 5.0], [5.0, 9.0]])
DERIVATIVES = np.arange(4.0).reshape(2, 2, 1) + 1.0


@pytest.fixture
def fit():
    map_ = ParameterMap(("k",), [4.0], scaling=(Scaling.SQUARE_ROOT,))
    return AlongCurves(map_, TIMES, ("x", "q"), EXPECTED, WEIGHTS)


def test_residuals_stand_by_time_and_then_by_variable_and_are_weighted(fit):
    assert fit._compared(np.array([2.0]), COMPUTED, DERIVATIVES).residuals.tolist() == [1.0, 0.0, 4.0, 0.0]


def test_derivatives_are_by_scaled_parameters(fit):
    """k is the square of what is fitted, 2: its slope there is 4."""
    jac = fit._compared(np.array([2.0]), COMPUTED, DERIVATIVES).jac
    assert jac.tolist() == [[4.0 * 1.0], [4.0 * 0.5 * 2.0], [4.0 * 2.0 * 3.0], [0.0]]


def test_the_spread_is_that_of_what_counts(fit):
    """x: 1 with weight 1 and 3 with weight 2, about their mean 2.6; of q one value is left."""
    assert fit.spread == pytest.approx((1.0 * 1.6) ** 2 + (2.0 * 0.4) ** 2)


def test_what_is_not_finite_is_placed(fit):
    status = fit._compared(np.array([2.0]), np.where(COMPUTED == 9.0, np.nan, COMPUTED), DERIVATIVES).status
    assert (status.reason, status.time, status.state) == (Reason.NOT_FINITE, 2.0, "q")


def test_states_without_a_curve_follow_their_equations():
    curve = interpolating(TIMES, TIMES, "spline")
    found = held(Model.from_text("x'=1\ny'=x\nz'=y\n"), {"y": curve})
    assert found.gamma.tolist() == [1.0, 0.0, 1.0]
    assert found.curves == [None, curve, None]
