"""Searches along curves through the data, which drive what was not observed: with them no solution goes astray.

What they lead to is where a search of the full problem begins (`Place.before`).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from parfit.arrays import Array
from parfit.estimation.curves.smoothing import left_by_curves
from parfit.estimation.problems.integral_fit import IntegralFit
from parfit.estimation.strategies import curve_fit, smooth
from parfit.estimation.strategies.starting.exploring import SHORT, Search, Searching
from parfit.estimation.strategies.starting.places import Followed, Place
from parfit.session.environment import Environment

FURTHER = 48  # evaluations after a short search: along curves most are at their end by then
KEPT = 4  # of short searches that go on
APART = 0.01  # of a parameter: ends that are no farther apart are one


class AlongCurves(Searching[IntegralFit]):
    """Searches with integrals of the equations along curves; an error where the data have no curves for them."""

    def __init__(self, env: Environment):
        assert env.observations is not None
        super().__init__(smooth.smooth(env, smooth.Request()).env)
        assert self.env.smoothing is not None
        self.left = left_by_curves(env.observations, self.env.smoothing.curves)  # by the curves themselves
        self.is_linear = curve_fit.problem_of(self.env, curve_fit.Request())[1]
        self._ends: list[Array] = []  # where searches have led so far, (n_active,) each

    def _made(self, env: Environment) -> IntegralFit:
        return env.integral_problem()

    def led(self, places: Iterable[Place], seconds: float) -> list[Place]:
        """Where searches from these places lead, but for where others have led before: the best first."""
        short = [self.gone_on(self.begun(place), SHORT, seconds) for place in places]
        kept = sorted(short, key=_total)[:KEPT]
        further = [self.gone_on(each, FURTHER, seconds) for each in kept if np.isfinite(each.total)]
        return [_end(each) for each in sorted(further, key=_total) if self._is_new(each)]

    def _is_new(self, found: Search) -> bool:
        end = found.values[list(self.env.parameters.active)]
        if any((np.abs(end - each) <= APART * np.abs(each)).all() for each in self._ends):
            return False
        self._ends.append(end)
        return True


def _total(search: Search) -> float:
    return search.total


def _end(found: Search) -> Place:
    place = found.place
    return Place(place.number, found.values, place.scaling, Followed(place, found.limits))
