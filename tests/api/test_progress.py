"""Whoever waits is told now and then where a search stands, and Ctrl-C keeps the best point."""

import itertools

import numpy as np
import pytest

import parfit
from parfit.api.progress import PAUSE, Progress, Watching
from parfit.estimation.problem import Evaluation, Trial
from parfit.estimation.strategies import fit as strategy
from parfit.simulation.status import Status

NEAR = {"p1": 0.5, "p2": 0.1, "p3": 5.0, "p4": 1.0, "p5": 0.15, "p6": 0.01}


@pytest.fixture(scope="module")
def problem():
    return parfit.load("models/tour.ode", "models/tour.csv").with_values(NEAR)


def trial(step: int, p, accepted: bool = True) -> Trial:
    at = Evaluation(np.array([1.0, 2.0]), np.ones((2, 6)), Status())
    return Trial(step, np.array(p, dtype=float), 0.0, 1.0, at, accepted)


def test_it_is_told_a_few_times_a_second_at_most(problem):
    """By a clock that goes on by a fifth of the pause with every look, each of ten trials is 2 looks or 1."""
    ticks = itertools.count(0.0, PAUSE / 4)
    heard: list[Progress] = []
    watching = Watching(problem.environment, heard.append, lambda: next(ticks))
    for step in range(20):
        watching.see(trial(step, range(6)))
    assert 1 < len(heard) < 10
    assert heard[0].step == 0
    assert heard[0].sum_of_squares == 5.0
    assert heard[0].values == {f"p{k + 1}": float(k) for k in range(6)}


def test_only_steps_that_were_taken_count(problem):
    watching = Watching(problem.environment)
    watching.see(trial(1, [1, 1, 1, 1, 1, 1]))
    watching.see(trial(2, [2, 2, 2, 2, 2, 2], accepted=False))
    assert watching.best.values.tolist() == [1.0] * 6


def test_unknowns_behind_the_parameters_are_none_of_them(problem):
    watching = Watching(problem.with_frozen("p6").environment)
    watching.see(trial(1, [1, 2, 3, 4, 5, 77, 78]))
    assert watching.best.values.tolist() == [1, 2, 3, 4, 5, NEAR["p6"]]


def test_a_search_tells(problem):
    heard: list[Progress] = []
    problem.shoot(progress=heard.append)
    assert heard
    assert set(heard[0].values) == set(NEAR)
    assert np.isfinite(heard[0].sum_of_squares)


SEARCHES = {
    "fit": lambda problem, tell: problem.fit(progress=tell),
    "marquardt": lambda problem, tell: problem.fit("marquardt", progress=tell),
    "shoot": lambda problem, tell: problem.shoot(progress=tell),
    "seq": lambda problem, tell: problem.seq(10, 15, progress=tell),
    "ifit": lambda problem, tell: problem.smooth().ifit(progress=tell),
    "contin": lambda problem, tell: problem.smooth().contin([0.5, 1.0], progress=tell),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_ctrl_c_says_where_it_stood(problem, name):
    """At whatever moment it comes: here, when a step has been told."""
    heard: list[Progress] = []

    def interrupt(now):
        heard.append(now)
        raise KeyboardInterrupt

    with pytest.raises(parfit.Interrupted) as stopped:
        SEARCHES[name](problem, interrupt)
    assert isinstance(stopped.value, KeyboardInterrupt)
    assert stopped.value.problem.values == heard[-1].values
    assert stopped.value.problem.data is problem.data
    assert stopped.value.problem.values != problem.values


PARTS = {
    "auto": lambda problem, tell: problem.auto(
        progress=lambda part, total: tell(1e3 * part)
    ),  # of the time that it may take
    "start": lambda problem, tell: problem.start(20, progress=tell),
    "scan": lambda problem, tell: problem.scan("p1", 0.4, 0.6, 9, fitted=True, progress=tell),
    "profile": lambda problem, tell: problem.profile(progress=tell),
    "bootstrap": lambda problem, tell: problem.bootstrap(60, progress=tell),
}


@pytest.fixture(scope="module")
def best(problem):
    """At the minimum, where profiles and bootstraps begin."""
    return problem.fit().problem


@pytest.mark.parametrize("part", [0.0, 0.6])
@pytest.mark.parametrize("name", PARTS)
def test_ctrl_c_ends_work_of_many_parts(best, name, part):
    """Whoever runs it in a loop wants the loop to end; what is finished is not lost."""

    def interrupt(done):
        if done >= part:
            raise KeyboardInterrupt

    with pytest.raises(parfit.Interrupted) as stopped:
        PARTS[name](best, interrupt)
    assert stopped.value.problem.data is best.data
    env = stopped.value.problem.environment
    if part and name == "profile":
        assert 0 < len(env.profiles) < len(env.model.parameters)
    if part and name == "bootstrap":
        assert 0 < env.bootstrap.n < 60


def test_ctrl_c_between_searches_says_where_the_last_one_has_ended(problem, monkeypatch):
    """Whoever is told nothing of a search gets what it has led to."""
    expected = problem.fit().values

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(strategy, "_result", interrupt)
    with pytest.raises(parfit.Interrupted) as stopped:
        problem.fit()
    assert stopped.value.problem.values == expected


def test_a_parameter_that_the_data_do_not_see_stays_put():
    """The search has a parameter less than the problem."""
    t = np.arange(1.0, 9.0)
    model = parfit.Model.from_text("par idle=7, k=1\nx'=-k*x\nx(0)=3\naux none=idle\n")
    heard: list[Progress] = []
    fit = parfit.load(model, {"t": t, "x": 3 * np.exp(-0.7 * t)}).fit(progress=heard.append)
    assert fit.values["idle"] == heard[0].values["idle"] == 7.0
    assert fit.values["k"] == pytest.approx(0.7, rel=1e-5)
