"""Fits compared: criteria, weights of Akaike and F tests by hand, and what does not compare."""

import numpy as np
import pytest
from scipy import stats

from parfit.data.observations import make_observations
from parfit.errors import StateError
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.strategies.compare import compare
from parfit.model.model import Model
from parfit.session.results import Basis, Mark
from parfit.simulation.method import ACCURATE

MODEL = Model.from_text("par a=1, b=2, c=3\nx'=-a*x+b+c*t\ninit x=4\n", "line")
TIMES = np.arange(8.0)
DATA = make_observations(TIMES, ("x",), np.ones((8, 1)))


def mark(name, total, n_fitted, data=DATA, loss=""):
    """A fit of the first so many parameters."""
    map_ = ParameterMap(MODEL.parameters, MODEL.values, frozenset(range(n_fitted, 3)))
    basis = Basis(MODEL, data, TIMES, ACCURATE, map_.full, map_)
    return Mark(name, map_.names, map_.full, total, basis, loss=loss)


def corrected(total, k, n=8):
    """AICc with the variance counted as a parameter (Burnham and Anderson, section 2.4)."""
    k += 1
    return n * np.log(total / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1)


def test_the_best_stands_first_with_its_weight():
    found = compare([mark("small", 4.0, 1), mark("large", 1.0, 2)])
    assert [each.name for each in found.candidates] == ["large", "small"]
    assert [each.criteria.aicc for each in found.candidates] == pytest.approx([corrected(1, 2), corrected(4, 1)])
    odds = np.exp(0.5 * (corrected(4, 1) - corrected(1, 2)))
    assert found.weights == pytest.approx([odds / (1 + odds), 1 / (1 + odds)])
    assert (found.n_observations, found.is_corrected) == (8, True)


def test_nested_fits_are_tested():
    [test] = compare([mark("small", 4.0, 1), mark("large", 1.0, 3)]).tests
    assert (test.small, test.large, test.freedom) == ("small", "large", (2, 5))
    assert test.ratio == pytest.approx((3 / 2) / (1 / 5))
    assert test.p == pytest.approx(stats.f.sf(7.5, 2, 5))
    assert compare([mark("one", 4.0, 2), mark("other", 1.0, 2)]).tests == ()


def test_a_larger_model_that_fits_worse_gains_nothing():
    [test] = compare([mark("small", 1.0, 1), mark("large", 4.0, 2)]).tests
    assert (test.ratio, test.p) == (0.0, 1.0)


def test_an_observation_that_does_not_count_is_not_counted():
    data = make_observations(TIMES, ("x",), np.ones((8, 1)), np.array([[0.0]] + [[1.0]] * 7))
    assert compare([mark("a", 1.0, 1, data), mark("b", 2.0, 2, data)]).n_observations == 7


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (mark("b", None, 2), "not known"),
        (mark("b", 1.0, 2, loss="HUBER"), "no least-squares fit"),
        (mark("b", 0.0, 2), "exactly"),
        (mark("b", 1.0, 2, make_observations(TIMES, ("x",), np.full((8, 1), 2.0))), "other data"),
        (mark("b", 1.0, 2, make_observations(TIMES, ("x",), np.ones((8, 1)), 2.0)), "other weights"),
    ],
)
def test_what_does_not_compare(other, why):
    with pytest.raises(StateError, match=why):
        compare([mark("a", 1.0, 1), other])
