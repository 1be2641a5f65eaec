"""The numbers of a search: what is offered, what typed numbers mean, and that what is written means the same."""

from dataclasses import replace

import pytest
from conversation import data_of, model_of

from parfit.estimation.optimizers.marquardt import FIRST_LAMBDA, Settings
from parfit.estimation.strategies.search import along_curves, entered, more_damped, typed, usual, written
from parfit.session.environment import Environment
from parfit.session.records import OF_1977

ENV = Environment.of(model_of("predator-prey"), data_of("predator-prey"))
MANUAL = ENV.with_options(OF_1977)


def read(env, text, default):
    """Settings from a line, as they are asked for."""
    lam, rtol, atol, n = (None if word == "AUTO" else float(word) for word in text.split())
    return replace(entered(env, default, lam, rtol, atol), max_iterations=int(n))


@pytest.mark.parametrize("env", [ENV, MANUAL], ids=["today", "1977"])
@pytest.mark.parametrize(
    "numbers", [(None, 1e-6, None), (0.01, 1e-4, 1e-9), (0.0, -1e-4, -1e-4), (-1.0, 1e-6, 1e-15), (3.7e-5, 1 / 3, 0.1)]
)
def test_what_is_written_means_the_same(env, numbers):
    settings = entered(env, usual(env), *numbers)
    assert read(env, written(settings), usual(env)) == settings


def test_a_negative_lambda_is_the_choice_of_the_program():
    assert entered(ENV, usual(ENV), -1.0, 1e-6, None).lam is None
    assert entered(MANUAL, usual(MANUAL), -1.0, 1e-6, None).lam == FIRST_LAMBDA


def test_the_manual_has_numbers_and_today_none():
    assert written(usual(MANUAL)) == "0.01 1e-06 1e-15 25"
    assert written(usual(ENV)) == "AUTO 1e-06 AUTO 25"
    assert along_curves(ENV).relative < usual(ENV).relative
    assert typed(None) == "AUTO"


def test_another_try_is_more_damped():
    assert more_damped(Settings()).relative == 10 * Settings().relative
    assert more_damped(Settings(0.5)).lam == 5.0
    assert more_damped(Settings(0.0)).lam == 10 * FIRST_LAMBDA
