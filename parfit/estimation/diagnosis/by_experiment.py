"""How well each experiment is fitted."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from parfit.arrays import Array
from parfit.data.leaving import all_on
from parfit.data.observations import Observations
from parfit.data.stacking import Experiment, apart
from parfit.estimation.diagnosis.residual_tests import counted
from parfit.estimation.problems.trajectory_fit import residuals
from parfit.model.naming import base_of, experiment_of, labelled
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import RANK, column_lengths, directions


class Fitted(NamedTuple):
    """An experiment, and how far the solution is from what was observed in it."""

    experiment: Experiment
    is_off: bool
    sum_of_squares: float
    worst: float  # the largest weighted residual, with its sign
    variable: str  # and where it is
    time: float


def by_experiment(run: Trajectory, observations: Observations, f: Array | None = None) -> list[Fitted]:
    """The weighted residuals of a solution, experiment by experiment; those of noise models are given.

    Of one that is left out of fits they are as if it were not, so that they tell how well it is predicted.
    """
    if f is None:
        f = residuals(run, replace(observations, weights=all_on(observations)[0]))
    rows, columns = np.nonzero(observations.observed)
    several = apart(observations)
    off = {} if observations.design is None else observations.design.off
    found = []
    for each in several:
        own = np.array([_belongs(observations.names[j], each.name, len(several)) for j in columns], dtype=bool)
        if not own.any():
            found.append(Fitted(each, each.name in off, 0.0, 0.0, "", math.nan))
            continue
        part, k = f[own], int(np.argmax(np.abs(f[own])))
        place = np.flatnonzero(own)[k]
        variable, time = base_of(observations.names[columns[place]]), float(observations.times[rows[place]])
        found.append(Fitted(each, each.name in off, float(part @ part), float(part[k]), variable, time))
    return found


class Seen(NamedTuple):
    """What the observations of one experiment tell of the parameters."""

    name: str
    n_observations: int  # that count
    n_seen: int  # parameters that they depend on
    rank: int  # how many of these, or of combinations of them, they determine without the other experiments


def seen_by_experiment(jac: Array, observations: Observations, precision: float) -> list[Seen]:
    """What each of several experiments determines by itself, of derivatives (n_observations, n_active)."""
    names = [observations.names[j] for j in np.nonzero(observations.observed)[1]]
    counting = counted(observations)
    found, lengths = [], column_lengths(jac)
    for each in () if observations.design is None else observations.design.names:
        own = jac[np.array([experiment_of(name) == each for name in names]) & counting]
        known = directions(np.where(column_lengths(own) > RANK * lengths, own, 0.0), precision)
        found.append(Seen(each, len(own), int(np.count_nonzero(~known.dead)), known.rank))
    return found


def _belongs(name: str, experiment: str, n: int) -> bool:
    return n == 1 or name == labelled(base_of(name), experiment)
