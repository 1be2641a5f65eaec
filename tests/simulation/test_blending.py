"""Curves in place of states: what the model sees, against closed forms."""

import numpy as np
import pytest

from parfit import Blended, Method, Model, ParfitError, Simulator
from parfit.model.curves import interpolating

MODEL = Model.from_text("par k=1\nx'=k*y\ny'=0\ninit x=0, y=5\n")
TIMES = np.linspace(0.0, 2.0, 9)
LINE = interpolating(TIMES, 3.0 * TIMES, "spline")
EXACT = Method("gear", eps=1e-10, h_min=0.0)


def x_seen(gamma, curve):
    """x where its equation sees (1 - gamma) curve + gamma y."""
    blended = Blended(np.array([1.0, gamma]), (None, curve))
    return Simulator(MODEL, TIMES, EXACT, blended=blended)().column("x")


@pytest.mark.parametrize("gamma", [0.0, 0.25, 1.0])
def test_an_equation_sees_parts_of_curve_and_state(gamma):
    """The integral of (1 - gamma) 3 t + gamma 5."""
    expected = (1 - gamma) * 1.5 * TIMES**2 + gamma * 5.0 * TIMES
    np.testing.assert_allclose(x_seen(gamma, LINE), expected, atol=1e-7)


def test_a_state_that_is_seen_alone_needs_no_curve():
    np.testing.assert_allclose(x_seen(1.0, None), 5.0 * TIMES, atol=1e-7)


def test_a_state_that_is_seen_in_part_needs_one():
    with pytest.raises(ParfitError, match="a curve for every state"):
        x_seen(0.5, None)
    with pytest.raises(ParfitError, match="a curve for every state"):
        Simulator(MODEL, TIMES, blended=Blended(np.zeros(2), (LINE,)))
    with pytest.raises(ParfitError, match="gamma"):
        Simulator(MODEL, TIMES, blended=Blended(np.zeros(3), (LINE, LINE)))
