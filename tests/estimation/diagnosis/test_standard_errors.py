"""Standard errors against textbook formulas of a straight line, and against the changes of variables."""

import numpy as np
import pytest
from regression import LINE, X, Y, line_data, line_fit, problem_of

from parfit.estimation.diagnosis.standard_errors import standard_errors
from parfit.estimation.diagnosis.statistics import Lack
from parfit.estimation.parameters import Scaling
from parfit.model.model import Model


def errors_of(problem):
    return standard_errors(problem, problem.evaluate(problem.parameters.point))


def test_a_straight_line():
    p, design = line_fit()
    found = errors_of(problem_of(LINE, line_data(), values=p))
    sd = np.sqrt(((Y - design @ p) ** 2).sum() / 4)
    assert found.sd == pytest.approx(sd, rel=1e-6)
    assert found.n_free == 4
    assert found.values == pytest.approx(sd * np.sqrt(np.diag(np.linalg.inv(design.T @ design))), rel=1e-6)
    assert found.relative(p) == pytest.approx(found.values / p)


def test_what_is_fitted_as_a_logarithm_has_an_error_in_its_own_units():
    p, _ = line_fit()
    plain = errors_of(problem_of(LINE, line_data(), values=p))
    scaled = errors_of(problem_of(LINE, line_data(), values=p, scaling=(Scaling.LOGARITHM, Scaling.SQUARE_ROOT)))
    assert scaled.values == pytest.approx(plain.values, rel=1e-6)
    assert scaled.scaled == pytest.approx([plain.values[0] / p[0], plain.values[1] / (2 * np.sqrt(p[1]))], rel=1e-6)


def test_what_is_held_has_none_and_what_is_not_determined_an_infinite_one():
    p, _ = line_fit()
    held = errors_of(problem_of(LINE, line_data(), values=p, frozen=frozenset({0})))
    assert np.isnan(held.values[0])
    slope_alone = np.sqrt(((Y - p[0] - p[1] * X) ** 2).sum() / 5 / (X**2).sum())
    assert held.values[1] == pytest.approx(slope_alone, rel=1e-6)
    twins = Model.from_text("par a=1, b=1, c=1\ny'=b*c\ninit y=a\ndone")
    open_ones = errors_of(problem_of(twins, line_data()))
    assert np.isfinite(open_ones.values[0])
    assert np.isinf(open_ones.values[1:]).all()


def test_what_is_held_for_a_while_counts_as_frozen():
    p, _ = line_fit()
    problem = problem_of(LINE, line_data(), values=p)
    found = standard_errors(problem, problem.evaluate(problem.parameters.point), held=[0])
    frozen = errors_of(problem_of(LINE, line_data(), values=p, frozen=frozenset({0})))
    assert found.values == pytest.approx(frozen.values, rel=1e-12, nan_ok=True)
    assert (found.n_free, found.sd) == (frozen.n_free, pytest.approx(frozen.sd, rel=1e-12))


def test_an_exact_fit_has_none():
    exact = errors_of(problem_of(LINE, line_data(1 + 2 * X), values=[1, 2]))
    assert exact.lack is Lack.EXACT
    assert np.isnan(exact.values).all()


def test_where_everything_is_held_nothing_has_an_error():
    p, _ = line_fit()
    problem = problem_of(LINE, line_data(), values=p)
    found = standard_errors(problem, problem.evaluate(problem.parameters.point), held=(0, 1))
    assert np.isnan(found.values).all()
    assert found.n_free == len(Y)
    assert found.lack is Lack.INFLUENCE
