"""More's method, with bounds and losses too: certified minima, no more work than scipy's own, numbers only."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from certified import FAILED, PROBLEMS, LeastSquares, certified
from scipy.optimize import least_squares
from scipy.optimize import minimize as minimum

from parfit.estimation.diagnosis.minimum import relative_offset
from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.bounded import LOSSES, Settings, minimize
from parfit.estimation.problem import Ending

TOL = 1e-8
TIGHT = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-14)


def by_scipy(problem, start, **more):
    """MINPACK as scipy gives it, stopped by the same tolerances."""
    how = {"ftol": TOL, "xtol": TOL, "gtol": 1e-15, "jac": problem.jac, "method": "lm", "x_scale": "jac"}
    return least_squares(problem.residuals, start, **how | more)


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_certified_minima(case):
    problem = case.problem()
    result = minimize(problem, np.array(case.start), Settings(tol=1e-12, max_evaluations=2000))
    assert result.ending is Ending.CONVERGED
    assert result.evaluation.sum_of_squares == pytest.approx(case.total, rel=3e-6, abs=1e-12)
    if case.p:
        assert result.p == pytest.approx(case.p, rel=1e-6)
    assert result.evaluation.residuals == pytest.approx(problem.residuals(result.p))
    assert result.n_evaluations == len(problem.seen)


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_it_integrates_no_more_often_than_scipy_evaluates(case):
    """One integration gives residuals and Jacobian; scipy's count is of residuals alone.

    Counted up to where both are as low as the tolerance asks: what follows is decided by rounding.
    """
    problem, other, seen = case.problem(), case.problem(), []
    result = minimize(problem, np.array(case.start), Settings(tol=TOL, max_evaluations=2000))
    counting = LeastSquares(lambda x: seen.append(x.copy()) or other.function(x))
    expected = by_scipy(counting, case.start, jac=other.jac, max_nfev=2000)
    nothing = 1e-30 * float(np.sum(case.function(problem.seen[0]) ** 2))
    level = max(2 * expected.cost, result.evaluation.sum_of_squares) + nothing
    assert result.evaluation.sum_of_squares <= 2 * expected.cost * (1 + TOL) + nothing
    assert len(problem.seen) == result.n_evaluations
    assert until(case, problem.seen, level) <= until(case, unlike_the_last(seen), level)
    assert len({each.tobytes() for each in problem.seen}) == len(problem.seen), "no point twice"


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_it_ends_as_low_as_scipy_where_both_go_to_the_end(case):
    result = minimize(case.problem(), np.array(case.start), Settings(tol=1e-13, max_evaluations=2000))
    expected = by_scipy(case.problem(), case.start, ftol=1e-13, xtol=1e-13, max_nfev=2000)
    nothing = 1e-30 * float(np.sum(case.function(np.array(case.start)) ** 2))
    assert result.evaluation.sum_of_squares <= 2 * expected.cost * (1 + 1e-12) + nothing


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_it_goes_the_way_of_minpack(case):
    """Point by point, as long as rounding errors have not grown, and before a search creeps along a valley."""
    own, other, seen = case.problem(), case.problem(), []
    minimize(own, np.array(case.start), Settings(tol=TOL))
    by_scipy(LeastSquares(lambda x: seen.append(x) or other.function(x)), case.start, jac=other.jac)
    n = min(len(own.seen), 20)
    steps = np.array(unlike_the_last(seen)[:n])
    assert np.array(own.seen[:n]) == pytest.approx(steps, rel=1e-6, abs=1e-9 * np.abs(steps).max())


def until(case, points, level):
    """How many points it takes to be as low as a level."""
    totals = [float(np.sum(case.function(p) ** 2)) for p in points]
    return next(k for k, total in enumerate(totals) if total <= level * (1 + 1e-12))


def unlike_the_last(points):
    """Points without those that are asked for twice in a row."""
    return [p for k, p in enumerate(points) if k == 0 or p.tolist() != points[k - 1].tolist()]


def test_progress_sees_every_trial_after_the_first():
    problem, trials = certified("rosenbrock").problem(), []
    result = minimize(problem, np.array([-1.2, 1.0]), progress=trials.append)
    assert [trial.p.tolist() for trial in trials] == [each.tolist() for each in problem.seen[1:]]
    accepted = [trial.evaluation.sum_of_squares for trial in trials if trial.accepted]
    assert accepted == sorted(accepted, reverse=True)
    assert accepted[-1] == result.evaluation.sum_of_squares
    assert [trial.iteration for trial in trials if trial.accepted] == list(range(1, len(accepted) + 1))
    assert result.n_iterations == len(accepted)
    assert {trial.lam for trial in trials} == {0.0}


# ---- what cannot be integrated


@pytest.fixture
def spied(monkeypatch):
    """What the search is given, and where it wants to look, is seen: every number must be one."""
    shown = []

    class Watched(bounded.More):
        def tell(self, f, jac, total, usable):
            if usable:
                assert np.isfinite(f).all()
                assert np.isfinite(jac).all()
            super().tell(f, jac, total, usable)
            assert np.isfinite(self.point).all(), "a number that is none is the next point"
            shown.append(self.point)

    monkeypatch.setattr(bounded, "More", Watched)
    return shown


def with_a_hole(name, start):
    """The problem without a solution near the first trial of a run through it."""
    whole = certified(name).problem()
    minimize(whole, np.array(start))
    first, hole = np.array(start), whole.seen[1]
    radius = 0.05 * np.linalg.norm((hole - first) / hole)
    return LeastSquares(certified(name).function, lambda x: np.linalg.norm((x - hole) / hole) < radius)


@pytest.mark.parametrize("how", ["more", "bounds", "robust"])
@pytest.mark.parametrize("name", ["rosenbrock", "meyer", "rat42-1", "misra1a-1", "box-bod"])
def test_a_failed_integration_is_a_step_rejected(spied, name, how):
    case, trials = certified(name), []
    problem = with_a_hole(name, case.start)
    bounds = (np.full(len(case.start), -1e6), np.full(len(case.start), 1e6)) if how == "bounds" else None
    settings = Settings(1e-10, 2000, "huber" if how == "robust" else "linear", 1e8)
    spied.clear()
    result = minimize(problem, np.array(case.start), settings, bounds, trials.append)
    failed = [trial for trial in trials if not trial.evaluation.status]
    if how == "more":
        assert failed, "the problem does not test what it is meant to"
    assert not any(trial.accepted for trial in failed)
    assert result.ending is Ending.CONVERGED
    assert result.evaluation.sum_of_squares == pytest.approx(case.total, rel=1e-4, abs=1e-12)
    assert len(spied) == len(trials)


@pytest.mark.parametrize("name", ["rosenbrock", "meyer", "rat42-1", "misra1a-1", "box-bod"])
def test_a_failed_integration_costs_no_more_than_residuals_too_large_for_minpack(name):
    problem, other = with_a_hole(name, certified(name).start), with_a_hole(name, certified(name).start)
    start = np.array(certified(name).start)
    result = minimize(problem, start, Settings(TOL, 2000))
    large = np.full(other.residuals(start).size, 100.0 * np.linalg.norm(other.residuals(start)))
    shown = LeastSquares(lambda x: large if other.fails(x) else other.function(x))
    expected = by_scipy(shown, start, jac=other.jac, max_nfev=2000)
    assert len(problem.seen) == result.n_evaluations <= expected.nfev
    assert result.evaluation.sum_of_squares <= 2 * expected.cost * (1 + 1e-9) + 1e-25


def test_a_start_that_fails():
    problem = LeastSquares(certified("rosenbrock").function, lambda x: True)
    result = minimize(problem, np.array([1.0, 2.0]))
    assert result.ending is Ending.START
    assert result.evaluation.status is FAILED
    assert len(problem.seen) == 1


def test_all_but_the_start_fail(spied):
    problem = LeastSquares(certified("rosenbrock").function, lambda x: x.tolist() != [-1.2, 1.0])
    result = minimize(problem, np.array([-1.2, 1.0]))
    assert result.p.tolist() == [-1.2, 1.0]
    assert result.evaluation.status
    assert result.n_iterations == 0


# ---- how it ends


@pytest.mark.parametrize("bounds", [None, (np.array([-5.0, -5]), np.array([5.0, 5]))], ids=["more", "bounds"])
@pytest.mark.parametrize("n", [1, 3, 7, 12])
def test_an_interrupt_keeps_the_best_point(bounds, n):
    problem, totals = certified("rosenbrock").problem(), []
    evaluate = problem.evaluate

    def interrupted(x):
        if len(problem.seen) == n:
            raise KeyboardInterrupt
        found = evaluate(x)
        totals.append(found.sum_of_squares)
        return found

    problem.evaluate = interrupted
    result = minimize(problem, np.array([-1.2, 1.0]), bounds=bounds)
    assert result.ending is Ending.INTERRUPTED
    assert result.evaluation.sum_of_squares == min(totals)
    assert result.p.tolist() == problem.seen[int(np.argmin(totals))].tolist()
    assert result.n_evaluations <= n + 1


@pytest.mark.parametrize("bounds", [None, (np.array([-5.0, -5]), np.array([5.0, 5]))], ids=["more", "bounds"])
@pytest.mark.parametrize("limit", [2, 5, 10])
def test_the_limit_of_integrations(bounds, limit):
    problem = certified("rosenbrock").problem()
    result = minimize(problem, np.array([-1.2, 1.0]), Settings(max_evaluations=limit), bounds)
    assert result.ending is Ending.LIMIT
    assert len(problem.seen) <= limit + 1
    assert result.evaluation.sum_of_squares < 24.2


def test_fewer_residuals_than_parameters():
    problem = LeastSquares(lambda x: np.array([x[0] + x[1] ** 2 + x[2] - 6, x[0] - x[2]]))
    result = minimize(problem, np.array([1.0, 1.0, 2.0]))
    assert result.ending is Ending.CONVERGED
    assert result.evaluation.sum_of_squares < 1e-15  # of 10 at the start
    assert result.evaluation.residuals.shape == (2,)
    assert result.evaluation.jac.shape == (2, 3)


def test_a_column_of_zeros_does_not_move():
    problem = LeastSquares(lambda x: certified("rat42-2").function(x[:3]) + 0 * x[3])
    result = minimize(problem, np.array([75.0, 2.5, 0.07, 4.0]), Settings(1e-12))
    assert result.p == pytest.approx([*certified("rat42-2").p, 4.0], rel=1e-6)


@pytest.mark.parametrize("start", [(1.0, 1.0), (1.0, 1.0 + 1e-9)])
def test_a_start_at_an_exact_minimum(start):
    problem = certified("rosenbrock").problem()
    result = minimize(problem, np.array(start))
    assert result.ending is Ending.CONVERGED
    assert result.p == pytest.approx([1.0, 1.0])
    assert len(problem.seen) <= 4


# ---- that it can be played again


class Remembered:
    """A problem that gives the same arrays for the same point, so that only the optimizer's own arithmetic counts."""

    def __init__(self, problem):
        self._problem, self._found, self.seen = problem, {}, []

    def evaluate(self, active):
        self.seen.append(active.tobytes())
        if self.seen[-1] not in self._found:
            self._found[self.seen[-1]] = self._problem.evaluate(active)
        return self._found[self.seen[-1]]

    def path(self, start):
        """All points of a fit, to the last bit."""
        self.seen.clear()
        with np.errstate(over="ignore"):  # of points that are tried and rejected
            minimize(self, np.array(start), Settings(tol=1e-10, max_evaluations=80))
        return b"".join(self.seen)


