"""Marquardt's method of Appendix B: step for step as the listing goes, and where it ends."""

from itertools import pairwise

import numpy as np
import pytest
from certified import FAILED, PROBLEMS, LeastSquares, certified
from scipy.optimize import least_squares, lsq_linear

from parfit.estimation.optimizers.marquardt import Settings, minimize
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Ending, Evaluation
from parfit.simulation.status import Reason, Status

TIGHT = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-14)


class Stop(Exception):  # noqa: N818 (the listing's label)
    """GO TO STOP."""


class Listing:
    """MARQUARDT of Appendix B, statement by statement; `trials` holds lambda, P1 and F1 (or None)."""

    def __init__(self, problem, p, lam, eps_r, eps_a, max_it=25, max_err=3):
        self.problem, self.max_err = problem, max_err
        self.p, self.lam = np.array(p, dtype=float), lam
        self.scale = eps_r < 0 and eps_a < 0
        self.eps_r, self.eps_a = abs(eps_r), abs(eps_a)
        self.declam = self.error_count = 0
        self.conv, self.trials = False, []
        self.f, self.res, self.jac, self.grad = self.func(self.p)
        if self.lam < 0:
            self.lam = 0.01
        try:
            for _ in range(max_it):
                self.iterate()
                if self.conv:
                    self.ending = "finished"
                    return
            self.ending = "over"
        except Stop as stop:
            self.ending = str(stop)

    def func(self, p):
        if self.problem.fails(p):
            return None
        res, jac = self.problem.residuals(p), self.problem.jac(p)
        return float(res @ res), res, jac, jac.T @ res

    def trial(self, p1):
        found = self.func(p1)
        self.trials.append((self.lam, p1, None if found is None else found[0]))
        return found

    def update(self, p1, found):
        f1 = found[0]
        self.conv = self.f - f1 < self.eps_r * f1 + self.eps_a or f1 < self.eps_a
        self.p = p1
        self.f, self.res, self.jac, self.grad = found

    def iterate(self):
        c = np.sqrt(np.sum(self.jac**2, axis=0)) if self.scale else np.ones(self.p.size)
        grad = self.grad / c
        u, s, vt = np.linalg.svd(self.jac / c, full_matrices=False)
        aux = (u.T @ self.res) * s
        while True:  # REDO
            delta = -vt.T @ (aux / (s**2 + self.lam))
            p1 = self.p + delta / c
            found = self.trial(p1)
            if found is None:
                self.count_error()
                self.grow()
            elif found[0] < self.f:
                self.error_count = 0
                self.declam += 1
                if self.declam == 2:
                    self.lam = max(0.1 * self.lam, 1e-10)
                    self.declam = 0
                self.update(p1, found)
                return
            else:
                self.error_count = 0
                cosine = -(delta @ grad) / np.sqrt((delta @ delta) * (grad @ grad))
                if cosine >= 0.707:
                    self.interpolate(delta, c, grad, found[0])
                    return
                self.grow()

    def grow(self):
        self.lam *= 10
        self.declam = 0

    def count_error(self):
        self.error_count += 1
        if self.error_count == self.max_err:
            raise Stop("errors")

    def interpolate(self, delta, c, grad, f1):
        ga, r0 = delta @ grad, 1.0
        for _ in range(4):
            r1 = ga * r0**2 / (2 * (ga * r0 + self.f - f1))
            w1 = min(0.75 * r0, r1)
            r0 = max(0.25 * r0, w1)
            while (found := self.trial(p1 := self.p + r0 * delta / c)) is None:  # REPEAT
                self.count_error()
                r0 *= 0.5
            self.error_count = 0
            f1 = found[0]
            if f1 < self.f:
                self.update(p1, found)
                return
        raise Stop("interpolations")


def arctangent(x):
    """Whose Gauss-Newton steps overshoot, in one dimension where every direction is steepest descent."""
    return np.arctan(x)


def growth(x):
    """Observations of exp(x1 t) - x2: bold steps in x1 overflow what can be integrated."""
    t = np.linspace(0, 2, 9)
    return np.exp(x[0] * t) - x[1] - (np.exp(0.5 * t) - 2)


