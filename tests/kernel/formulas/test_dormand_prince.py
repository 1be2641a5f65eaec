"""The formula of order 8 against scipy's, and its polynomial against what it follows."""

import numpy as np
import pytest
from scipy.integrate import DOP853

from parfit.kernel.formulas.dormand_prince import DEGREE, END, ERRORS, LEVELS, N_PLACES, N_STAGES, PLACE, STAGES, C


def pendulum(t, y):
    return np.array([y[1] + 0.3 * np.sin(t), -np.sin(y[0]) - 0.2 * y[1] ** 2])


def stepped(h, t=0.2, y=(1.0, 0.5)):
    """The levels at the end of a step, and its two errors."""
    slopes = np.zeros((N_PLACES, 2))
    for stage in range(N_STAGES):
        at = np.array(y) + h * STAGES[stage] @ slopes
        if stage == END:
            end = at
        if stage == END + 1:
            errors = h * ERRORS @ slopes
        slopes[PLACE[stage]] = pendulum(t + C[stage] * h, at)
    levels = h * LEVELS @ slopes
    assert levels[0] == pytest.approx(end - y, rel=1e-13), "the polynomial goes through the beginning"
    levels[0] = end
    return levels, errors


def polynomial(levels, x):
    """At x steps after the beginning."""
    return sum(levels[k] * (x - 1.0) ** k for k in range(DEGREE + 1))


@pytest.mark.parametrize("h", [0.1, 0.7])
def test_a_step_and_its_polynomial_are_those_of_scipy(h):
    levels, _ = stepped(h)
    solver = DOP853(pendulum, 0.2, [1.0, 0.5], 10.0, first_step=h, rtol=1e-3, atol=1e-3)
    solver.step()
    assert solver.t == pytest.approx(0.2 + h)
    assert levels[0] == pytest.approx(solver.y, rel=1e-14)
    dense = solver.dense_output()
    for x in (0.0, 0.2, 0.5, 0.9, 1.0):
        assert polynomial(levels, x) == pytest.approx(dense(0.2 + x * h), rel=1e-11)


def test_errors_are_those_of_scipy():
    _, errors = stepped(0.7)
    solver = DOP853(pendulum, 0.2, [1.0, 0.5], 10.0, first_step=0.7, rtol=1e-3, atol=1e-3)
    solver.step()
    assert errors[0] == pytest.approx(0.7 * solver.K[: END + 1].T @ solver.E3, rel=1e-9)
    assert errors[1] == pytest.approx(0.7 * solver.K[: END + 1].T @ solver.E5, rel=1e-9)


def test_no_slope_is_needed_after_its_place_was_taken():
    """Of stages whose places others take: they have no part in what comes later."""
    for stage in range(END, N_STAGES):
        taken = PLACE[stage]
        assert taken in (1, 2, 3, 4)
        assert STAGES[END, taken] == 0.0
        assert (ERRORS[:, taken] == 0.0).all()
