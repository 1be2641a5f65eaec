"""More's method step by step: ratio, radius and parameter against MINPACK's in plain Python, and its edges by hand."""

import numpy as np
import pytest
from certified import PROBLEMS
from lmder import lmder
from parfit.kernel.more import More, adapted

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