ENDINGS = {
    "finished": Ending.CONVERGED,
    "over": Ending.LIMIT,
    "errors": Ending.ERRORS,
    "interpolations": Ending.NO_REDUCTION,
}
WALKS = [  # problem, start, lambda, tolerances
    (certified("linear").problem(), (1.0,) * 5, 0.01, 1e-9, 1e-12),
    (certified("rosenbrock").problem(), (-1.2, 1.0), 0.01, 1e-8, 1e-12),
    (certified("rosenbrock").problem(), (-1.2, 1.0), 100.0, 1e-8, 1e-12),
    (certified("powell-singular").problem(), (3.0, -1.0, 0.0, 1.0), 1.0, 1e-8, 1e-12),
    (certified("brown-dennis").problem(), (25.0, 5.0, -5.0, -1.0), 0.01, 1e-8, 1e-8),
    (certified("kowalik-osborne").problem(), (0.25, 0.39, 0.415, 0.39), 0.01, 1e-8, 1e-15),
    (certified("rat42-1").problem(), (100.0, 1.0, 0.1), 1e-4, 1e-8, 1e-15),
    (LeastSquares(growth, lambda x: x[0] > 2.0), (-1.5, 0.0), 1e-6, 1e-8, 1e-12),
    (LeastSquares(growth, lambda x: x[0] > -1.49), (-1.5, 0.0), 1e-6, 1e-8, 1e-12),
    (LeastSquares(arctangent), (3.0,), 1e-4, 1e-8, 1e-12),
    (LeastSquares(arctangent, lambda x: -2 < x[0] < -1), (3.0,), 1e-4, 1e-8, 1e-12),
    (LeastSquares(arctangent, lambda x: -2 < x[0] < 2.9), (3.0,), 1e-4, 1e-8, 1e-12),
    (LeastSquares(arctangent, lambda x: x[0] < -8), (3.0,), 1e-4, 1e-8, 1e-12),
]
IDS = [
    "linear", "rosenbrock", "rosenbrock-100", "powell", "brown-dennis", "kowalik", "rat42", "growth", "growth-errors",
    "interpolates", "interpolation-fails", "interpolation-errors", "step-fails",
]  # fmt: skip


def walk(problem, start, settings, **more):
    trials = []
    return minimize(problem, np.array(start), settings, progress=trials.append, **more), trials


@pytest.mark.parametrize("max_iterations", [3, 25])
@pytest.mark.parametrize("sign", [1, -1], ids=["unscaled", "scaled"])
@pytest.mark.parametrize(("problem", "start", "lam", "rtol", "atol"), WALKS, ids=IDS)
def test_it_goes_step_for_step_as_the_listing(problem, start, lam, rtol, atol, sign, max_iterations):
    expected = Listing(problem, start, lam, sign * rtol, sign * atol, max_iterations)
    result, trials = walk(problem, start, Settings(lam, rtol, atol, sign < 0, max_iterations))
    assert len(trials) == len(expected.trials) > 0
    for trial, (trial_lam, p1, f1) in zip(trials, expected.trials, strict=True):
        assert trial.lam == pytest.approx(trial_lam, rel=1e-12)
        assert trial.p == pytest.approx(p1, rel=1e-5, abs=1e-5)
        assert trial.evaluation.sum_of_squares == (np.inf if f1 is None else pytest.approx(f1, rel=1e-5, abs=1e-12))
    assert result.ending is ENDINGS[expected.ending]
    assert result.p == pytest.approx(expected.p, rel=1e-5, abs=1e-7)
    assert result.evaluation.sum_of_squares == pytest.approx(expected.f, rel=1e-5, abs=1e-12)
    assert result.lam == pytest.approx(expected.lam, rel=1e-12)
    assert result.n_evaluations == len(expected.trials) + 1


def test_the_walks_come_by_every_corner_of_the_listing():
    """Or else the comparison says less than it seems to."""
    ends, found = set(), set()
    for problem, start, lam, rtol, atol in WALKS:
        for sign in (1, -1):
            listing = Listing(problem, start, lam, sign * rtol, sign * atol)
            ends.add(listing.ending)
            _, trials = walk(problem, start, Settings(lam, rtol, atol, sign < 0))
            found |= {"interpolated" for trial in trials if trial.part < 1}
            found |= {"failed" for trial in trials if not trial.evaluation.status}
            found |= {"failed within" for t in trials if t.part < 1 and not t.evaluation.status}
            found |= {"rejected" for trial in trials if trial.evaluation.status and not trial.accepted}
    assert ends >= {"finished", "over", "errors"}
    assert found == {"interpolated", "failed", "failed within", "rejected"}


