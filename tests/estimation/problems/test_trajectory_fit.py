"""Wrong uses of the least-squares problem are refused: each would compare something with something else, silently."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.errors import ParfitError
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.restarting import Restart, Restarting, extended_model
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.model import Model
from parfit.simulation.simulator import Simulator

MODEL = Model.from_text("par p=1, q=2\nx'=-p*x+q\ninit x=1\ndone\n", "growth")
MAP = ParameterMap(MODEL.parameters, MODEL.values)
DATA = make_observations([1.0, 2.0], ["x"], [[1.0], [2.0]])


def test_observations_between_the_times_of_a_simulator_are_refused():
    with pytest.raises(ParfitError, match="t = 1 is not at one of the simulator's times"):
        TrajectoryFit(Simulator(MODEL, [0.5, 1.5, 2.0]), MAP, DATA)


@pytest.mark.parametrize("active", [(1, 0), (0,), ()])
def test_other_active_parameters_are_refused(active):
    with pytest.raises(ParfitError, match="in the same order"):
        TrajectoryFit(Simulator(MODEL, DATA.times, active=active), MAP, DATA)


def test_bounds_that_leave_nothing_are_refused():
    with pytest.raises(ParfitError, match=r"lower bound of q \(3\) is above its upper bound \(2\)"):
        ParameterMap(MODEL.parameters, MODEL.values, lower=np.array([0.0, 3.0]), upper=np.array([1.0, 2.0]))


def test_derivatives_without_states_are_refused():
    with pytest.raises(ParfitError, match="y_start"):
        Simulator(MODEL, DATA.times)(MODEL.values, True, None, np.zeros((1, 2)))


def test_what_begins_anew_is_no_simulator():
    """Steps and traces of a simulator would be those without the breaks; its own begin anew."""
    restarts = [Restart(1.0, 0, 1.5, 1.0, True)]
    broken = Restarting(MODEL, extended_model(MODEL, restarts), restarts, [1.0, 2.0])
    assert not isinstance(broken, Simulator)
    assert not hasattr(broken, "watched")
    y = broken().y[:, 0]  # before the break, none, behind it, and at the end
    assert np.isnan(y[1])
    assert y[[0, 2, 3]] == pytest.approx([2 - np.exp(-1), 1.5, 2 - 0.5 * np.exp(-1)], rel=1e-5)
