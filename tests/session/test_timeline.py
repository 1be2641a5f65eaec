"""UNDO and REDO, and how much memory the solutions take that are kept for them."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session import timeline
from parfit.session.environment import Environment
from parfit.session.timeline import Timeline
from parfit.simulation.method import Method
from parfit.simulation.simulator import Simulator

MODEL = Model.from_text("par k=1\nx'=-k*x\nz'=k*x-z\ninit x=1\naux total=x+z\ndone")
TIMES = np.linspace(1.0, 5.0, 50)
METHODS = [Method(), Method("gear", "auto", 1e-6, 0.0)]
BYTES = 8 * (51 * 2 + 51 * 2)  # of one solution with its sensitivities


def beginning():
    return Environment.of(MODEL, make_observations(TIMES, ["x"], np.exp(-TIMES)[:, np.newaxis]))


def integrated(env, k, method=METHODS[0]):
    env = env.with_values([k])
    times = env.observations.sample_times(MODEL.t0)
    return env.with_integration(Simulator(MODEL, times, method)(env.values, sensitivities=True))


def solution(env):
    return env.integration.trajectory


def held(line):
    return sum(each.held for each in line.trajectories())


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.procedure)
def test_old_solutions_are_put_away_and_computed_again_to_the_last_bit(monkeypatch, method):
    monkeypatch.setattr(timeline, "MAX_HELD", 5 * BYTES)
    line, before = Timeline(beginning()), []
    for k in range(1, 41):
        line = line.then(integrated(line.present, 0.1 * k, method))
        before.append([each.copy() for each in (solution(line.present).y, solution(line.present).s)])
        assert held(line) <= 5 * BYTES
        assert solution(line.present).held == BYTES
    counts = solution(line.past[1]).counts  # how it ended is not forgotten
    assert counts.steps > 0
    assert solution(line.past[1]).held == 0
    for k in range(39, 0, -1):
        line = line.back(1)
        found = solution(line.present)
        assert found.y.tobytes() == before[k - 1][0].tobytes()
        assert found.s.tobytes() == before[k - 1][1].tobytes()
        assert found.column("total").shape == (51,)
    assert held(line) <= 6 * BYTES
    assert solution(line.forward(39).present).y.tobytes() == before[-1][0].tobytes()


def test_what_was_undone_for_good_counts_too(monkeypatch):
    monkeypatch.setattr(timeline, "MAX_HELD", 5 * BYTES)
    line = Timeline(beginning())
    for k in range(1, 21):
        line = line.then(integrated(line.present, 0.1 * k)).back(1)
        line = line.then(integrated(line.present, 0.2 * k))
    assert held(line) <= 5 * BYTES
    assert len(list(line.trajectories())) == 40


def test_a_solution_larger_than_the_limit_is_kept_while_it_is_the_present_one(monkeypatch):
    monkeypatch.setattr(timeline, "MAX_HELD", 10)
    line = Timeline(beginning())
    line = line.then(integrated(line.present, 0.1))
    assert held(line) == BYTES
    line = line.then(line.present.with_values([2.0]))  # shows the last solution still
    assert held(line) == BYTES