# ---- lambda


def test_lambda_shrinks_after_two_successes():
    settings = Settings(0.01, 1e-16, 1e-300, max_iterations=9)
    _, trials = walk(LeastSquares(lambda x: x - 1), (1e6, -2e6), settings)
    assert all(trial.accepted for trial in trials)
    lambdas = [trial.lam for trial in trials]
    assert lambdas[:4] == pytest.approx([0.01, 0.01, 0.001, 0.001])


def test_lambda_does_not_fall_below_its_least():
    settings = Settings(1e-9, 1e-12, 1e-300, max_iterations=8)
    _, trials = walk(LeastSquares(lambda x: np.exp(x)), (10.0,), settings)
    assert [trial.lam for trial in trials] == pytest.approx([1e-9] * 2 + [1e-10] * 6)


def test_lambda_grows_tenfold_until_a_step_can_be_integrated():
    _, trials = walk(LeastSquares(growth, lambda x: x[0] > -1.2), (-1.5, 0.0), Settings(1e-6, max_errors=99))
    n = next(k for k, trial in enumerate(trials) if trial.evaluation.status)
    assert n >= 2, "the first step must be too bold"
    assert [trial.lam for trial in trials[: n + 1]] == pytest.approx([1e-6 * 10**k for k in range(n + 1)])


def test_a_failure_ends_the_row_of_successes():
    """One success, one failure, one success: lambda must not shrink then. Shorter steps leave it alone."""
    problem = certified("rosenbrock").problem()
    problem.fails = lambda x: len(problem.seen) in (3, 6)  # each time after one success
    _, trials = walk(problem, (-1.2, 1.0), Settings(1.0, 1e-9))
    row, seen = 0, set()
    for trial, following in pairwise(trials):
        expected = trial.lam
        if trial.part == 1.0 and trial.accepted:
            row += 1
            expected = trial.lam / 10 if row == 2 else trial.lam
            row %= 2
        elif trial.part == 1.0 and following.part == 1.0:
            expected, row = 10 * trial.lam, 0
        seen.add((row, trial.accepted))
        assert following.lam == pytest.approx(expected)
    assert {(0, True), (1, True), (0, False)} <= seen
    outcomes = [trial.accepted for trial in trials]
    assert outcomes[:3] == [True, False, True], "the row that is meant here"
    assert trials[3].lam == trials[2].lam


def test_a_negative_lambda_leaves_the_choice_to_the_program():
    start = (-1.2, 1.0)
    one, trials = walk(certified("rosenbrock").problem(), start, Settings(-5.0))
    other, same = walk(certified("rosenbrock").problem(), start, Settings())
    assert trials[0].lam == 0.01
    assert [t.p.tolist() for t in trials] == [t.p.tolist() for t in same]
    assert one.n_evaluations == other.n_evaluations


@pytest.mark.parametrize("powers", [(-40, 30, -20), (60, -70, 0), (0, 0, -90)])
def test_a_lambda_of_the_program_is_free_of_units(powers):
    """Residuals and parameters in other units, powers of 2 so that nothing is rounded: the same steps."""
    units, unit = 2.0 ** np.array(powers[:2]), 2.0 ** powers[2]
    problem = certified("rosenbrock").problem()

    class Other:
        def evaluate(self, p):
            at = problem.evaluate(p / units)
            return Evaluation(unit * at.residuals, unit * at.jac / units, at.status)

    start = np.array([-1.2, 1.0])
    one, trials = walk(problem, start, Settings(max_iterations=100, spread=1.0))
    other, same = walk(Other(), units * start, Settings(max_iterations=100, spread=unit**2))
    assert [t.p.tolist() for t in trials] == [(t.p / units).tolist() for t in same]
    assert [t.lam for t in trials] == [t.lam for t in same]
    assert one.ending is other.ending is Ending.CONVERGED


def test_lambda_zero_is_gauss_and_newton():
    result, trials = walk(certified("linear").problem(), (1.0,) * 5, Settings(0.0))
    assert trials[0].p == pytest.approx([-1.0] * 5)
    assert result.ending is Ending.CONVERGED


