"""Events on the way to rest, and after the last time: against closed forms."""

import numpy as np
import pytest

import parfit
from parfit.errors import ParfitError
from parfit.simulation.simulator import simulate
from parfit.simulation.status import Reason

INF = np.inf


def test_events_that_wait_for_a_state_happen_on_the_way_to_rest():
    """x goes to v/k and passes c; constants keep what events make of them, unless `rest` says what they are."""
    text = (
        "par k=.5, v=2, c=3\nnumber n=0, m=0\nx'=v-k*x\nz'=0\ninit x=1, z=1\nglobal 1 {x-c} {z=z+2*x; n=n+1; m=m+1}\n"
        "global 1 {x-t} {z=0}\nset z=z+10 at .5\nrest m=4\ndone"
    )
    run = simulate(parfit.Model.from_text(text), [0.0, 1.0], sensitivities=True)
    found = dict(zip(run.model.states, run.y[0], strict=True))
    assert found == pytest.approx({"x": 4.0, "z": 7.0, "n": 1.0, "m": 0.0}, rel=1e-7)
    place = run.model.states.index("z")
    np.testing.assert_allclose(run.s[0, place], [0.0, 0.0, 2.0], atol=1e-6)
    assert run.y[1, place] == pytest.approx(17.0, rel=1e-7)  # x has passed c, and stays above it


def test_events_that_wait_for_a_state_happen_before_the_end():
    """x goes to v/k, and passes c on the way."""
    text = "par k=.5, v=2, c=3\nx'=v-k*x\nz'=0\ninit x=1, z=1\nglobal 1 {x-c} {z=z+2*x}\ndone"
    run = simulate(parfit.Model.from_text(text), [0.0, 0.1, INF], sensitivities=True)
    np.testing.assert_allclose(run.y[-1], [4.0, 7.0], rtol=1e-7)
    np.testing.assert_allclose(run.s[-1], [[-8.0, 2.0, 0.0], [0.0, 0.0, 2.0]], atol=1e-6)


def test_events_without_end_are_no_rest():
    run = simulate(parfit.Model.from_text("par k=1\nx'=k\nglobal 1 {x-5} {x=0}\ndone"), [1.0, INF])
    assert run.status.reason is Reason.NO_REST


def test_events_that_depend_on_time_are_refused():
    text = "par k=1\nx'=-k*x\nlate=t-5\nglobal 1 {x-late} {x=0}\ndone"
    with pytest.raises(ParfitError, match="an event that waits for a state and depends on time"):
        simulate(parfit.Model.from_text(text), [1.0, INF])
