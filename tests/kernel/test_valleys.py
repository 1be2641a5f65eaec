"""Narrow curved valleys, which More's method creeps along: steps that bend with them, counted against MINPACK's."""

import numpy as np
import pytest
from certified import LeastSquares, certified
from scipy.optimize import least_squares

from parfit import Model, Simulator
from parfit.data.observations import make_observations
from parfit.estimation.optimizers.bounded import Settings, minimize
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.simulation.method import ACCURATE

# NIST StRD, MGH17, of higher difficulty: y at t = 0, 10, ..., 320.
MGH17 = """
.844 .908 .932 .936 .925 .908 .881 .850 .818 .784 .751 .718 .685 .658 .628 .603 .580 .558 .538 .522 .506 .490 .478 .467
.457 .448 .438 .431 .424 .420 .414 .411 .406
"""


def rosenbrock(slope):
    return lambda x: np.array([slope * (x[1] - x[0] ** 2), 1.0 - x[0]])


def helix(slope):
    return lambda x: np.array([slope * (x[0] - np.cos(x[2])), slope * (x[1] - np.sin(x[2])), 0.3 * (x[2] - 6.0)])


def mgh17(b):
    t, y = 10.0 * np.arange(33), np.array(MGH17.split(), dtype=float)
    with np.errstate(all="ignore"):  # far away they are too large for numbers
        return b[0] + b[1] * np.exp(-t * b[3]) + b[2] * np.exp(-t * b[4]) - y


HELIX_END = (np.cos(6.0), np.sin(6.0), 6.0)
VALLEYS = {  # residuals, start, certified minimum and where it is, and how many times fewer evaluations are enough
    "rosenbrock 1000": (rosenbrock(1e3), (-1.2, 1.0), 0.0, (1.0, 1.0), 3),
    "rosenbrock 10000": (rosenbrock(1e4), (-1.2, 1.0), 0.0, (1.0, 1.0), 8),
    "helix 30": (helix(30.0), (1.0, 0.0, 0.0), 0.0, HELIX_END, 1.5),
    "helix 300": (helix(300.0), (1.0, 0.0, 0.0), 0.0, HELIX_END, 4),
    "mgh10": (
        certified("meyer").function,
        certified("meyer").start,
        certified("meyer").total,
        certified("meyer").p,
        1.5,
    ),
    "mgh17": (
        mgh17,
        (50.0, 150.0, -100.0, 1.0, 2.0),
        5.4648946975e-05,
        (3.7541005211e-01, 1.9358469127, -1.4646871366, 1.2867534640e-02, 2.2122699662e-02),
        2,
    ),
}


def by_minpack(function, start):
    problem = LeastSquares(function)
    return least_squares(
        problem.residuals, start, jac=problem.jac, method="lm", ftol=1e-8, xtol=1e-8, gtol=1e-15, max_nfev=3000
    ).nfev


@pytest.mark.parametrize("name", VALLEYS)
def test_a_curved_valley_takes_far_fewer_evaluations_than_minpack_needs(name):
    function, start, total, p, times_fewer = VALLEYS[name]
    found = minimize(LeastSquares(function), np.array(start), Settings(max_evaluations=1000))
    assert found.ending is Ending.CONVERGED
    assert found.evaluation.sum_of_squares == pytest.approx(total, rel=1e-7, abs=1e-20)
    if p:
        assert found.p == pytest.approx(p, rel=1e-4)
    assert found.n_evaluations * times_fewer <= by_minpack(function, start)


def test_the_units_of_parameters_and_residuals_do_not_matter():
    """Powers of two change no bit but exponents: the way is the same."""
    function, start, *_ = VALLEYS["helix 300"]
    own, other = LeastSquares(function), LeastSquares(lambda x: 2.0**30 * function(x / 2.0**13))
    minimize(own, np.array(start))
    minimize(other, 2.0**13 * np.array(start))
    assert (np.array(other.seen) / 2.0**13).tolist() == np.array(own.seen).tolist()


def test_no_bend_leads_beyond_a_bound():
    low, high = np.array([-1.5, -1.0]), np.array([0.7, 9.0])
    problem = LeastSquares(rosenbrock(1e3))
    found = minimize(problem, np.array([-1.2, 1.0]), Settings(), (low, high))
    assert ((np.array(problem.seen) >= low) & (np.array(problem.seen) <= high)).all()
    assert found.p == pytest.approx([0.7, 0.49], rel=1e-4), "at the bound the valley is at its square"
    assert len(problem.seen) < by_minpack(rosenbrock(1e3), (-1.2, 1.0)) / 2


BANANA = "par a=-1.2, b=1\nu'=300*(b-a^2)*exp(-t)\nv'=(1-a)*exp(-t)\nu(0)=0\nv(0)=0\ndone"


def test_a_valley_of_differential_equations():
    """u = 300 (b - a^2) (1 - exp(-t)) and v = (1 - a) (1 - exp(-t)), observed as 0: the minimum is at a = b = 1."""
    model, times = Model.from_text(BANANA), np.array([0.5, 1.0, 2.0])
    data = make_observations(times, ["u", "v"], np.zeros((3, 2)), sds=[1.0, 1.0])
    parameters = ParameterMap(model.parameters, model.values)
    problem = TrajectoryFit(Simulator(model, times, ACCURATE, parameters.active, [1.0, 1.0]), parameters, data)
    found = minimize(problem, parameters.point)
    assert found.p == pytest.approx([1.0, 1.0], rel=1e-5)
    part = 1.0 - np.exp(-times)
    exact = LeastSquares(lambda x: np.concatenate((300.0 * (x[1] - x[0] ** 2) * part, (1.0 - x[0]) * part)))
    assert found.n_evaluations < by_minpack(exact.function, model.values) / 1.5