def test_lambda_grows_from_zero_too():
    """Or a bold start would never come to an end."""
    problem = certified("rosenbrock").problem()
    result, trials = walk(problem, (-1.2, 1.0), Settings(0.0, 1e-9, 1e-15, max_iterations=100))
    assert [trial.lam for trial in trials[:2]] == [0.0, 1e-10], "the first step fails"
    assert result.p == pytest.approx([1.0, 1.0], rel=1e-3)


# ---- the step


@pytest.mark.parametrize("scaled", [False, True])
def test_a_column_of_zeros_does_not_move_and_does_not_matter(scaled):
    start, settings = (-1.2, 1.0), Settings(scaled=scaled, max_iterations=100)
    with_third = LeastSquares(lambda x: certified("rosenbrock").function(x[:2]) + 0 * x[2])
    alone, _ = walk(certified("rosenbrock").problem(), start, settings)
    result, _ = walk(with_third, (*start, 7.0), settings)
    assert result.p == pytest.approx([*alone.p, 7.0], rel=1e-9)
    assert result.n_evaluations == alone.n_evaluations


def test_all_columns_of_zeros_end_where_they_began():
    result, _ = walk(LeastSquares(lambda x: 0 * x[:1] + np.array([1.0, 2.0, 3.0])), (1.0, 2.0), Settings())
    assert result.p.tolist() == [1.0, 2.0]
    assert result.ending in (Ending.NO_REDUCTION, Ending.CONVERGED)


@pytest.mark.parametrize("scaled", [False, True])
def test_fewer_residuals_than_parameters(scaled):
    """The nearest of all exact fits, as far as the steps of a minimal length go."""
    problem = LeastSquares(lambda x: np.array([x[0] + x[1] + x[2] - 6, x[0] - x[2]]))
    result, _ = walk(problem, (0.0, 0.0, 0.0), Settings(1e-8, 1e-12, 1e-20, scaled, 50))
    assert result.evaluation.sum_of_squares < 1e-18
    assert np.isfinite(result.p).all()
    if not scaled:
        assert result.p == pytest.approx([2.0, 2.0, 2.0], rel=1e-6)


@pytest.mark.parametrize("scaled", [False, True])
def test_a_start_at_an_exact_minimum_ends_there(scaled):
    result, _ = walk(certified("rosenbrock").problem(), (1.0, 1.0), Settings(scaled=scaled))
    assert result.p.tolist() == [1.0, 1.0]
    assert result.evaluation.sum_of_squares == 0.0
    assert result.n_evaluations < 10


def test_a_start_at_a_minimum_with_residuals_ends_there():
    """The gradient is rounding errors, in any direction."""
    result, _ = walk(certified("linear").problem(), (-1.0,) * 5, Settings())
    assert result.p == pytest.approx([-1.0] * 5, abs=1e-9)
    assert result.n_evaluations < 40


# ---- how it ends


def test_a_start_that_fails():
    problem = LeastSquares(growth, lambda x: True)
    result, trials = walk(problem, (0.0, 0.0), Settings())
    assert result.ending is Ending.START
    assert result.evaluation.status is FAILED
    assert trials == []
    assert len(problem.seen) == 1


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_the_limit_of_iterations(limit):
    result, trials = walk(certified("rosenbrock").problem(), (-1.2, 1.0), Settings(max_iterations=limit))
    assert result.ending is Ending.LIMIT
    assert result.n_iterations == limit == sum(trial.accepted for trial in trials)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_limit_of_errors(limit):
    problem = LeastSquares(growth, lambda x: x[0] > -1.4999)
    result, _ = walk(problem, (-1.5, 0.0), Settings(1e-6, max_errors=limit))
    assert result.ending is Ending.ERRORS
    assert result.n_evaluations == limit + 1
    assert result.p.tolist() == [-1.5, 0.0]


def test_errors_count_in_a_row_only():
    """Four trials fail, but never three in a row."""
    problem = certified("rosenbrock").problem()
    problem.fails = lambda x: len(problem.seen) in (3, 4, 6, 7)
    result, trials = walk(problem, (-1.2, 1.0), Settings(max_errors=3, max_iterations=100))
    assert sum(not trial.evaluation.status for trial in trials) == 4
    assert result.ending is Ending.CONVERGED
    assert result.p == pytest.approx([1.0, 1.0], rel=1e-3)


