"""The steady state of doses that are given again and again: what is left before each of them.

Newton's method on the period map P, which leads from before a dose to before the next, with the derivatives of the
flow by its start; and by the parameters, (1 - P_y) s = P_p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.model.calculus.standstill import standing_still
from parfit.model.jumps import Assignment, Jump
from parfit.model.language.assigning import infusion
from parfit.model.language.expression import Name, Number
from parfit.model.model import Model, Regimen
from parfit.simulation.method import Method
from parfit.simulation.pointwise import Initial
from parfit.simulation.rest import RESTS, TIGHTEST, Found
from parfit.simulation.status import Reason
from parfit.spectrum import solved

MOST_PERIODS = 200
FINE = 10.0  # times EPS, of a step that ends the search


class Periodic:
    """A model without jumps whose steady state under a regimen is found again and again."""

    def __init__(self, model: Model, active: Sequence[int], method: Method, regimen: Regimen):
        from parfit.simulation.simulator import Simulator  # which imports what is here

        self._initial, self._n_active, self._regimen = Initial(model), len(active), regimen
        given = _with_starts(_given(standing_still(model), regimen))
        n = len(model.parameters)
        by = (*active, *range(n, n + len(model.states)))
        self._eps = min(method.eps, TIGHTEST)
        self._period = Simulator(given, [regimen.every], method.accurate(self._eps), by)
        self._least = np.zeros(len(model.states))
        self._least[model.states.index(regimen.state)] = abs(regimen.amount)

    @np.errstate(all="ignore")
    def __call__(self, p: Array, sensitivities: bool) -> Found:
        """What is left before a dose, with derivatives."""
        y, off = self._initial(p)[0], np.inf
        change, largest = np.full(y.size, np.nan), np.maximum(np.abs(y), self._least)
        for _ in range(MOST_PERIODS):
            run = self._period(np.concatenate((p, y)), True)
            if not run.status or run.s is None:
                break
            change, by_p, by_start = run.y[-1] - y, run.s[-1][:, : self._n_active], run.s[-1][:, self._n_active :]
            largest = np.maximum(largest, np.abs(run.y[-1]))
            size = np.where(largest > 0.0, largest, 1.0)
            matrix = (np.eye(y.size) - by_start) * size / size[:, np.newaxis]
            found = solved(matrix, np.column_stack((change, by_p)) / size[:, np.newaxis])
            before, off = off, float(np.abs(change / size).max())
            if found is None or not np.isfinite(found).all() or off > before:
                y = run.y[-1]  # one period after the other leads there too, if anything does
                continue
            step = np.where(largest > 0.0, found[:, 0] * size, 0.0)
            y = y + step
            if (np.abs(step) <= FINE * self._eps * size).all():
                return Found(y, found[:, 1:] * size[:, np.newaxis] if sensitivities else None, RESTS)
        return self._moving(change, largest)

    def _moving(self, change: Array, largest: Array) -> Found:
        """That there is no steady state: the state that changes most in a period, next to its size, and its rate."""
        state = int(np.nan_to_num(np.abs(change) / np.where(largest > 0.0, largest, 1.0), nan=np.inf).argmax())
        end = Reason.NO_REST, float(change[state]) / self._regimen.every, state
        return Found(np.full(change.size, math.nan), None, end)


def _given(model: Model, regimen: Regimen) -> Model:
    """The model with one dose at 0."""
    if regimen.over is None:
        dose = Assignment(regimen.state, Number(regimen.amount), adds=True)
        return replace(model, jumps=(Jump((dose,), (Number(0.0),)),))
    flow = infusion(Number(regimen.amount), Number(regimen.over), [Number(0.0)])
    equations = list(model.equations)
    k = model.states.index(regimen.state)
    equations[k] = equations[k] + flow
    return replace(model, equations=tuple(equations))


def _with_starts(model: Model) -> Model:
    """The model with a parameter for each initial value."""
    names = tuple(f"start of {state}" for state in model.states)  # no name of a model has a blank
    values = np.concatenate((model.values, np.zeros(len(names))))
    return replace(model, parameters=(*model.parameters, *names), values=values, initial=tuple(map(Name, names)))
