"""Optimization by hand: every step against one computed from an exact solution."""

from dataclasses import replace

import numpy as np
import pytest
from certified import WASH_OUT, WASH_OUT_TIMES, WASH_OUT_VALUES, LeastSquares, wash_out

from parfit import Method, Simulator
from parfit.data.observations import make_observations
from parfit.estimation.optimizers.by_hand import begin
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model

MODEL = Model.from_text(WASH_OUT, "wash-out")
DATA = make_observations(WASH_OUT_TIMES, ["x"], WASH_OUT_VALUES[:, np.newaxis])
START = np.array([1.0, 2.0, 5.0])
METHOD = Method("gear", eps=1e-11, h_min=0.0)
close = {"rel": 1e-6, "abs": 1e-7}


def started(scaling=(), frozen=frozenset(), **bounds):
    given = ParameterMap(MODEL.parameters, START, frozen, scaling, **bounds)
    simulator = Simulator(MODEL, DATA.sample_times(0.0), METHOD, given.active)
    return begin(TrajectoryFit(simulator, given, DATA))


def marquardt_step(p, lam, free=(0, 1, 2), function=wash_out):
    """By the normal equations, of the problem that has these parameters only."""
    problem = LeastSquares(function)
    f, jac = problem.residuals(p), problem.jac(p)[:, free]
    moved = np.array(p, dtype=float)
    moved[list(free)] -= np.linalg.solve(jac.T @ jac + lam * np.eye(len(free)), jac.T @ f)
    return moved


def total(p):
    return float(wash_out(p) @ wash_out(p))


def test_it_begins_where_the_parameters_are():
    state = started()
    assert state.point.p.tolist() == START.tolist()
    assert state.point.evaluation.sum_of_squares == pytest.approx(total(START), **close)
    assert (state.marquardt, state.lam, state.length, state.held) == (True, 0.01, None, frozenset())


@pytest.mark.parametrize("lam", [0.0, 1e-4, 0.01, 1.0, 1e3])
def test_a_marquardt_step(lam):
    state = replace(started(), lam=lam).tried()
    expected = marquardt_step(START, lam)
    assert state.trial.p == pytest.approx(expected, **close)
    assert state.trial.evaluation.sum_of_squares == pytest.approx(total(expected), **close)
    assert state.succeeded == (total(expected) < total(START))


@pytest.mark.parametrize("length", [1e-3, 0.01, 3.0])
def test_a_steepest_descent_step_is_the_length_times_half_the_gradient(length):
    problem = LeastSquares(wash_out)
    gradient = problem.jac(START).T @ problem.residuals(START)
    state = replace(started(), marquardt=False, length=length).tried()
    assert state.trial.p == pytest.approx(START - length * gradient, **close)


@pytest.mark.parametrize("held", [{0}, {1, 2}, {0, 2}])
def test_a_step_with_parameters_held(held):
    free = tuple(k for k in range(3) if k not in held)
    state = replace(started(), held=frozenset(held))
    assert state.tried().trial.p == pytest.approx(marquardt_step(START, 0.01, free), **close)
    problem = LeastSquares(wash_out)
    gradient = problem.jac(START).T @ problem.residuals(START)
    moved = replace(state, marquardt=False, length=0.01).tried().trial.p
    assert moved == pytest.approx(np.where([k in held for k in range(3)], START, START - 0.01 * gradient), **close)
    for k in held:
        assert moved[k] == START[k], "not by rounding either"


def test_a_step_with_a_frozen_parameter_is_in_the_others():
    """Subscripts of those held are of all parameters, not of the active ones."""
    state = replace(started(frozen=frozenset({0})), held=frozenset({2}))
    expected = marquardt_step(START, 0.01, (1,))
    assert state.tried().trial.p == pytest.approx(expected[1:], **close)
    assert state.problem.parameters.expand(state.tried().trial.p) == pytest.approx(expected, **close)


def test_a_step_in_scaled_parameters():
    def function(q):
        return wash_out(np.array([np.exp(q[0]), q[1] ** 2, q[2]]))

    scaled = np.array([np.log(START[0]), np.sqrt(START[1]), START[2]])
    state = started((Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE)).tried()
    assert state.trial.p == pytest.approx(marquardt_step(scaled, 0.01, function=function), **close)
    q = state.trial.p
    assert state.settled().parameters.full == pytest.approx([np.exp(q[0]), q[1] ** 2, q[2]])


def test_a_step_stops_at_a_bound():
    expected = marquardt_step(START, 0.01)
    lower = np.array([-np.inf, -np.inf, expected[2] + 0.2])
    state = started(lower=lower).tried()
    assert state.trial.p == pytest.approx(np.maximum(expected, lower), **close)


def test_a_success_is_taken_up_by_the_next_step():
    first = replace(started(), lam=0.1).tried()
    assert first.succeeded
    second = first.tried()
    one = marquardt_step(START, 0.1)
    assert second.point.p == pytest.approx(one, **close)
    assert second.trial.p == pytest.approx(marquardt_step(one, 0.1), **close)
    assert [each.p.tolist() for each in second.past] == [START.tolist()]


def test_a_failure_is_not():
    state = replace(started(), marquardt=False, length=3.0).tried()
    assert not state.succeeded
    assert state.settled() is state
    again = replace(state, length=0.01).tried()
    assert again.point.p.tolist() == START.tolist()
    assert again.succeeded


def test_accepting_and_rejecting():
    worse = replace(started(), marquardt=False, length=3.0).tried()
    accepted = worse.accepted()
    assert accepted.point is worse.trial
    assert accepted.trial is None
    assert accepted.back().point.p.tolist() == START.tolist()
    assert accepted.back().back().point.p.tolist() == START.tolist(), "there is nothing before the start"
    rejected = worse.rejected()
    assert rejected.trial is None
    assert rejected.point.p.tolist() == START.tolist()


def test_a_trial_that_cannot_be_integrated_is_not_accepted():
    state = replace(started(), marquardt=False, length=1e300).tried()
    assert not state.trial.evaluation.usable
    assert not state.succeeded
    assert state.accepted().point is state.point
    assert state.settled().point is state.point


def test_back_through_several_steps():
    state = replace(started(), lam=0.1)
    seen = [state.point.p.tolist()]
    for _ in range(3):
        state = state.tried().settled()
        seen.append(state.point.p.tolist())
    for expected in seen[-2::-1]:
        state = state.back()
        assert state.point.p.tolist() == expected
    assert state.past == ()


def test_setting_values_begins_anew():
    state = replace(started(), lam=0.1, held=frozenset({1})).tried().settled()
    other = np.array([0.5, 1.0, 4.0])
    moved = state.at(other, state.problem.simulator)
    assert moved.point.p.tolist() == other.tolist()
    assert moved.point.evaluation.sum_of_squares == pytest.approx(total(other), **close)
    assert (moved.lam, moved.held, moved.trial, moved.past) == (0.1, frozenset({1}), None, ())
    assert moved.tried().trial.p == pytest.approx(marquardt_step(other, 0.1, (0, 2)), **close)