def test_nothing_lower_along_the_step():
    """A Jacobian of the wrong sign leads uphill."""
    problem = LeastSquares(lambda x: x)
    problem.jac = lambda x: -np.eye(1)
    result, trials = walk(problem, (1.0,), Settings())
    assert result.ending is Ending.NO_REDUCTION
    assert [trial.part < 1 for trial in trials] == [False, True, True, True, True]
    assert result.p.tolist() == [1.0]


@pytest.mark.parametrize("n", [2, 5, 9, 20])
def test_an_interrupt_keeps_the_best_point(n):
    problem, totals = certified("rosenbrock").problem(), []
    evaluate = problem.evaluate

    def interrupted(x):
        if len(problem.seen) == n:
            raise KeyboardInterrupt
        found = evaluate(x)
        totals.append(found.sum_of_squares)
        return found

    problem.evaluate = interrupted
    result, _ = walk(problem, (-1.2, 1.0), Settings())
    assert result.ending is Ending.INTERRUPTED
    assert result.evaluation.sum_of_squares == min(totals)
    assert result.p.tolist() == problem.seen[int(np.argmin(totals))].tolist()


def test_a_step_further_than_numbers_go_is_a_failed_trial():
    """From 1e308 the first step by Gauss and Newton, 1e308 long, leads to infinity."""

    class Far:
        def evaluate(self, p):
            usable = bool(np.isfinite(p).all())
            residuals = np.array([1e150 * (p[0] / 1e308 - 2.0)]) if usable else np.full(1, np.nan)
            return Evaluation(residuals, np.array([[1e-158]]), Status() if usable else Status(Reason.NOT_FINITE))

    seen = []
    result = minimize(Far(), np.array([1e308]), Settings(0.0, max_errors=50), progress=seen.append)
    assert not np.isfinite(seen[0].p).all()
    assert not seen[0].accepted
    assert np.isfinite(result.p).all()


def test_a_sum_that_overflows_is_a_failed_trial():
    problem = LeastSquares(lambda x: np.array([1e200 * (x[0] - 1) ** 5 if abs(x[0] - 1) > 3 else x[0] - 1, 0.1]))
    with np.errstate(over="ignore"):
        result, _ = walk(problem, (2.0,), Settings())
    assert np.isfinite(result.evaluation.sum_of_squares)
    assert result.p == pytest.approx([1.0], abs=1e-3)


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_certified_minima(case):
    settings = Settings(0.01, 1e-14, 1e-25, scaled=True, max_iterations=1000)
    result, _ = walk(case.problem(), case.start, settings)
    assert result.evaluation.sum_of_squares == pytest.approx(case.total, rel=3e-6, abs=1e-12)
    if case.p:
        assert result.p == pytest.approx(case.p, rel=1e-5)


# ---- bounds


def bounded(problem, start, lower, upper, settings=None, scaling=()):
    names = tuple(f"p{k + 1}" for k in range(len(start)))
    given = ParameterMap(names, np.array(start), frozenset(), scaling, np.array(lower), np.array(upper))
    result, trials = walk(problem, given.point, settings or Settings(rtol=1e-12, max_iterations=500), parameters=given)
    for trial in trials:
        p = given.expand(trial.p)
        assert (p >= lower).all()
        assert (p <= upper).all()
    return result, given