def exponentials():
    """Eight of them, 64 observations: with these scipy's leastsq has two ways, by where it finds memory."""
    t = np.linspace(0, 3, 64)
    values = np.exp(-np.outer(t, 1.3 * np.arange(1, 9))).sum(axis=1) + 0.05 * np.sin(7 * t)
    return LeastSquares(lambda p: sum(np.exp(-t * (k + 1) * p[k]) for k in range(8)) - values), (0.7,) * 8


@pytest.mark.parametrize("name", ["exponentials", "brown-dennis", "meyer"])
def test_the_same_way_again_wherever_memory_is_found(name):
    whole, start = exponentials() if name == "exponentials" else (certified(name).problem(), certified(name).start)
    problem, rng, kept, paths = Remembered(whole), np.random.default_rng(2), [], set()
    for _ in range(200):
        kept = [*kept[5:], *(np.full(rng.integers(1, 3000), rng.normal()) for _ in range(15))][-40:]
        paths.add(problem.path(start))
    assert len(paths) == 1


FRESH = """
import sys
sys.path[:0] = sys.argv[1:]
from test_bounded import Remembered, exponentials
problem, start = exponentials()
del sys.modules["scipy.optimize"]  # of which the tests themselves make use
sys.stdout.write(Remembered(problem).path(start).hex())
assert "scipy.optimize" not in sys.modules
"""


