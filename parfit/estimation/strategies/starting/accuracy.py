"""What ways leave when the equations are integrated more accurately: errors of integration may imitate a minimum.

A parameter that has run away makes some state so small, or so fast, that EPS allows it any value. A search follows
such errors below every true minimum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.estimation.diagnosis.discretisation import NEGLIGIBLE, SMALLEST_EPS
from parfit.estimation.parameters import Scaling
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies.starting.minima import SAME
from parfit.estimation.strategies.starting.ways import Way
from parfit.session.environment import Environment

FINER = 100.0  # times: errors are as much smaller, and an integration takes two or three times as long


class Accuracy:
    """Knows the accurate sum of squares of the ways that it was asked for; each is integrated once."""

    def __init__(self, env: Environment):
        self._env = env
        self._problem: TrajectoryFit | None = None
        self._known: dict[Way, float] = {}

    def is_imitation(self, found: Way, best: Way | None) -> bool:
        """Whether only errors of integration make a way better than the best."""
        if best is None or found.total >= (1.0 - SAME) * best.total:
            return False
        return self.total(found) > (1.0 - SAME) * self.total(best)

    def was_imitation(self, best: Way | None, found: Way) -> bool:
        """Whether only errors of integration make the best better than another way."""
        if best is None or found.total < best.total:
            return False
        most = (1.0 - SAME) * self.total(best)
        return found.total < most and self.total(found) < most

    def total(self, way: Way) -> float:
        """The sum of squares at the end of a way; infinite where that cannot be integrated so accurately.

        A difference that no measurement could show is none.
        """
        method = self._env.options.method
        if method.procedure != "gear":  # EPS means nothing to the rule that the user has chosen
            return way.total
        if way not in self._known:
            self._known[way] = self._integrated(way)
        return self._known[way]

    def _integrated(self, way: Way) -> float:
        if self._problem is None:
            options, names = self._env.options, self._env.model.parameters
            method = replace(options.method, eps=max(options.method.eps / FINER, SMALLEST_EPS))
            fine = self._env.with_options(replace(options, method=method))
            self._problem = fine.with_scaling(dict.fromkeys(names, Scaling.NONE)).problem()
        with np.errstate(all="ignore"):
            at = self._problem.evaluate(way.values[list(self._problem.parameters.active)])
        if not at.usable:
            return np.inf
        is_same = abs(at.sum_of_squares - way.total) <= NEGLIGIBLE**2 * self._problem.spread
        return way.total if is_same else at.sum_of_squares
