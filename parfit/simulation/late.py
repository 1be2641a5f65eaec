"""Solutions up to the end of time: what the states come to when all that is to happen has happened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parfit.arrays import Array
from parfit.model.calculus.jumping import steady_names, switch_parts
from parfit.model.jumps import time_of
from parfit.model.language.expression import Expression, value
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.rest import Found, Resting
from parfit.simulation.status import Reason


class Late:
    """What comes after the last time of an integration, with derivatives by `active` parameters."""

    def __init__(self, model: Model, active: Sequence[int], method: Method, last: float):
        self._model, self._active, self._method, self._last = model, tuple(active), method, last
        self._resting = Resting(model, active, method, late=True)
        self._times = _times(model)

    def __call__(self, p: Array, sensitivities: bool, y: Array, s: Array | None) -> Found:
        """The rest that follows from the states at the last time, and from all that happens later."""
        p = np.asarray(p, dtype=float)
        settled = max([self._last, *self._times_at(p)])
        if settled > self._last:
            from parfit.simulation.simulator import Simulator  # which imports what is here

            run = Simulator(self._model, [settled], self._method, self._active, begin=self._last)(
                p, sensitivities, y, s
            )
            if not run.status:
                return Found(run.y[-1], None if run.s is None else run.s[-1], run._end[:3])
            y, s = run.y[-1], None if run.s is None else run.s[-1]
        return self._resting(p, sensitivities, y, s)

    def _times_at(self, p: Array) -> list[float]:
        known = dict(zip(self._model.parameters, p.tolist(), strict=True))
        steady = steady_names(self._model)
        for name, node in self._model.quantities:
            if name in steady:
                known[name] = value(node, known)
        found = [float(value(each, known)) for each in self._times]
        return [time for time in found if np.isfinite(time)]


def _times(model: Model) -> list[Expression]:
    """When something happens, or a switch in time is passed."""
    steady = steady_names(model)
    conditions = [time_of(jump.condition, steady) for jump in model.jumps if jump.condition is not None]
    found = [time for jump in model.jumps for time in jump.times]
    return [*found, *(each[0] for each in conditions if each is not None), *switch_parts(model, on_times_only=True)]


def up_to_rest(
    late: Late,
    integrator: Callable[..., Any],
    n_late: int,
    only: bool,
    p: Array,
    sensitivities: bool,
    *given: Any,
    **how: Any,
) -> Any:
    """An integration, and behind its rows `n_late` of the end of time; `only` these, if nothing else was asked for."""
    y, s, end = integrator(p, sensitivities, *given, **how)
    if end[0] == Reason.OK:
        found = late(p, sensitivities, y[-1], None if s is None else s[-1])
        end = (*found.end, *end[3:]) if found.end[0] != Reason.OK else end
        last, slopes = found.y, found.s
    else:
        last, slopes = np.full(y.shape[1], np.nan), None
    kept = 0 if only else len(y)
    y = np.concatenate((y[:kept], np.tile(last, (n_late, 1))))
    if s is not None:
        slopes = np.full(s.shape[1:], np.nan) if slopes is None else slopes
        s = np.concatenate((s[:kept], np.tile(slopes, (n_late, 1, 1))))
    return y, s, end