def test_the_same_way_again_in_a_new_process_without_the_optimizers_of_scipy():
    folder = Path(__file__).parent
    command = [sys.executable, "-c", FRESH, str(folder), str(folder.parent), str(folder.parents[1])]
    new = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)}
    problem, start = exponentials()
    assert new == {Remembered(problem).path(start).hex()}


# ---- bounds and losses


INF = np.inf
BOXES = [
    ("rosenbrock", (-1.2, 1.0), (-INF, -INF), (0.5, INF)),
    ("rosenbrock", (-1.2, 1.0), (-2, 1.5), (2, 3)),
    ("linear", (1.0,) * 5, (-0.5, -INF, -INF, 0, -3), (2, INF, -2, INF, 3)),
    ("brown-dennis", (25.0, 5.0, -5.0, -1.0), (-10, -INF, -INF, -INF), (50, 12, 0, 0.2)),
    ("kowalik-osborne", (0.25, 0.39, 0.415, 0.39), (0, 0, 0, 0), (0.19, 1, 0.1, 1)),
    ("misra1a-1", (500.0, 0.0001), (0, 0), (200, 1)),
    ("rat42-2", (75.0, 2.5, 0.07), (0, 0, 0), (70, 5, 1)),
]


@pytest.mark.parametrize(("name", "start", "lower", "upper"), BOXES)
def test_bounds_give_the_constrained_minimum(name, start, lower, upper):
    problem, bounds = certified(name).problem(), (np.array(lower, dtype=float), np.array(upper, dtype=float))
    inside = np.clip(start, bounds[0] + 1e-3 * np.isfinite(bounds[0]), bounds[1] - 1e-3 * np.isfinite(bounds[1]))
    best = least_squares(problem.residuals, inside, problem.jac, bounds, "dogbox", x_scale="jac", **TIGHT)
    problem.seen.clear()
    result = minimize(problem, np.array(start), Settings(1e-12), bounds)
    assert result.ending is Ending.CONVERGED
    assert result.evaluation.sum_of_squares == pytest.approx(2 * best.cost, rel=1e-6)
    assert result.p == pytest.approx(best.x, rel=1e-3, abs=1e-4)
    for p in problem.seen:
        assert (p >= bounds[0]).all()
        assert (p <= bounds[1]).all()


