"""Multiple shooting without a dialogue: the numbers of SHOOT to the last bit, early ends and failures as values."""

import pytest
from coarse import TWO, setting
from conversation import assert_same

from parfit.data.observations import make_observations
from parfit.errors import StateError
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problem import Ending
from parfit.estimation.strategies.shoot import Request, shoot
from parfit.model.model import Model
from parfit.session.environment import Environment


@pytest.fixture
def prey(begin):
    session = begin()
    session(setting(TWO))
    return session


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request(), "SHOOT AUTO"),
        (Request((2.5, 5.0, 7.5)), "SHOOT 2.5 5. 7.5"),
        (
            Request((2.5, 5.0), Settings(0.01, 1e-4, 1e-8, max_iterations=50, max_errors=20)),
            "SHOOT 5 10 0 .01 1e-4 1e-8 50",
        ),
        (Request((2.5, 5.0, 7.5), steps=3), "SHOOT 5 10 15 0 AUTO 1e-6 AUTO 100 ONLY 3"),
    ],
)
def test_three_lines_of_python_are_the_command(prey, request_, line):
    env = prey.env
    result = shoot(env, request_)
    prey(line)
    assert_same(result.env, prey.env)
    if request_.breaks is not None:
        assert result.request.written(env) == prey.entries[-1]


def test_an_early_end_says_where(prey):
    result = shoot(prey.env, Request((2.5, 5.0, 7.5), steps=3))
    assert result.n_steps == 3
    assert result.sequence is None
    assert result.ended_in.weight == 1
    assert result.ended_in.times == (2.5, 5.0, 7.5)
    assert result.full.sum_of_squares == result.env.sum_of_squares


def test_a_whole_sequence_ends_with_the_full_problem(prey):
    result = shoot(prey.env, Request((2.5, 5.0, 7.5)))
    assert result.ended_in is None
    assert result.sequence.last.weight == 0
    assert result.sequence.last.result.ending is Ending.CONVERGED
    assert result.n_steps == sum(stage.result.n_iterations for stage in result.sequence.stages)


def test_where_nothing_can_be_integrated_nothing_is_new():
    model = Model.from_text("par k=9\nx'=k*x^2\ninit x=1\n@ t0=0, total=2\ndone", "explosion")
    env = Environment.of(model, make_observations([1.0, 1.5, 2.0], ["x"], [[5.0], [6.0], [7.0]]))
    result = shoot(env, Request(()))
    assert result.failed
    assert result.env is env


def test_only_states_begin_anew():
    model = Model.from_text("par a=1\nx'=a\ninit x=0\naux double=2*x\ndone", "line")
    env = Environment.of(model, make_observations([1.0, 2.0], ["double"], [[2.0], [4.0]]))
    with pytest.raises(StateError, match="nothing but a state can begin anew"):
        shoot(env, Request())
