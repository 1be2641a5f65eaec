"""The pace of a model: one factor on all rates, with which solutions pass through the same states faster or slower.

An oscillation with another period than that of the data has no slope that leads to theirs. So a place to begin at is
moved to the pace at which its solution has most of the course of the data, whatever its size.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies.starting.exploring import slow_steps
from parfit.estimation.strategies.starting.places import Place, shortened
from parfit.model.model import Model
from parfit.simulation.pointwise import Pointwise
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import RANK, pseudo_inverse

TURNS = 3  # times that data cross their mean if they oscillate
CLEAR = 0.25  # standard deviations from the mean that tell on which side they are
# Those that are tried, the nearest first: neighbours are 12 % apart, a part of a turn of several.
FACTORS = 2.0 ** (np.array(sorted(range(-24, 25), key=abs)) / 6.0)
N_POINTS, N_VALUES = 12, 3  # states, and values of the parameters, at which the equations are looked at
EXACT = 1e-8  # of the rates: what no powers of a factor explain
DIGITS = 6  # of powers


def do_oscillate(data: Observations) -> bool:
    """Whether any variable crosses its mean several times, which errors hardly do so clearly."""
    return any(_n_crossings(column[np.isfinite(column)]) >= TURNS for column in data.values.T)


def _n_crossings(column: Array) -> int:
    if column.size < 2 * TURNS or not (spread := float(column.std())) > 0.0:
        return 0
    away = (column - column.mean()) / spread
    sides = np.sign(away[np.abs(away) > CLEAR])
    return int(np.count_nonzero(sides[1:] != sides[:-1]))


def powers(model: Model, active: tuple[int, ...], values: Array) -> Array | None:
    """The powers of a factor that belong to the active parameters, so that all rates get it, (n_active,).

    They solve sum_k e_k p_k dg/dp_k = g wherever the states are and whatever the parameters; None if nothing does.
    """
    rates, rng = Pointwise(model, model.states, active), np.random.Generator(np.random.Philox(key=0))
    blocks: list[Array] = []
    right: list[Array] = []
    with np.errstate(all="ignore"):
        for _ in range(N_VALUES):
            p = np.where(values == 0.0, 1.0, values) * np.exp(rng.normal(size=values.size))
            y = np.exp(rng.normal(size=(N_POINTS, len(model.states))))
            g, g_p, _ = rates(np.full(N_POINTS, model.t0), y, p)
            size = np.where(g == 0.0, 1.0, np.abs(g))
            blocks.append((g_p * p[list(active)] / size[:, :, np.newaxis]).reshape(-1, len(active)))
            right.append((g / size).ravel())
    table, wanted = np.vstack(blocks), np.concatenate(right)
    if not (np.isfinite(table).all() and np.isfinite(wanted).all()):
        return None
    found = pseudo_inverse(table, RANK) @ wanted
    return np.round(found, DIGITS) if np.abs(table @ found - wanted).max() <= EXACT else None


def paced(problem: TrajectoryFit, place: Place, exponents: Array, seconds: float = np.inf) -> Place:
    """The place at the pace with which its solution has most of the course of the data, as far as there is time."""
    until = time.process_time() + seconds
    map_, data = problem.parameters, problem.observations
    active, best, least = list(map_.active), place, np.inf
    fastest = np.inf  # at which no data could show the solution any more
    for factor in FACTORS:
        if factor >= fastest:
            continue
        there = place.values.copy()
        there[active] *= factor**exponents
        if not ((there >= map_.lower) & (there <= map_.upper)).all():
            continue
        there = shortened(there, active)
        with np.errstate(all="ignore"):
            run = problem.simulator(there, sensitivities=False)
            left = _unlike(run, data)
        if run.counts.steps > slow_steps(run.times.size):
            fastest = factor
        if left < least:
            best, least = replace(place, values=there), left
        if time.process_time() >= until:
            break
    return best


def _unlike(run: Trajectory, data: Observations) -> float:
    """How little the course of the solution is that of the data: parts of their squares, whatever size and offset."""
    if not run.status:
        return np.inf
    left, at = 0.0, np.searchsorted(run.times, data.times)
    for name, observed in zip(data.names, data.values.T, strict=True):
        seen = np.isfinite(observed)
        model, wanted = run.column(name)[at][seen], observed[seen]
        model, wanted = model - model.mean(), wanted - wanted.mean()
        size = float(model @ model) * float(wanted @ wanted)
        like = float(model @ wanted) / np.sqrt(size) if 0.0 < size < np.inf else 0.0
        left += 1.0 - max(like, 0.0) ** 2
    return left if left == left else np.inf
