"""More's method step by step: ratio, radius and parameter against MINPACK's in plain Python, and its edges by hand."""

import numpy as np
import pytest
from certified import PROBLEMS
from lmder import lmder
from parfit.kernel.more import More, adapted
from parfit.kernel.search import ENDINGS

from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.bounded import Settings, minimize
from parfit.estimation.problem import Ending, Evaluation
from parfit.simulation.status import Status

STEPS = 8  # while rounding errors have not grown


@pytest.fixture
def regions(monkeypatch):
    """Ratio, radius and parameter after every trial."""
    seen = []

    class Watched(More):
        def tell(self, *found):
            super().tell(*found)
            seen.append((self.ratio, self.told_radius, self.told_par))

    monkeypatch.setattr(bounded, "More", Watched)
    return seen


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: case.name)
def test_ratio_radius_and_parameter_are_those_of_minpack(case, regions):
    problem = case.problem()
    minimize(problem, np.array(case.start), Settings(tol=1e-5, max_evaluations=STEPS + 1))
    expected = lmder(problem.residuals, problem.jac, np.array(case.start, dtype=float), len(regions))
    for own, other in zip(regions, expected, strict=True):
        if np.isnan(other[0]):
            own, other = own[1:], other[1:]
        elif other[0] < -1.0:  # where F rises a hundredfold MINPACK counts less; the radius is the same
            own, other = (-1.0, *own[1:]), (-1.0, *other[1:])
        assert own == pytest.approx(other, rel=1e-4, abs=1e-9)


def test_the_radius_is_capped_by_ten_times_the_step():
    radius, _ = adapted(radius=100.0, par=0.0, ratio=-1.0, reduction=-1.0, slope=-1.0, length=2.0)
    assert radius == pytest.approx(20.0 / 3.0), "a third, by the parabola, of 20 and not of 100"
    radius, _ = adapted(radius=10.0, par=0.0, ratio=0.1, reduction=0.1, slope=-1.0, length=9.0)
    assert radius == pytest.approx(5.0)


class Surprising:
    """Residuals 1 - 3 eps^2 p and eps exp(-p), the first of which keeps its slope to itself."""

    eps2 = 1e-9

    def evaluate(self, p):
        f = np.array([1.0 - 3.0 * self.eps2 * p[0], np.sqrt(self.eps2) * np.exp(-p[0])])
        return Evaluation(f, np.array([[0.0], [-f[1]]]), Status())


def test_a_reduction_far_above_the_expected_one_is_no_convergence():
    """Each step brings more than twice what was expected, though both are below the tolerance."""
    result = minimize(Surprising(), np.array([0.0]), Settings(tol=1e-8, max_evaluations=8))
    assert result.ending is Ending.LIMIT


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("power", [1.0, -1.0])
def test_products_and_ratios_do_not_run_along_their_valley(power, seed):
    """Only p1 p2 or p1 / p2 is seen, and p3: the valley is curved, but no step follows it."""
    x, rng = np.linspace(0.0, 4.0, 9), np.random.default_rng(seed)
    values = 2.0 * np.exp(-0.6 * x) + 0.02 * rng.normal(size=x.size)

    class Both:
        def evaluate(self, p):
            scale, y = p[0] * p[1] ** power, np.exp(-p[2] * x)
            columns = (scale / p[0] * y, power * scale / p[1] * y, -x * scale * y)
            noisy = [(1.0 + 1e-8 * rng.normal()) * column for column in columns]  # of an integration
            return Evaluation(scale * y - values, np.column_stack(noisy), Status())

    start = np.array([3.0 * 10 ** rng.uniform(-0.5, 0.5), 0.7, 1.0])
    result = minimize(Both(), start)
    assert result.ending is Ending.CONVERGED
    assert result.p[0] * result.p[1] ** power == pytest.approx(2.0, rel=0.1)
    across = np.log(start[0] * start[1] ** power / 2.0)
    along = np.log(result.p[0] / start[0]) - power * np.log(result.p[1] / start[1])
    assert abs(along) < 0.2 + across**2, "to second order in the way across"


def test_what_is_not_determined_stays_put():
    """Only p1 + p2 is seen, and p3: the shortest way there, from any radius."""

    class Sum:
        def evaluate(self, p):
            x = np.linspace(0.5, 4.0, 9)
            y = np.exp(-(p[0] + p[1]) * x)
            f = p[2] * y - 2.0 * np.exp(-0.45 * x) - 0.01 * np.cos(9 * x)
            return Evaluation(f, np.column_stack((-p[2] * x * y, -p[2] * x * y, y)), Status())

    result = minimize(Sum(), np.array([0.16, 0.36, 1.0]))
    assert result.ending is Ending.CONVERGED
    assert result.p[1] - result.p[0] == pytest.approx(0.2, abs=1e-9)
    assert result.p[0] + result.p[1] == pytest.approx(0.45, abs=0.05)


