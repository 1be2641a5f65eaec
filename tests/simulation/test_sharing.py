"""Rests that experiments have in common: found once, and the same as those that each finds by itself."""

import numpy as np
import pytest

from parfit import Model
from parfit.model.conditions.design import Condition, Design
from parfit.model.conditions.joining import joined
from parfit.simulation.rest import Resting
from parfit.simulation.simulator import Simulator

TEXT = """par v1=2, v2=1, km=.3
number ligand=1
a'=v1*ligand*(1-a)/(km+1-a)-v2*a/(km+a)
rest ligand=.1
"""
CONDITIONS = tuple(Condition(name, {"ligand": u}) for name, u in (("low", 0.5), ("mid", 1.0), ("high", 3.0)))
TIMES = [0.0, 0.5, 2.0]


@pytest.fixture
def found(monkeypatch):
    """The parameters for which rests were looked for."""
    asked, find = [], Resting.__call__

    def noted(self, p, *arguments):
        asked.append(p.tolist())
        return find(self, p, *arguments)

    monkeypatch.setattr(Resting, "__call__", noted)
    return asked


@pytest.mark.parametrize(
    ("statement", "n_found"), [("", 1), ("local km\n", 3), ("local km low+mid, high\n", 2), ("rest ligand=v1/20\n", 1)]
)
def test_a_rest_of_several_experiments_is_found_once(found, statement, n_found):
    together = joined(Model.from_text(f"{TEXT}{statement}done\n"), Design(CONDITIONS))
    model = Model.from_text(f"{TEXT}{'' if 'local' in statement else statement}done\n")
    simulator = Simulator(together, TIMES)
    for factor in (1.0, 1.1, 1.0):
        p = together.values * factor
        found.clear()
        run = simulator(p, sensitivities=True)
        assert len(found) == n_found
        for k, condition in enumerate(CONDITIONS):
            own = Simulator(joined(model, Design((condition,))), TIMES)(model.values * factor, sensitivities=True)
            np.testing.assert_array_equal(run.y[:, k], own.y[:, 0])
            np.testing.assert_array_equal(np.sum(run.s[:, k], axis=-1), np.sum(own.s[:, 0], axis=-1))


def test_rests_under_settings_of_their_own_are_not_shared(found):
    conditions = tuple(Condition(name, {"m": m}) for name, m in (("low", 0.1), ("high", 0.7)))
    text = "par k=2, m=.5\na'=-k*a*(1-b)+m*b\nb'=k*a*(1-b)-m*b\na(0)=1\nb(0)=.2\nrest\ndone\n"
    model = Model.from_text(text)
    alone = [Simulator(joined(model, Design((each,))), TIMES)() for each in conditions]
    found.clear()
    run = Simulator(joined(model, Design(conditions)), TIMES)()
    assert len(found) == 2
    for k, own in enumerate(alone):
        np.testing.assert_array_equal(run.y[:, 2 * k : 2 * k + 2], own.y)
