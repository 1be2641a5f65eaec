"""The check of an integration against an accurate one, with solutions that are known in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.discretisation import discretisation
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Reason
from parfit.text.diagnosis.discretisation import advice

TRAPEZOID = Method("trapezoid")
DECAY = Model.from_text("par k=1\ny'=-k*y\ninit y=1\naux half=y/2\ndone", "decay")
TIMES = np.arange(1.0, 6.0)
EXACT = np.exp(-TIMES)
STEPPED = (1.0 / 3.0) ** TIMES  # (1 - k h / 2) / (1 + k h / 2) with k = h = 1, eq. 2.3.1


def check(model, data, method=TRAPEZOID, values=None):
    run = Simulator(model, data.sample_times(model.t0), method)(values)
    assert run.status
    return discretisation(run, data, np.zeros(len(model.states)))


def decay_data(values, weights=None, names=("y",)):
    return make_observations(TIMES, names, np.reshape(values, (5, -1)), weights)


def test_the_difference_is_that_of_the_closed_solutions():
    found = check(DECAY, decay_data(EXACT + 0.01))
    difference = STEPPED - EXACT
    assert found.difference == pytest.approx(np.linalg.norm(difference), rel=1e-5)
    assert found.residuals == pytest.approx(np.linalg.norm(difference - 0.01), rel=1e-9)
    assert found.accurate_residuals == pytest.approx(0.01 * np.sqrt(5), rel=1e-5)
    assert found.largest == pytest.approx(difference[0], rel=1e-5)
    assert (found.name, found.time) == ("y", 1.0)
    assert found.matters


def test_the_difference_is_weighted_but_its_largest_is_told_as_it_is():
    weights = np.array([0.0, 0.0, 1.0, 100.0, 1.0])[:, np.newaxis]
    found = check(DECAY, decay_data(EXACT, weights))
    difference = STEPPED - EXACT
    assert found.difference == pytest.approx(np.linalg.norm(weights[:, 0] * difference), rel=1e-5)
    assert found.time == 4.0
    assert found.largest == pytest.approx(difference[3], rel=1e-4)


def test_missing_values_and_aux_quantities():
    values = np.column_stack((np.full(5, np.nan), EXACT / 2))
    values[0] = np.nan
    found = check(DECAY, decay_data(values, names=("y", "half")))
    seen = [1, 2, 3, 4]
    assert found.difference == pytest.approx(np.linalg.norm((STEPPED - EXACT)[seen]) / 2, rel=1e-5)
    assert (found.name, found.time) == ("half", 2.0)


def test_what_is_small_next_to_the_residuals_does_not_matter():
    ratio = 0.1 * np.sqrt(5) / np.linalg.norm(STEPPED - EXACT)  # of an error of .1 in every observation
    for times, matters in ((5.0, True), (20.0, False)):
        error = 0.1 * times / ratio * np.array([1, -1, 1, -1, 1])
        found = check(DECAY, decay_data(STEPPED + error))
        assert found.ratio == pytest.approx(1 / times, rel=1e-4)
        assert found.matters is matters
        assert (advice(found) is None) is not matters


def test_the_advice_says_how_much_where_and_what_to_do():
    said = advice(check(DECAY, decay_data(STEPPED + 0.05)))
    size = np.linalg.norm(STEPPED - EXACT)
    assert "trapezoidal rule is too coarse" in said
    assert f"norm {size:.4g}, {100 * size / 0.05 / np.sqrt(5):.3g} % of the norm" in said
    assert "the largest is -0.03455, of y at t = 1." in said
    assert "\n    OPTION ACCURATE\n" in said
    assert said.endswith("FIT again.")


def test_data_that_the_coarse_solution_meets_exactly_hide_nothing():
    found = check(DECAY, decay_data(STEPPED))
    assert found.residuals == pytest.approx(0.0, abs=1e-15)
    assert found.matters
    assert "times the norm" in advice(found) or "against none" in advice(found)


def test_a_solution_as_good_as_the_accurate_one_is_left_alone():
    """Exact data: nothing but the error of the integration is in the residuals, and that is negligible."""
    assert advice(check(DECAY, decay_data(EXACT), Method("gear", "bdf", 1e-9, 0.0))) is None
    assert advice(check(DECAY, decay_data(EXACT + 0.001), Method("gear", "bdf", 1e-6, 0.0))) is None


@pytest.mark.parametrize("weight", [1.0, 1e-9, 1e9])
def test_an_offset_of_the_data_hides_nothing(weight):
    """A pressure of 101325 + y is known as well as y itself."""
    text = "par k=1\ny'=-k*y\ninit y=1\naux p=101325+y\ndone"
    plain = check(DECAY, decay_data(EXACT + 0.01, weight))
    shifted = check(Model.from_text(text), decay_data(101325.0 + EXACT + 0.01, weight, ("p",)))
    assert plain.matters
    assert shifted.matters
    assert shifted.difference == pytest.approx(plain.difference, rel=1e-6)
    assert shifted.observations == pytest.approx(plain.observations, rel=1e-6)
    assert plain.observations == pytest.approx(weight * EXACT.std() * np.sqrt(5), rel=1e-9)


def test_an_error_as_large_as_the_residuals_is_not_said_not_to_matter():
    """Data that are all 1, met where k goes to infinity: the residuals are those of the integration."""
    model = Model.from_text("par k=24.31\nx'=-k*(x-1)\ninit x=2\ndone")
    data = make_observations([1.0, 2.0, 3.0], ["x"], np.ones((3, 1)))
    assert check(model, data, Method("gear", "bdf", 1e-8, 0.0)).matters


def test_a_loose_eps_is_found_and_a_smaller_one_advised():
    data = decay_data(EXACT)
    said = advice(check(DECAY, data, Method("gear", "bdf", 0.01, 1e-5)))
    assert "Gear's method with EPS 0.01 is too coarse" in said
    assert "\n    OPTION ACCURATE\n" in said
    found = replace(check(DECAY, data, Method("gear", "bdf", 1e-6, 0.0)), difference=0.1)
    assert "\n    OPTION ACCURATE EPS 1e-8\n" in advice(found)
    assert "\n    OPTION EPS 2.5e-9\n" in advice(replace(found, method=Method(eps=2.5e-7)))


def test_the_trapezoidal_optimum_of_predator_and_prey_is_doubted():
    """Problem 4.2.1 of the thesis, exact observations: the optimum of the coarse solution is not the truth, and its
    residuals (F = .0078589 at .99902, .09209, 2.71531, .82349, .06986, .14883) are errors of the integration."""
    model, data = model_of("predator-prey"), data_of("predator-prey")
    values = np.array([0.99902, 0.09209, 2.71531, 0.82349, 0.06986, 0.14883])
    found = check(model, data, values=values)
    assert found.residuals**2 == pytest.approx(0.0078589, rel=0.01)
    assert found.ratio > 1.0
    assert "times the norm of the residuals" in advice(found)


def test_an_accurate_integration_that_fails_is_told():
    """The trapezoidal rule steps over the pole at t = 1."""
    model = Model.from_text("par k=1\ny'=k/(t-1)^2\ninit y=0\ndone", "pole")
    data = make_observations([0.5, 1.5], ["y"], [[1.0], [2.0]])
    found = check(model, data)
    assert found.status.reason is not Reason.OK
    said = advice(found)
    assert "is not known" in said
    assert "stopped: " in said
    assert "t = 1" in said
    assert not found.matters
