"""What an environment builds: the problems that are fitted, each in one place."""

import ast
import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conversation import data_of, model_of

import parfit
from parfit.data.observations import make_observations
from parfit.errors import StateError
from parfit.model.curves import linear
from parfit.session import builders
from parfit.session.environment import Environment
from parfit.session.records import OF_1977, Continuation, Guess, Samples, Smoothing
from parfit.simulation.simulator import Simulator

PROBLEMS = {"DerivativeFit", "DefectFit", "IntegralFit", "QuadratureFit", "ContinuationFit", "Guesses"}


@pytest.fixture
def smoothed():
    """Predator and prey, of which the first has a curve and the second a guess."""
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey"))
    t = env.samples.times
    env = env.with_observations(
        make_observations(env.observations.times, ["y1"], env.observations.values[:, :1], weights=2.0)
    )
    guess = Guess(t, 1 + t, linear(t, 1 + t))
    return env.with_smoothing(Smoothing("spline", {}, {"y1": linear(t, 2 + t)})).with_guesses({"y2": guess})


def test_curve_problems_are_built_nowhere_else():
    package = Path(parfit.__file__).parent
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PROBLEMS
    }
    assert found == {"session/builders.py"}


def test_the_simulator_differentiates_by_the_active_parameters_or_by_those_that_are_named(smoothed):
    frozen = smoothed.with_frozen(["p2"])
    assert frozen.simulator()(frozen.values, True).active == frozen.parameters.active
    assert frozen.simulator([1])(frozen.values, True).active == (1,)


def test_the_full_problem_has_the_residuals_of_the_data(smoothed):
    at = smoothed.problem().evaluate(smoothed.parameters.point)
    run = smoothed.simulator()(smoothed.values)
    times = smoothed.observations.times
    off = 2.0 * (np.interp(times, run.times, run.column("y1")) - smoothed.observations.values[:, 0])
    assert np.abs(at.residuals) == pytest.approx(np.abs(off), rel=1e-12)


def test_integrals_along_straight_lines_are_those_of_the_rule(smoothed):
    """The trapezoidal rule by hand, of the first equation along both lines."""
    values = smoothed.guessed_values()
    t, weights = smoothed.samples.times, smoothed.curve_weights(values)
    at = smoothed.quadrature_problem(values).evaluate(smoothed.parameters.point)
    p1, p2, _, _, p5, p6 = smoothed.values
    y1, y2 = 2 + t, values["y2"]
    g = p1 * y1 - p2 * y1 * y2 / (1 + p5 * y1) - p6 * y1**2
    u = 2 + np.cumsum(np.diff(t) * (g[1:] + g[:-1]) / 2)
    assert at.residuals.reshape(t.size - 1, 2)[:, 0] == pytest.approx(weights["y1"][1:] * (u - y1[1:]), rel=1e-9)


def test_continuation_at_gamma_0_is_integral_fitting(smoothed):
    t = smoothed.samples.times
    both = {name: linear(t, k + t) for k, name in ((2, "y1"), (1, "y2"))}
    env = smoothed.with_observations(data_of("predator-prey")).with_options(OF_1977)
    env = env.with_smoothing(Smoothing("spline", {}, both))
    p = env.parameters.point
    mixed = env.continuation_problem(Continuation(0.0, (), (), (0.0, 0.0))).evaluate(p)
    assert np.sort(mixed.residuals) == pytest.approx(np.sort(env.integral_problem().evaluate(p).residuals), rel=1e-12)


def test_curves_do_not_reach_behind_the_data(smoothed):
    beyond = smoothed.with_samples(Samples(np.linspace(0, 100, 5), uniform=True))
    with pytest.raises(StateError, match=r"smoothed up to 12\.5, but the sample times go to 100"):
        beyond.curves()
    with pytest.raises(StateError, match="uniform mesh"):
        beyond.problem()


def test_guesses_are_needed_for_all_states_that_were_not_observed(smoothed):
    with pytest.raises(StateError, match="y2 was neither observed nor guessed"):
        replace(smoothed, guesses={}).guessed_values()


def test_what_integrates_is_made_once_and_serves_all_values_of_the_parameters(smoothed, monkeypatch):
    made = []
    monkeypatch.setattr(builders, "Simulator", lambda *given, **how: made.append(given) or Simulator(*given, **how))
    env = replace(smoothed, samples=Samples(smoothed.samples.times))  # which nobody has asked before
    first = env.problem()
    others = [env, env.with_values(env.values * 1.1), env.with_bounds(-10.0 + env.values, 10.0 + env.values)]
    assert all(each.problem().simulator is first.simulator for each in others)
    assert len(made) == 1
    fine = replace(env.options, method=replace(env.options.method, eps=1e-9))
    frozen = env.with_frozen(["p2"])
    weighted = env.with_weights(3.0)
    for each in (env.with_options(fine), frozen, weighted, env.with_samples(Samples(env.samples.times))):
        assert each.problem().simulator is not first.simulator
    assert len(made) == 5
    assert frozen.problem().simulator.compiled.active == frozen.parameters.active


def test_simulators_that_nobody_needs_any_more_are_not_kept_for_ever(smoothed):
    env, kept = smoothed, []
    for _ in range(3 * builders.MOST_READY):
        env = env.with_samples(Samples(env.samples.times))
        kept.append(weakref.ref(env.simulator()))
    gc.collect()
    assert sum(each() is not None for each in kept) <= builders.MOST_READY


def test_threads_that_share_an_environment_find_the_same(smoothed):
    env = smoothed.with_samples(Samples(smoothed.samples.times))
    expected = smoothed.problem().evaluate(smoothed.parameters.point).residuals
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: env.problem().evaluate(env.parameters.point).residuals, range(40)))
    assert all(np.array_equal(each, expected) for each in found)


def test_problems_at_the_same_parameters_share_what_the_kernel_compares(smoothed):
    first, again = smoothed.problem(), smoothed.problem()
    assert first.kernel is again.kernel is not None
    other = smoothed.with_values(smoothed.values * 1.1).problem()
    assert other.kernel is not first.kernel
    at = smoothed.values * 1.1
    np.testing.assert_array_equal(other.parameters.expand(other.parameters.point), at)
    residuals = other.evaluate(other.parameters.point).residuals
    assert not np.array_equal(residuals, first.evaluate(first.parameters.point).residuals)
