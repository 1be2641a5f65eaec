"""Values of a parameter tried one after the other, against exact solutions."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.errors import CommandError
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies.scan import Request, scan, try_values
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

TIMES = np.arange(0.25, 5.1, 0.25)
K, TAU, D = 0.5, 2.3, 2.0
METHOD = Method("gear", "bdf", 1e-9, 0.0, 5.0)


def problem(text, exact):
    model = Model.from_text(text)
    data = make_observations(TIMES, ["x"], exact[:, np.newaxis])
    map_ = ParameterMap(model.parameters, model.values)
    return TrajectoryFit(Simulator(model, data.sample_times(0.0), METHOD, map_.active), map_, data)


def decay(k):
    return np.exp(-k * TIMES)


def test_sums_of_squares_are_those_of_the_exact_solution():
    found = try_values(problem("par k=.3\nx'=-k*x\nx(0)=1\n", decay(0.5)), 0, [0.4, 0.5, 0.6])
    expected = [float(np.sum((decay(k) - decay(0.5)) ** 2)) for k in (0.4, 0.5, 0.6)]
    assert [each.sum_of_squares for each in found.tried] == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert found.best.value == pytest.approx(0.5, abs=1e-4)


def test_the_best_is_looked_for_between_the_values():
    found = try_values(problem("par k=.3\nx'=-k*x\nx(0)=1\n", decay(0.47)), 0, [0.1, 0.4, 0.7])
    assert found.best.value == pytest.approx(0.47, abs=2e-3)
    assert min(each.sum_of_squares for each in found.tried) > found.best.sum_of_squares


def test_a_switch_is_found_with_the_others_fitted():
    exact = decay(K) + np.where(TIMES > TAU, D / K * (1 - np.exp(-K * (TIMES - TAU))), 0.0)
    switch = problem("par k=.4, tau=1.6, d=2.5\nx'=-k*x+d*heav(t-tau)\nx(0)=1\n", exact)
    found = try_values(switch, 1, np.linspace(0.0, 5.0, 12), fitted=True)
    assert found.best.values == pytest.approx([K, TAU, D], rel=5e-3)
    held = try_values(switch, 1, [1.0, 2.0, 3.0])
    assert held.best.values[[0, 2]].tolist() == [0.4, 2.5]


def test_values_that_cannot_be_integrated_are_passed_over():
    """x = 1/(1 - k t) has no value at t = 5 if k is .2 or more."""
    found = try_values(problem("par k=.01\nx'=k*x^2\nx(0)=1\n", 1 / (1 - 0.1 * TIMES)), 0, [0.05, 0.1, 0.15, 0.5])
    assert found.tried[-1].sum_of_squares == np.inf
    assert found.best.value == pytest.approx(0.1, abs=1e-3)


def decaying(k=0.3):
    model = Model.from_text(f"par k={k}\nx'=-k*x\nx(0)=1\n")
    return Environment.of(model, make_observations(TIMES, ["x"], decay(0.5)[:, np.newaxis]))


def test_the_best_is_taken_if_it_is_better():
    heard = []
    found = scan(decaying(), Request("k", 0.1, 1.0, 10), heard.append)
    assert found.is_better
    assert found.env.values == pytest.approx([0.5], abs=2e-3)
    assert found.present == pytest.approx(float(np.sum((decay(0.3) - decay(0.5)) ** 2)), rel=1e-4)
    assert heard[-1] == pytest.approx(1.0)
    assert found.env.integrated.s is not None


def test_nothing_is_changed_if_nothing_is_better():
    env = decaying(0.5)
    found = scan(env, Request("k", 0.1, 0.3, 5))
    assert not found.is_better
    assert found.env is env


def test_values_that_the_parameter_cannot_have_are_refused():
    env = decaying()
    with pytest.raises(CommandError, match="must go up"):
        scan(env, Request("k", 1.0, 0.5))
    with pytest.raises(CommandError, match="has bounds"):
        scan(env.with_bounds([0.2], [1.0]), Request("k", 0.1, 0.5))
    with pytest.raises(CommandError, match="has to stay positive"):
        scan(env.with_scaling({"k": Scaling.LOGARITHM}), Request("k", 0.0, 0.5))
