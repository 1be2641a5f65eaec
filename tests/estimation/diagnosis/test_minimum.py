"""Where a point stands: minima, bounds, roots of 0, and plains, on a decay whose solution is known."""

import numpy as np
import pytest

from parfit import Model, Simulator
from parfit.data.observations import make_observations
from parfit.estimation.diagnosis import minimum
from parfit.estimation.diagnosis.minimum import standing
from parfit.estimation.optimizers.bounded import Settings
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.simulation.method import Method

TIMES = np.arange(1, 9) / 2.0
ERRORS = 0.01 * np.array([1, -2, 1, 1, -1, -1, 2, -1])
ACCURATE = Method("gear", "auto", eps=1e-10, h_min=0)


def stand(values, observed, **more):
    """Of y = exp(-k t) + c, against observations."""
    model = Model.from_text("par k=1, c=0\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    map_ = ParameterMap(model.parameters, np.array(values, dtype=float), **more)
    data = make_observations(TIMES, ["y"], observed[:, np.newaxis])
    problem = TrajectoryFit(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    return standing(problem, problem.evaluate(map_.point))


def test_another_point_is_judged_as_if_the_problem_began_there():
    observed = exact(0.7, 0.1) + ERRORS
    model = Model.from_text("par k=1, c=0\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    data = make_observations(TIMES, ["y"], observed[:, np.newaxis])
    map_ = ParameterMap(model.parameters, np.array([1.0, 0.0]))
    problem = TrajectoryFit(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    best = fitted(observed)
    assert not standing(problem, problem.evaluate(map_.point)).minimal
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


def test_near_a_bound_is_not_at_it():
    observed = exact(0.7, -0.1) + ERRORS
    k = fitted(observed, c=0.1)[0]
    bounds = {"lower": np.array([-np.inf, 0.1]), "upper": np.full(2, np.inf)}
    assert stand([k, 0.1], observed, **bounds).pressed == (1,)
    found = stand([k, 0.1 * (1.0 + 1e-8)], observed, **bounds)
    assert found.pressed == ()
    assert not found.minimal


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


# ---- what slopes do not tell


def two_decays(values, observed):
    """Of y = a exp(-k t) + b exp(-m t), against observations."""
    text = "par a=1, k=1, b=1, m=1\nx'=-k*x\ny'=-m*y\nx(0)=a\ny(0)=b\naux z=x+y\ndone"
    model = Model.from_text(text, "two")
    map_ = ParameterMap(model.parameters, np.array(values, dtype=float))
    data = make_observations(TIMES, ["z"], observed[:, np.newaxis])
    problem = TrajectoryFit(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    return standing(problem, problem.evaluate(map_.point))


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_two_equal_rates_are_a_saddle_point(share):
    """The best single decay, split in two: all slopes vanish, but rates that part fit better."""
    from scipy.optimize import least_squares

    observed = 1.5 * np.exp(-0.4 * TIMES) + 0.8 * np.exp(-3.0 * TIMES)
    a, k = least_squares(lambda p: p[0] * np.exp(-p[1] * TIMES) - observed, [2.0, 1.0], xtol=1e-15, ftol=1e-15).x
    found = two_decays([share * a, k, (1 - share) * a, k], observed)
    assert found.offset < 1e-3
    assert not found.minimal
    assert {1, 3} <= set(found.saddle)
    assert two_decays([1.5, 0.4, 0.8, 3.0], observed).minimal


@pytest.mark.parametrize("k", [15.0, 20.0, 25.0])
def test_a_rate_that_runs_away_is_no_minimum(k):
    """Where the first residual happens to be 0, slopes vanish with exp(-k t): the minimum is at infinity."""
    observed = 0.3 + ERRORS
    observed[0] = 0.3 - 1e-4
    c = 0.3 + (observed[1:] - 0.3).mean()
    observed[0] = c - 1e-4
    found = stand([k, c], observed)
    assert not found.minimal


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_an_offset_makes_no_minimum(offset):
    text = f"par a=1, k=2\nx'=-k*x\nx(0)=a\naux y={offset!r}+x\ndone"
    model = Model.from_text(text, "offset")
    observed = (0.1 * np.exp(-0.7 * TIMES) + 0.1 * ERRORS)[:, np.newaxis] + offset
    data = make_observations(TIMES, ["y"], observed)
    for values, expected in (([0.1, 2.0], False), ([0.1003, 0.8], False)):
        map_ = ParameterMap(model.parameters, np.array(values))
        problem = TrajectoryFit(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
        found = standing(problem, problem.evaluate(map_.point))
        assert found.minimal is expected
        assert not found.exact


def test_a_parameter_of_0_is_seen():
    """The best c is 0 to rounding, so that a change by its own size does nothing; the data see it all the same."""
    errors = ERRORS - ERRORS.mean()
    observed = np.exp(-0.7 * TIMES) + errors
    best = fitted(observed)
    shifted = observed - best[1]
    best = fitted(shifted)
    found = stand([best[0], best[1] * 1e-3], shifted)
    assert abs(best[1]) < 1e-6
    assert found.minimal
    assert found.flat == ()


def test_a_large_parameter_under_a_root_is_not_at_0():
    """A step of Gauss and Newton would cross 0 from anywhere on a plain."""
    observed = exact(0.7, 0.1) + ERRORS
    found = stand([9e4, observed.mean()], observed, scaling=(Scaling.SQUARE_ROOT, Scaling.NONE))
    assert 0 not in found.pressed
    assert not found.minimal


@pytest.mark.parametrize(("loss", "scale"), [("arctan", 1e-8), ("arctan", 1e-5), ("huber", 1e-60), ("cauchy", 1e-9)])
def test_plateaus_of_robust_losses_are_no_minima(loss, scale):
    observed = exact(0.7, 0.1) + ERRORS
    model = Model.from_text("par k=1, c=0\ny'=-k*(y-c)\ny(0)=1+c\ndone", "decay")
    data = make_observations(TIMES, ["y"], observed[:, np.newaxis])
    map_ = ParameterMap(model.parameters, np.array([1.0, 0.03]))
    problem = TrajectoryFit(Simulator(model, TIMES, ACCURATE, map_.active), map_, data)
    assert not standing(problem, problem.evaluate(map_.point), loss=Settings(loss=loss, loss_scale=scale)).minimal


def test_the_spread_of_the_data_is_found_once_however_many_trials_ask_for_it(monkeypatch):
    """And once more, variable by variable, to tell whether residuals are nothing next to it."""
    asked = []
    monkeypatch.setattr(minimum, "spreads", lambda data, spreads=minimum.spreads: asked.append(data) or spreads(data))
    observed = exact(0.7, 0.1) + ERRORS
    assert stand(fitted(observed), observed).minimal
    assert 1 <= len(asked) <= 2
    data = asked[0]
    assert minimum.spread(data) == pytest.approx(float(np.sqrt(((observed - observed.mean()) ** 2).sum())), rel=1e-12)
    assert minimum.rounding(data) == minimum.rounding(data) > 0.0
    assert len(asked) <= 2
