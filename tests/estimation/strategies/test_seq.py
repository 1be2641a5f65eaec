"""Sequential reestimation without a dialogue: the numbers of SEQ to the last bit, and batches chosen one by one."""

import pytest
from coarse import TWO, setting
from conversation import assert_same

from parfit.data.observations import make_observations
from parfit.errors import StateError
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problems.sequential import Batch
from parfit.estimation.strategies.seq import Request, begun, seq
from parfit.model.model import Model
from parfit.session.environment import Environment

LOOSE = Settings(0.01, 1e-4, 1e-4, max_iterations=100)
TYPED = ".01 1e-4 1e-4"


@pytest.fixture
def prey(begin):
    session = begin()
    session(setting(TWO))
    return session


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request(5, 5, settings=LOOSE), f"SEQ 5 5 {TYPED}"),
        (Request(ends=(2.5, 5.0, 12.5), settings=LOOSE), f"SEQ ENDS 2.5 5 12.5 0 {TYPED}"),
        (Request(5, 5, settings=Settings.entered(1.0, -1e-4, -1e-4, 100)), "SEQ 5 5 1 -1e-4 -1e-4"),
    ],
)
def test_three_lines_of_python_are_the_command(prey, request_, line):
    env = prey.env
    result = seq(env, request_)
    prey(line)
    assert_same(result.env, prey.env)
    assert prey.entries[-1] == f"{request_.written(request_.settings)} ALL"
    assert len(result.estimates) == len(result.batches)
    assert result.full.sum_of_squares == prey.env.sum_of_squares


def test_the_usual_batches(prey):
    env = prey.env
    result = seq(env, Request())
    prey("SEQ 5 5")
    assert_same(result.env, prey.env)


def test_batches_one_by_one(prey):
    """CONTINUE, REPEAT and ONLY as calls; each gives a new value, and the old one stays."""
    env = prey.env
    first = begun(env, Request(5, 5, settings=LOOSE)).next()
    repeated = first.again(Settings(1.0, 1e-3, 1e-3, max_iterations=50))
    done = repeated.next(steps=2).next()
    assert [len(each.estimates) for each in (first, repeated, done)] == [1, 1, 3]
    assert done.estimates[1].result.n_iterations <= 2
    prey(f"SEQ 5 5 {TYPED} 100 REPEAT 1 1e-3 1e-3 50 ONLY 2 CONTINUE STOP")
    assert_same(done.result().env, prey.env)
    assert done.written() == prey.entries[-1]


def test_what_was_done_is_written_so_that_it_can_be_done_again(prey, begin):
    done = begun(prey.env, Request(5, 5, settings=LOOSE)).next().next().again(LOOSE)
    again = begin()
    again(setting(TWO), done.written())
    assert_same(done.result().env, again.env)


def test_a_batch_that_cannot_be_integrated_is_a_value():
    """1 / (1 - k / 2) = 5 for k = 1.6, and there is no solution at t = 1."""
    model = Model.from_text("par k=1.5\nx'=k*x^2\ninit x=1\n@ t0=0, total=2\ndone", "explosion")
    env = Environment.of(model, make_observations([0.5, 1.0, 1.5], ["x"], [[5.0], [6.0], [7.0]]))
    result = seq(env, Request(1, 1))
    assert result.env.values == pytest.approx([1.6], rel=1e-4)
    assert result.failure.place.number == 2
    assert not result.failure.status
    assert not result.full.usable
    result = seq(env.with_values([3.0]), Request(1, 1))
    assert result.estimates == ()
    assert result.env.values.tolist() == [3.0]
    assert result.failure.place.number == 1


def test_too_few_observations_for_the_parameters(prey):
    with pytest.raises(StateError, match="fewer observations than there are active parameters"):
        seq(prey.env, Request(2, 5))


def test_ctrl_c_keeps_the_batches_before(prey, monkeypatch):
    one = begun(prey.env, Request(5, 5, settings=LOOSE)).next()
    evaluate = Batch._evaluated

    def interrupted(self, active):
        if self.history is not None:
            raise KeyboardInterrupt
        return evaluate(self, active)

    monkeypatch.setattr(Batch, "_evaluated", interrupted)
    result = seq(prey.env, Request(5, 5, settings=LOOSE))
    assert result.is_interrupted
    assert_same(result.env, one.result().env)
