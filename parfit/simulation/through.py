"""On and on through events that wait for a state, until nothing changes any more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.model.model import Model
from parfit.simulation.method import Method

GROWTH = 8.0  # each run is so many times as long as the one before
MOST_RUNS = 40
N_STILL = 2  # runs in a row without a change: what creeps too slowly for one of them is seen in the next


class Through:
    """A model in which time stands still, with events, whose states are followed until they stay as they are."""

    def __init__(self, model: Model, active: Sequence[int], method: Method):
        self._model, self._active, self._method = model, tuple(active), method

    def __call__(self, p: Array, y: Array, s: Array | None, length: float) -> tuple[Array, Array | None, bool]:
        """States and derivatives when all events are over, and whether they ever are; `length`: of the first run."""
        from parfit.simulation.simulator import Simulator  # which imports what is here

        n_steps, n_still, largest = 0, 0, np.abs(y)
        for _ in range(MOST_RUNS):
            active = () if s is None else self._active
            run = Simulator(self._model, [length], self._method, active)(p, s is not None, y, s)
            n_steps += run.counts.steps
            if not run.status or n_steps > self._method.max_steps:
                break
            before, y, s = y, run.y[-1], None if run.s is None else run.s[-1]
            largest, length = np.maximum(largest, np.abs(y)), length * GROWTH
            n_still = n_still + 1 if (np.abs(y - before) <= self._method.eps * largest).all() else 0
            if n_still == N_STILL:
                return y, s, True
        return y, s, False
