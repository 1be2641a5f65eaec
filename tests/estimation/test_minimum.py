"""Where a point stands: minima, bounds, roots of 0, and plains, on a decay whose solution is known."""

import numpy as np
import pytest

from parfit import Model, Simulator
from parfit.estimation.direct import Direct
from parfit.estimation.minimum import standing
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.model.method import Method
from parfit.model.observations import make_observations

TIMES = np.arange(1, 9) / 2.0
ERRORS = 0.01 * np.array([1, -2, 1, 1, -1, -1, 2, -1])
ACCURATE = Method("gear", "auto", eps=1e-10, h_min=0)


def stand(values, observed, **more):
    """Of y = exp(-k t) + c, against observations."""
    model = Model.from_text("par k=1, c=0\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    map_ = ParameterMap(model.parameters, np.array(values, dtype=float), **more)
    data = make_observations(TIMES, ["y"], observed[:, np.newaxis])
    problem = Direct(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    return standing(problem, problem.evaluate(map_.start))


def test_another_point_is_judged_as_if_the_problem_began_there():
    observed = exact(0.7, 0.1) + ERRORS
    model = Model.from_text("par k=1, c=0\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    data = make_observations(TIMES, ["y"], observed[:, np.newaxis])
    map_ = ParameterMap(model.parameters, np.array([1.0, 0.0]))
    problem = Direct(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    best = fitted(observed)
    assert not standing(problem, problem.evaluate(map_.start)).minimal
    assert standing(problem, problem.evaluate(best), best).minimal


def fitted(observed, **fixed):
    """The least-squares estimates by a search of their own."""
    from scipy.optimize import least_squares

    def solution(p):
        k, c = fixed.get("k", p[0]), fixed.get("c", p[1])
        return np.exp(-k * TIMES) + c - observed

    return least_squares(solution, [0.7, 0.0], xtol=1e-14, ftol=1e-14, gtol=1e-14).x


def exact(k, c):
    return np.exp(-k * TIMES) + c


def test_an_exact_solution():
    found = stand([0.7, 0.1], exact(0.7, 0.1))
    assert found.exact
    assert found.minimal


def test_a_minimum_and_a_point_beside_it():
    observed = exact(0.7, 0.1) + ERRORS
    best = fitted(observed)
    at = stand(best, observed)
    assert at.minimal
    assert not at.exact
    assert at.offset < 1e-4
    beside = stand(best * [1.1, 1.0], observed)
    assert not beside.minimal
    assert beside.offset > 0.1


def test_at_a_bound():
    observed = exact(0.7, -0.1) + ERRORS
    k = fitted(observed, c=0.0)[0]
    bounds = {"lower": np.array([-np.inf, 0.0]), "upper": np.full(2, np.inf)}
    assert not stand([k, 0.0], observed).minimal
    found = stand([k, 0.0], observed, **bounds)
    assert found.minimal
    assert found.pressed == (1,)


@pytest.mark.parametrize("c", [0.0, 1e-12])
def test_at_the_root_of_0(c):
    """The square root of a parameter that would be negative: it has no slope at 0, and this is the minimum."""
    observed = exact(0.7, -0.1) + ERRORS
    k = fitted(observed, c=0.0)[0]
    found = stand([k, c], observed, scaling=(Scaling.NONE, Scaling.SQUARE_ROOT))
    assert found.minimal
    assert found.pressed == (1,)


def test_a_root_of_0_that_wants_to_grow_is_no_minimum():
    observed = exact(0.7, 0.1) + ERRORS
    k = fitted(observed, c=0.0)[0]
    found = stand([k, 0.0], observed, scaling=(Scaling.NONE, Scaling.SQUARE_ROOT))
    assert found.pressed == ()
    assert not found.minimal


def test_a_plain():
    """So fast a decay is over before the first observation: its rate does not matter."""
    observed = exact(0.7, 0.1) + ERRORS
    found = stand([200.0, observed.mean()], observed)
    assert 0 in found.flat
    assert not found.minimal