# ---- residuals that may have larger errors on the way


class Erring:
    """A certified problem whose residuals have errors of a length, times what the search allows; always others."""

    def __init__(self, case, error, loosest):
        self.case, self.problem, self.error = case, case.problem(), error
        self.random = np.random.default_rng(7)
        first = self.problem.evaluate(np.array(case.start, dtype=float))
        self.search = More(*first.jac.shape, 1e-8, 500, "linear", 1.0, None, 0.0, error, loosest)
        self.search.begin(np.array(case.start, dtype=float), first.residuals, first.jac, first.sum_of_squares, True)
        self.asked = []  # point and looseness of every trial
        self.accepted = []

    def run(self):
        while self.search.goes_on:
            self.tell(True)
        return self

    def tell(self, usable):
        p, looseness = self.search.point, self.search.looseness
        self.asked.append((p.tolist(), looseness))
        found = self.problem.evaluate(p)
        push = self.random.standard_normal(found.residuals.size)
        f = found.residuals + (looseness - 1.0) * self.error * push / np.linalg.norm(push)
        usable = bool(usable and np.isfinite(f).all() and np.isfinite(found.jac).all())
        self.search.tell(f, found.jac, float(f @ f) if usable else np.inf, usable)
        if self.search.accepted:
            self.accepted.append((p.tolist(), looseness))
            self.best = f, found.jac, float(f @ f)


REGULAR = [case for case in PROBLEMS if case.p and case.total > 1e-6]
ONE = next(case for case in REGULAR if case.name == "rat42-1")


@pytest.mark.parametrize("part", [1e-7, 1e-5])
@pytest.mark.parametrize("case", REGULAR, ids=lambda case: case.name)
def test_larger_errors_on_the_way_do_not_change_where_it_ends(case, part):
    """Errors are parts of the residuals at the start; what is left of them at the end is nothing."""
    start = np.linalg.norm(case.function(np.array(case.start, dtype=float)))
    of = Erring(case, part * float(start), 1e3).run()
    assert ENDINGS[of.search.ending] == "CONVERGED"
    p, looseness = of.accepted[-1]
    assert looseness == 1.0
    assert float(np.sum(case.function(np.array(p)) ** 2)) == pytest.approx(case.total, rel=1e-7)
    assert p == pytest.approx(case.p, rel=1e-3)
    assert max(loose for _, loose in of.asked) > 10.0, "there was something to gain"


@pytest.mark.parametrize("case", REGULAR, ids=lambda case: case.name)
def test_without_errors_nothing_is_looser(case):
    assert {loose for _, loose in Erring(case, 0.0, 1e3).run().asked} == {1.0}
    assert {loose for _, loose in Erring(case, 1e-5, 1.0).run().asked} == {1.0}


def test_what_fails_with_larger_errors_is_tried_without():
    of = Erring(ONE, 1e-6, 1e3)
    of.tell(usable=False)
    of.tell(usable=True)
    (first, loose), (second, exact) = of.asked
    assert loose > 1.0
    assert exact == 1.0
    assert second == first
    of.run()
    assert {each for _, each in of.asked[2:]} == {1.0}, "from then on without"


def test_what_has_no_solution_without_larger_errors_is_left_for_the_start():
    of = Erring(ONE, 1e-6, 1e3)
    while not of.accepted or of.accepted[-1][1] == 1.0:
        of.tell(usable=True)
    f, jac, total = of.best
    of.search.tell(f, jac, total * (1.0 + 1e-12), True)  # no step is better, but that may be an error
    assert of.search.point.tolist() == of.accepted[-1][0], "it wants to see the best point again"
    assert of.search.looseness == 1.0
    nothing = np.full((of.search.n, of.search.m), np.nan)
    of.search.tell(nothing[:, 0].copy(), nothing, np.inf, False)
    assert of.search.point.tolist() == list(ONE.start)
    of.run()
    assert of.accepted[-1][0] == pytest.approx(ONE.p, rel=1e-4)


def test_a_step_that_promises_nothing_is_not_tried():
    """f = (p - 3, 1) is solved by one step; another would gain nothing."""
    search, p = More(2, 1, 1e-8, 9, "linear", 1.0), np.array([1.0])
    jac = np.array([[1.0], [0.0]])
    search.begin(p, np.array([-2.0, 1.0]), jac, 5.0, True)
    while search.goes_on:
        p = search.point
        f = np.array([p[0] - 3.0, 1.0])
        search.tell(f, jac, float(f @ f), True)
    assert p.tolist() == [3.0]
    assert search.n_evaluations == 2
