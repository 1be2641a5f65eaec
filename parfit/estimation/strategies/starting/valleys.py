"""Valleys of the sum of squares: what no data of this kind could see, and how far the least seen may be changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.estimation.parameters import Scaling
from parfit.session.environment import Environment
from parfit.spectrum import directions

# EPS with which what only looks like nothing is told from nothing, and how small that is then, next to the largest:
# at 40 points of 12 models that have combinations without effect their singular values were 1e-9 at most.
FINE, NOTHING = 1e-10, 1e-8
DEVIATIONS = (3.0, 10.0)  # standard deviations by which the least seen combinations are changed, to both sides
N_LEAST = 2  # combinations that are changed
WORTH, MOST = 0.25, 5.0  # logarithms: of less a minimum tells by itself, of more it knows nothing
UNTOLD = 1.0  # standard deviation of a logarithm, of what may as well be 0


def redundant(env: Environment, points: Iterable[Array]) -> int:
    """How many combinations of the parameters have no effect at all, whatever the values; 0 where that is not known.

    What is nothing at one of the points (n_params,) in an accurate integration may be so at these values only, where
    some parameter has run away; what is nothing at all of them is so because of the equations.
    """
    method = replace(env.options.method, eps=min(env.options.method.eps, FINE))
    fine = env.with_options(replace(env.options, method=method))
    found = []
    for values in points:
        problem = fine.with_values(values).problem()
        at = problem.evaluate(problem.parameters.point)
        if at.usable:
            seen = directions(at.jac, NOTHING)
            found.append(int(np.count_nonzero(~seen.dead)) - seen.rank)
    return min(found, default=0)


def deviations_at(env: Environment, values: Array) -> Array:
    """Those along what the data of an environment see at these values of all parameters."""
    plain = dict.fromkeys(env.model.parameters, Scaling.NONE)
    problem = env.with_scaling(plain).with_values(values).problem()
    at = problem.evaluate(problem.parameters.point)
    if not at.usable:
        return np.empty((0, len(problem.parameters.active)))
    return deviations(at.jac, problem.parameters.point, at.sum_of_squares)


def deviations(jac: Array, sizes: Array, total: float) -> Array:
    """One standard deviation of the logarithms along each combination that the data see, the least seen first.

    `jac` are the derivatives of the residuals by the parameters, `sizes` (n_active,) these, and `total` is F; rows of
    n_active.
    """
    n, m = jac.shape
    if n <= m or not (np.isfinite(jac).all() and sizes.all()):
        return np.empty((0, m))
    seen = directions(jac * sizes)
    k = slice(seen.rank - 1, None, -1) if seen.rank else slice(0)
    with np.errstate(over="ignore", invalid="ignore"):
        one: Array = np.sqrt(total / (n - m)) / seen.s[k, np.newaxis] * seen.v[k] / seen.lengths
    return one[np.isfinite(one).all(axis=1)]


def changes(deviations: Array) -> list[Array]:
    """Changes of the logarithms along what the data see least, (n_active,) each, to both sides."""
    steps = []
    for one in deviations[:N_LEAST]:
        for times in DEVIATIONS:
            largest = times * float(np.abs(one).max())
            if largest >= WORTH:
                step = times * min(1.0, MOST / largest) * one
                steps += [step, -step]
    return steps


def idle(deviations: Array) -> list[int]:
    """Active parameters that the data do not tell from 0: a part of the model may be switched off by them."""
    return [int(k) for k in np.flatnonzero((np.abs(deviations) >= UNTOLD).any(axis=0))]
