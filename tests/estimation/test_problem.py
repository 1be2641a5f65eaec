"""A problem at one point: what its sum of squares is, and when it can be used."""

import numpy as np
import pytest

from parfit.estimation.problem import Evaluation, Remembered
from parfit.simulation.status import Reason, Status

RESIDUALS, JAC = np.array([3.0, -4.0]), np.array([[1.0, 2.0, 0.0], [0.5, 0.0, 1.0]])


def test_the_sum_of_squares_and_half_its_gradient():
    at = Evaluation(RESIDUALS, JAC, Status())
    assert (at.sum_of_squares, at.usable) == (25.0, True)
    assert at.gradient.tolist() == [1.0, 6.0, -4.0]
    assert at.precision == 0.0, "without an integration derivatives are exact"


@pytest.mark.parametrize(
    ("residuals", "jac", "status", "total"),
    [
        (RESIDUALS, JAC, Status(Reason.NOT_FINITE, 1.0, "x"), np.inf),
        ([np.nan, 1.0], JAC, Status(), np.inf),
        ([1e200, 1.0], JAC, Status(), np.inf),
        (RESIDUALS, np.full((2, 3), np.inf), Status(), 25.0),
    ],
    ids=["a failed integration", "not a number", "an overflow", "derivatives that are not finite"],
)
def test_what_cannot_be_used(residuals, jac, status, total):
    with np.errstate(all="ignore"):
        at = Evaluation(np.asarray(residuals, dtype=float), jac, status)
    assert (at.sum_of_squares, at.usable) == (total, False)


def test_what_was_not_kept_is_computed_once_when_asked_for():
    calls = []

    def again():
        calls.append(1)
        return Evaluation(RESIDUALS, JAC, Status())

    at = Remembered(25.0, True, Status(), again)
    assert (at.sum_of_squares, at.usable, bool(at.status), calls) == (25.0, True, True, [])
    assert at.residuals is RESIDUALS
    assert at.jac is JAC
    assert at.trajectory is None
    assert at.gradient.tolist() == [1.0, 6.0, -4.0]
    assert len(calls) == 1
