"""The settings of all optimizers can be used alike."""

from dataclasses import replace

import numpy as np
import pytest
from conversation import data_of, model_of
from regression import ACCURATE

from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.problem import Ending
from parfit.session.environment import Environment
from parfit.session.records import Options

OPTIMIZERS = [
    marquardt.Settings(),
    marquardt.Settings(0.01, 1e-6, 1e-15, scaled=True),
    bounded.Settings(),
    bounded.Settings(loss="huber", loss_scale=2.0),
]


@pytest.fixture
def problem():
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey"), options=Options(method=ACCURATE))
    return env.with_values(1.02 * env.values).problem()


@pytest.mark.parametrize("settings", OPTIMIZERS, ids=["automatic", "of 1977", "More", "Huber"])
def test_the_work_that_is_left_goes_down_with_what_was_done(problem, settings):

    seen = []
    whole = settings.minimize(problem, problem.parameters, seen.append)
    assert whole.ending is Ending.CONVERGED
    assert sum(trial.accepted for trial in seen) == whole.n_iterations
    assert settings.after(replace(whole, n_iterations=10**6, n_evaluations=10**6)) is None
    left = settings.after(whole)
    for limit, done in (("max_iterations", whole.n_iterations), ("max_evaluations", whole.n_evaluations)):
        if hasattr(settings, limit):
            assert getattr(left, limit) == getattr(settings, limit) - done


@pytest.mark.parametrize("settings", OPTIMIZERS, ids=["automatic", "of 1977", "More", "Huber"])
def test_what_is_weighted_has_its_minimum_where_the_loss_has_it(problem, settings):
    """The gradient of the loss, by differences, is that of the weighted squares."""
    p = problem.parameters.point
    near = settings.weighted(problem.evaluate(p))
    gradient = []
    for step in 1e-6 * np.diag(np.abs(p)):
        ahead, behind = (settings.sum(problem.evaluate(p + sign * step).residuals) for sign in (1, -1))
        gradient.append((ahead - behind) / (2 * np.abs(step).max()))
    assert 2 * near.gradient == pytest.approx(gradient, rel=1e-3, abs=1e-4 * np.abs(gradient).max())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (OPTIMIZERS[0], "MARQUARDT AUTO 1e-06 AUTO 2 3"),
        (OPTIMIZERS[1], "MARQUARDT 0.01 -1e-06 -1e-15 2 3"),
        (OPTIMIZERS[2], "MORE 1e-08 7 LINEAR"),
        (OPTIMIZERS[3], "MORE 1e-08 7 HUBER 2"),
    ],
)
def test_an_interrupted_search_is_written_with_the_work_it_did(problem, settings, words):
    done = replace(bounded.minimize(problem, problem.parameters.point), n_iterations=2, n_evaluations=7)
    assert " ".join(settings.written(done)) == words
