"""Every verdict on problems of which it is known where their minima are."""

import numpy as np
import pytest
from regression import problem_of

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.judgement import Verdict, judged
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Ending, Result
from parfit.model.model import Model

DECAY = "par k=1, a=2\ny'=-k*y\ninit y=a\ndone"
TIMES = np.linspace(0.5, 3, 6)


def decay(values, text=DECAY):
    data = make_observations(TIMES, ["y"], 2 * np.exp(-TIMES)[:, np.newaxis] + 0.01 * np.cos(7 * TIMES)[:, np.newaxis])
    return problem_of(Model.from_text(text), data, values=values)


def at(problem, ending=Ending.CONVERGED):
    return Result(problem.parameters.point, problem.evaluate(problem.parameters.point), ending, 0.0, 1, 1)


def test_a_minimum():
    problem = decay([1.0, 2.0])
    found = judged(problem, bounded.minimize(problem, problem.parameters.point))
    assert found.verdict is Verdict.MINIMUM
    assert found.is_minimum
    assert found.undetermined == 0


def test_elsewhere_it_is_none():
    found = judged(decay([1.5, 2.0]), at(decay([1.5, 2.0])))
    assert found.verdict is Verdict.NOT_A_MINIMUM
    assert not found.is_minimum


def test_a_parameter_that_has_run_away():
    problem = decay([40.0, 1e-9])
    found = judged(problem, at(problem))
    assert found.verdict is Verdict.FLAT
    assert "k" in found.names(found.standing.flat)


@pytest.mark.parametrize("ending", [Ending.LIMIT, Ending.ERRORS, Ending.INTERRUPTED])
def test_a_search_that_was_stopped_may_stand_at_a_minimum_all_the_same(ending):
    problem = decay([1.0, 2.0])
    best = bounded.minimize(problem, problem.parameters.point)
    found = judged(problem, Result(best.p, best.evaluation, ending, 0.0, 1, 1))
    assert found.verdict is Verdict.STOPPED
    assert found.is_minimum
    assert not judged(decay([1.5, 2.0]), at(decay([1.5, 2.0]), ending)).is_minimum


def test_a_parameter_that_nothing_depends_on_leaves_the_others_to_be_judged():
    text = f"par idle=3\n{DECAY}"
    found = bounded.minimize(decay([3.0, 1.0, 2.0], text), np.array([3.0, 1.0, 2.0]), bounded.Settings(1e-12))
    assert found.p[0] == 3.0
    problem = decay(found.p, text)
    assert judged(problem, at(problem)).verdict is Verdict.MINIMUM
    assert judged(problem, at(problem)).standing.unused == (0,)
    alone = decay([3.0], "par idle=3\ny'=-y\ninit y=2\ndone")
    assert judged(alone, at(alone)).verdict is Verdict.FLAT, "of nothing there is no minimum"
    away = decay([3.0, 1.5, 2.0], text)
    assert judged(away, at(away)).verdict is Verdict.NOT_A_MINIMUM


def test_a_switch_hides_what_acts_only_through_it():
    text = "par k=1, a=2, s=1.2\ny'=-k*y\ninit y=a*heav(s)\ndone"
    problem = decay([1.0, 2.0, 1.2], text)
    found = judged(problem, at(problem))
    assert list(found.hidden) == ["s"]
    assert found.verdict is Verdict.SWITCH
    assert not found.is_minimum