def outlying(x):
    """The data of Rat42 with one observation far off."""
    f = certified("rat42-2").function(x)
    return f + 25.0 * (np.arange(f.size) == 4)


@pytest.mark.parametrize("scale", [0.5, 3.0])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "linear"])
def test_robust_losses_are_scipys(loss, scale):
    problem = LeastSquares(outlying)
    start = np.array([75.0, 2.5, 0.07])
    result = minimize(problem, start, Settings(1e-12, 500, loss, scale))
    how = {"jac": problem.jac, "x_scale": "jac", "loss": loss, "f_scale": scale, "max_nfev": 500}
    there, elsewhere = (least_squares(problem.residuals, p, **how | TIGHT) for p in (result.p, start))
    assert result.p == pytest.approx(there.x, rel=1e-5)
    assert there.cost <= elsewhere.cost * (1 + 1e-6), "a loss may have several minima; scipy's is no better"
    plain = minimize(LeastSquares(outlying), start, Settings(1e-12))
    assert plain.evaluation.sum_of_squares < result.evaluation.sum_of_squares, (
        "in its own measure least squares is best"
    )
    if scale > 1:
        certain = np.array(certified("rat42-2").p)
        assert np.abs(result.p / certain - 1).max() < 0.5 * np.abs(plain.p / certain - 1).max()


