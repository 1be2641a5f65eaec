"""Valleys: what has no effect at all, and how far what is hardly seen may be changed."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.estimation.strategies.starting.auto import auto
from parfit.estimation.strategies.starting.patience import LOOSE
from parfit.estimation.strategies.starting.valleys import changes, deviations, idle, redundant
from parfit.model.model import Model
from parfit.session.environment import Environment

TIMES = np.linspace(0.2, 4.0, 20)


def environment(text):
    return Environment.of(Model.from_text(f"{text}@ t0=0\n"), make_observations(TIMES, ["x"], np.exp(-TIMES)[:, None]))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("par a=2, b=.5\nx'=-a*x+b\nx(0)=1\n", 0),
        ("par a=2, b=.5\nx'=-a*b*x\nx(0)=1\n", 1),
        ("par a=2, b=.5, c=3\nx'=-a*b*c*x\nx(0)=1\n", 2),
        ("par a=2, b=.5, y0=3\nx'=-a*x+b*y\ny'=-y\nx(0)=1\ny(0)=y0\n", 1),
    ],
)
def test_combinations_that_no_data_could_see_are_counted(text, n):
    env = environment(text)
    assert redundant(env, [env.values, 3.0 * env.values]) == n


def test_what_is_not_seen_because_a_parameter_has_run_away_is_no_such_combination():
    """Only vm / km is seen as long as km is large, and both elsewhere."""
    env = environment("par vm=1e9, km=1e9\nx'=-vm*x/(km+x)\nx(0)=1\n")
    assert redundant(env, [np.array([1e15, 1e15])]) == 1
    assert redundant(env, [np.array([1e15, 1e15]), np.array([2.0, 3.0])]) == 0


def test_deviations_are_those_of_linear_theory():
    rng = np.random.default_rng(1)
    jac, sizes = rng.normal(size=(30, 3)), np.array([2.0, -5.0, 0.1])
    found = deviations(jac, sizes, 4.0)
    cov = 4.0 / 27.0 * np.linalg.inv((jac * sizes).T @ (jac * sizes))
    assert found.T @ found == pytest.approx(cov)
    assert np.diff(np.linalg.norm((jac * sizes) @ found.T, axis=0)) == pytest.approx(0.0)


def test_what_is_too_large_for_a_number_is_no_deviation():
    jac = np.random.default_rng(1).normal(size=(30, 2)) * [1.0, 1e-300]
    assert np.isfinite(deviations(jac, np.array([1.0, 1e-6]), 4.0)).all()


def test_only_what_may_be_changed_much_is_changed_to_both_sides_and_not_too_far():
    found = changes(np.array([[4.0, 0.0], [0.03, 0.0], [0.0, 9.0]]))
    assert [each.tolist() for each in found] == [[5.0, 0.0], [-5.0, 0.0]] * 2 + [[0.3, 0.0], [-0.3, 0.0]]


def test_what_may_as_well_be_0_is_idle():
    assert idle(np.array([[0.1, -3.0, 0.0], [0.2, 0.0, 0.9]])) == [1]


def test_a_product_is_found_as_quickly_as_its_value_would_be():
    """All products are as good: no more ways are wanted than for one parameter."""
    rng = np.random.default_rng(2)
    data = make_observations(TIMES, ["x"], (np.exp(-TIMES) + 0.01 * rng.normal(size=TIMES.size))[:, None])
    env = environment("par a=20, b=.001\nx'=-a*b*x\nx(0)=1\n").with_observations(data)
    found = auto(env)
    assert found.judgement.undetermined == 1
    assert found.is_believed
    assert len(found.ways) < LOOSE.ways
