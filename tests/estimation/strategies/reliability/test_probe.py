"""The Jacobian examined without anybody to talk to."""

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit.errors import StateError
from parfit.estimation.strategies.integ import Request as Integration
from parfit.estimation.strategies.integ import integ
from parfit.estimation.strategies.reliability.probe import Request, StaleError, probe
from parfit.session.environment import Environment


@pytest.fixture
def env():
    return Environment.of(model_of("barnes"), data_of("barnes"))


def test_singular_values_are_those_of_the_jacobian(env):
    found = probe(env)
    expected = np.linalg.svd(env.problem().evaluate(env.parameters.point).jac, compute_uv=False)
    assert found.probe.spectrum.s == pytest.approx(expected, rel=1e-9)
    assert found.env.integrated is found.evaluation.trajectory


def test_the_last_integration_will_do_if_it_belongs_to_the_parameters(env):
    ready = integ(env, Integration(sensitivities=True)).env
    found = probe(ready, Request(anew=False))
    assert found.env is ready
    assert found.probe.spectrum.s == pytest.approx(probe(env).probe.spectrum.s, rel=1e-12)
    with pytest.raises(StaleError, match="other values of the parameters"):
        probe(ready.with_values(2 * env.values), Request(anew=False))
    with pytest.raises(StateError, match="without the Jacobian"):
        probe(integ(env).env, Request(anew=False))