@pytest.mark.parametrize("factors", [(0.3, 3.0), (2.5, 0.4), (10.0, 1.0)])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "linear"])
def test_a_robust_loss_far_from_its_minimum_goes_on_to_it(loss, factors):
    """Residuals of up to 3000 scales, where the losses bend downwards; the loss itself must not fall near the end."""
    t, rng = np.linspace(0.0, 4.0, 25), np.random.default_rng(3)
    values = 30.0 * np.exp(-0.8 * t) + rng.normal(0.0, 0.1, t.size) + 20.0 * (np.arange(t.size) == 7)
    problem, settings = LeastSquares(lambda x: x[0] * np.exp(-x[1] * t) - values), Settings(loss=loss, loss_scale=0.1)
    with np.errstate(all="ignore"):  # of points that are tried and rejected
        result = minimize(problem, np.array([30.0, 0.8]) * factors, settings)
    assert result.ending is Ending.CONVERGED

    def total(x):
        return settings.sum(problem.residuals(x))

    simplex = result.p * (1.0 + 1e-3 * np.array([[0, 0], [1, 0], [0, 1]]))
    near = minimum(total, result.p, method="Nelder-Mead", options={"initial_simplex": simplex, "fatol": 1e-12})
    assert total(result.p) <= near.fun * (1.0 + 1e-6)
    if loss != "arctan":  # which is a plateau between its minima
        assert result.p == pytest.approx([30.0, 0.8], rel=0.01)


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_minimized_is_twice_scipys_cost(loss):
    problem, p = LeastSquares(outlying), np.array([75.0, 2.5, 0.07])
    found = least_squares(problem.residuals, p, problem.jac, loss=loss, f_scale=0.7, max_nfev=1)
    assert Settings(loss=loss, loss_scale=0.7).total(problem.evaluate(p)) == pytest.approx(2 * found.cost)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_weighted_problem_is_stationary_where_the_loss_is(loss):
    problem, settings = LeastSquares(outlying), Settings(1e-13, 500, loss, 3.0)
    result = minimize(problem, np.array([75.0, 2.5, 0.07]), settings)
    weighted = settings.weighted(result.evaluation)
    lengths = np.linalg.norm(weighted.jac, axis=0) * np.linalg.norm(weighted.residuals)
    assert np.abs(weighted.gradient / lengths).max() < 1e-5
    if loss != "linear":
        assert relative_offset(result.evaluation) > 0.1, "least squares would have it elsewhere"


@pytest.mark.parametrize("n", [3, 6])
def test_an_interrupt_under_a_robust_loss_keeps_what_is_best_by_it(n):
    problem, settings, costs = LeastSquares(outlying), Settings(loss="cauchy", loss_scale=3.0), []
    evaluate = problem.evaluate

    def interrupted(x):
        if len(problem.seen) == n:
            raise KeyboardInterrupt
        costs.append(settings.total(found := evaluate(x)))
        return found

    problem.evaluate = interrupted
    result = minimize(problem, np.array([100.0, 1.0, 0.1]), settings)
    assert result.ending is Ending.INTERRUPTED
    assert result.p.tolist() == problem.seen[int(np.argmin(costs))].tolist()
    assert result.n_iterations > 0


def test_a_minimum_at_a_bound_is_on_it():
    """That of (p - 3)^2 + 1 below 2 is at 2 itself."""
    problem = LeastSquares(lambda x: np.array([x[0] - 3.0, 1.0]))
    result = minimize(problem, np.array([0.5]), bounds=(np.array([-1.0]), np.array([2.0])))
    assert result.p.tolist() == [2.0]