INF = np.inf
BOXES = [
    ("rosenbrock", (-1.2, 1.0), (-INF, -INF), (0.5, INF)),
    ("rosenbrock", (-1.2, 1.0), (-2, 1.5), (2, 3)),
    ("rosenbrock", (5.0, 5.0), (-2, -2), (0.5, 2)),  # from outside
    ("linear", (1.0,) * 5, (-0.5, -INF, -INF, 0, -3), (2, INF, -2, INF, 3)),
    ("brown-dennis", (25.0, 5.0, -5.0, -1.0), (-10, -INF, -INF, -INF), (50, 12, 0, 0.2)),
    ("kowalik-osborne", (0.25, 0.39, 0.415, 0.39), (0, 0, 0, 0), (0.19, 1, 0.1, 1)),
    ("misra1a-1", (500.0, 0.0001), (0, 0), (200, 1)),
    ("rat42-2", (75.0, 2.5, 0.07), (0, 0, 0), (70, 5, 1)),
    ("bard", (1.0, 1.0, 1.0), (0.1, 0, 0), (1, 1, 1.5)),
]


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize(("name", "start", "lower", "upper"), BOXES)
def test_within_bounds_it_ends_at_the_constrained_minimum(name, start, lower, upper, scaled):
    problem = certified(name).problem()
    lower, upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
    inside = np.clip(start, lower + 1e-3 * (np.isfinite(lower)), upper - 1e-3 * np.isfinite(upper))
    best = least_squares(problem.residuals, inside, problem.jac, (lower, upper), "trf", x_scale="jac", **TIGHT)
    result, given = bounded(
        problem, start, lower, upper, Settings(rtol=1e-12, atol=1e-20, scaled=scaled, max_iterations=1000)
    )
    assert result.evaluation.sum_of_squares <= 2 * best.cost * (1 + 1e-6)
    assert result.p == pytest.approx(best.x, rel=1e-3, abs=1e-4)
    at = given.pressed(result.p, result.evaluation.gradient)
    assert at.any()
    for k in np.flatnonzero(at):
        assert min(abs(result.p[k] - lower[k]), abs(result.p[k] - upper[k])) <= 1e-6 * abs(result.p[k])


@pytest.mark.parametrize("seed", range(12))
def test_linear_problems_within_boxes(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(9, 4)), rng.normal(size=9)
    lower = rng.normal(size=4) - 0.3
    upper = lower + rng.uniform(0.1, 0.6, 4)
    best = lsq_linear(a, b, (lower, upper), tol=1e-14)
    result, _ = bounded(LeastSquares(lambda x: a @ x - b), rng.normal(size=4), lower, upper)
    assert result.evaluation.sum_of_squares == pytest.approx(2 * best.cost, rel=1e-6)


def test_bounds_of_scaled_parameters():
    """By the logarithm and the square root the constrained minimum is where it was."""
    problem, box = certified("rat42-2").problem(), ((1, 0, 1e-3), (70, 2.4, 1))
    best = least_squares(problem.residuals, (69.0, 2.0, 0.07), problem.jac, box, "trf", x_scale="jac", **TIGHT)
    scaled = LeastSquares(lambda x: certified("rat42-2").function(np.array([np.exp(x[0]), x[1] ** 2, np.exp(x[2])])))
    scaling = (Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.LOGARITHM)
    result, given = bounded(scaled, (60.0, 2.0, 0.07), *box, scaling=scaling)
    assert given.expand(result.p) == pytest.approx(best.x, rel=1e-5)
    assert result.evaluation.sum_of_squares == pytest.approx(2 * best.cost, rel=1e-8)


def test_a_parameter_leaves_the_bound_when_it_no_longer_presses():
    """Projected onto the bound by a bold first step, it must come back for the minimum inside."""
    problem = LeastSquares(arctangent)
    result, _ = bounded(problem, (1.3,), (-1.0,), (2.0,), Settings(1e-6, 1e-14, 1e-20, max_iterations=200))
    assert result.p == pytest.approx([0.0], abs=1e-6)


def test_bounds_that_nothing_touches_change_nothing():
    free, trials = walk(certified("rosenbrock").problem(), (-1.2, 1.0), Settings())
    far = ParameterMap(("p1", "p2"), np.array([-1.2, 1.0]), lower=np.array([-50.0, -50]), upper=np.array([50.0, 50]))
    result, same = walk(certified("rosenbrock").problem(), (-1.2, 1.0), Settings(), parameters=far)
    assert [t.p.tolist() for t in same] == [t.p.tolist() for t in trials]
    assert result.n_evaluations == free.n_evaluations


def test_a_sum_that_is_flat_to_rounding_ends_without_a_lower_point():
    """The slope is lost next to F = 1, where the parabola through both has no lowest point."""

    class Flat:
        def evaluate(self, p):
            return Evaluation(np.array([1.0]), np.array([[4e-9]]), Status())

    assert minimize(Flat(), np.array([0.0])).ending is Ending.NO_REDUCTION
