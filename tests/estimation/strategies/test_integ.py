"""One integration without anybody to talk to."""

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit.estimation.strategies.integ import Request, integ
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options


def test_the_solution_is_kept_with_its_sensitivities_if_they_are_wanted():
    env = Environment.of(Model.from_text("par k=2\ny'=-k*y\ninit y=3\n@ total=1\ndone"))
    found = integ(env, Request(sensitivities=True))
    t = found.trajectory.times
    assert found.env.integrated is found.trajectory
    assert found.trajectory.column("y") == pytest.approx(3 * np.exp(-2 * t), rel=1e-4)
    assert found.trajectory.sensitivity("y")[:, 0] == pytest.approx(-3 * t * np.exp(-2 * t), rel=1e-3, abs=1e-5)
    assert integ(env).trajectory.s is None


def test_who_waits_sees_how_far_it_is_and_the_numbers_are_the_same():
    env = Environment.of(Model.from_text("par k=50\ny'=z\nz'=-k*k*y\ninit y=1, z=0\n@ total=40\ndone"))
    trace = []
    seen = integ(env, trace=trace)
    assert trace
    assert 0.0 < trace[-1][0] <= 40.0
    np.testing.assert_array_equal(seen.trajectory.y, integ(env).trajectory.y)


def test_steps_are_details_if_the_options_ask_for_them():
    env = Environment.of(model_of("barnes"), data_of("barnes"))
    assert integ(env).env.details == ()
    (steps,) = integ(env.with_options(Options(output=1))).env.details
    assert [step.t for step in steps.taken] == sorted(step.t for step in steps.taken)


def test_an_integration_that_stops_is_a_value():
    env = Environment.of(Model.from_text("par k=1\ny'=k*y^2\ninit y=1\n@ total=5\ndone"))
    found = integ(env)
    assert not found.trajectory.status
    assert found.env.integration is not None
