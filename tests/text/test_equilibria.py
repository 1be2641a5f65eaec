"""Where equilibria were searched for, in words."""

from types import SimpleNamespace

import numpy as np
import pytest

from parfit.text.equilibria import MOST_LIMITS, _searched


@pytest.mark.parametrize(("n", "written_out"), [(2, True), (MOST_LIMITS, True), (MOST_LIMITS + 1, False)])
def test_limits_are_written_out_for_a_few_states(n, written_out):
    states = [f"x{k}" for k in range(n)]
    said = _searched(states, SimpleNamespace(n_starts=40, top=np.arange(1.0, n + 1), reach=30.0))
    assert "from 40 points" in said
    assert ("1 for x0, 2 for x1" in said) is written_out
    assert ("times the largest values of observations and solution" in said) is not written_out


def test_one_state_is_scanned():
    said = _searched(["x"], SimpleNamespace(n_starts=0, top=np.array([2.5]), reach=10.0))
    assert said == "x was scanned from -25 to 25, most finely from -2.5 to 2.5."
