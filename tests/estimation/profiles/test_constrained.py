"""Steps along which a quantity is held, against the conditions of Lagrange."""

import numpy as np
import pytest

from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.profiles.constrained import Held
from parfit.simulation.status import Status

N_ROWS, N = 12, 4
UNITS = np.array([1e-6, 1.0, 1e3, 1e9])


class Line:
    """Residuals that are linear in the parameters, of which the last is nearly the sum of the others."""

    def __init__(self, apart):
        rng = np.random.default_rng(5)
        columns = rng.normal(size=(N_ROWS, N))
        columns[:, -1] = columns[:, :-1].sum(axis=1) + apart * columns[:, -1]
        self.jac, self.f = columns / UNITS, rng.normal(size=N_ROWS)

    def evaluate(self, active):
        return Evaluation(self.f + self.jac @ active, self.jac, Status(), None)


class Sum:
    """A combination of all parameters."""

    slope = np.array([2.0, -1.0, 0.5, 1.0]) / UNITS

    def at(self, p, evaluation):
        return float(self.slope @ p), self.slope


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("apart", [1.0, 1e-6])
def test_what_is_left_has_no_slope_but_along_the_quantity(apart, bounded):
    parameters = ParameterMap(tuple("abcd"), np.zeros(N), lower=np.full(N, -1e30 if bounded else -np.inf))
    problem = Line(apart)
    held = Held(problem, parameters, Sum())
    found = held.corrected(held.place(np.zeros(N)), 3.0, 1e-12, 3.0)
    assert Sum.slope @ found.p == pytest.approx(3.0, rel=1e-6)
    gradient = (problem.f + problem.jac @ found.p) @ problem.jac * UNITS
    slopes = Sum.slope * UNITS
    across = gradient - slopes * (gradient @ slopes) / (slopes @ slopes)
    assert across == pytest.approx(np.zeros(N), abs=1e-6)
