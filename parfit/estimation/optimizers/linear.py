"""Curve fitting that is linear in its parameters: solved at once, without starting values (thesis, section 3.2).

Whether it is linear is not asked, as the LINEAR command did, but read from the exact derivatives of the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Evaluation, Problem
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.calculus.structure import Structure
from parfit.model.model import Model
from parfit.model.variables import split
from parfit.simulation.pointwise import Initial, Pointwise
from parfit.spectrum import directions

CUTOFF = 1e-5  # SING_CUTOFF: singular values below this, next to the largest, are rejected
FREE = 1e-4  # of a parameter's square: the part in rejected directions from which on it is named
POINTS = 4  # at which linearity is confirmed by numbers
ROUNDING = 1e-9  # next to the terms that were added


@dataclass(frozen=True, eq=False)
class LinearResult:
    """The minimum; along the directions that were rejected the parameters have not moved."""

    p: Array  # (n_active,)
    evaluation: Evaluation  # there
    singular_values: Array  # (n_active,), decreasing, of columns of length 1
    n_rejected: int  # directions that the data do not determine
    undetermined: tuple[int, ...]  # the parameters in them: subscripts of active ones, from 0

    @property
    def sum_of_squares(self) -> float:
        """The sum of squares at the minimum."""
        return self.evaluation.sum_of_squares


def solve_linear(problem: Problem, start: Array) -> LinearResult:
    """The minimum of a linear problem; where it is not unique, that nearest to the start.

    J (p - p0) = -f(p0) by the singular value decomposition (DFIT_CRE), with columns of length 1, so that units do not
    decide what is rejected. Where the problem cannot be evaluated at the start, that is the result.
    """
    p0 = np.array(start, dtype=float)
    at = problem.evaluate(p0)
    if not at.usable:
        return LinearResult(p0, at, np.empty(0), p0.size, tuple(range(p0.size)))
    found = directions(at.jac, CUTOFF)
    p = p0 - found.v[: found.rank].T @ (found.explained(at.residuals) / found.s[: found.rank]) / found.lengths
    free = (found.null**2).sum(axis=0)
    undetermined = tuple(int(k) for k in np.flatnonzero(free > FREE))
    return LinearResult(p, problem.evaluate(p), found.s, p0.size - found.rank, undetermined)


def is_linear(model: Model, parameters: ParameterMap, names: Iterable[str], integral: bool = False) -> bool:
    """Whether derivative (or integral) fitting of these variables is linear in the scaled active parameters.

    `names` are all that have a curve, smoothed or guessed. A scaled parameter makes a problem nonlinear. States that
    have to be integrated leave it linear only if no active parameter moves them.
    """
    if any(parameters.scaling[k] is not Scaling.NONE for k in parameters.active):
        return False
    states, aux = split(model, names)
    active = parameters.active
    if integral:
        whole = Structure(model)
        is_driven = whole.moved(active, whole.reached((*states, *aux), states))
        affine = not is_driven and whole.integral_is_affine(active, aux)
        return affine and _integral_confirmed(model, parameters, aux)
    extended = with_rates(model, aux)
    rows = (*states, *map(rate_name, aux))
    structure = Structure(extended)
    if structure.moved(active, structure.reached(rows, states)):
        return False
    return structure.is_affine(rows, active) and _confirmed(Pointwise(extended, rows, active), model, parameters)


def _integral_confirmed(model: Model, parameters: ParameterMap, aux: Sequence[str]) -> bool:
    active = parameters.active
    for function in (Pointwise(model, model.states, active), Pointwise(model, aux, active, model.states)):
        if not _confirmed(function, model, parameters):
            return False
    initial, (a, b) = Initial(model, active), _two_points(parameters)
    (first, by), (second, _) = initial(a), initial(b)
    return _agree(first, by @ (b - a)[list(active)], second)


def _confirmed(function: Pointwise, model: Model, parameters: ParameterMap) -> bool:
    """Whether values at other parameters, and states where these count, are what the derivatives promise."""
    random = np.random.default_rng(0)
    n = len(model.states)
    t = np.linspace(model.t0, model.t0 + 1.0, POINTS)
    y = 0.1 + 2.0 * random.random((POINTS, n))
    a, b = _two_points(parameters)
    with np.errstate(all="ignore"):
        first, by_p, by_y = function(t, y, a, by_state=True)
        moved = y + 0.1 * random.random(y.shape) if by_y.shape[2] else y
        promised = by_p @ (b - a)[list(parameters.active)]
        if by_y.shape[2]:
            promised += np.einsum("lij,lj->li", by_y, moved - y)
        return _agree(first, promised, function(t, moved, b)[0])


def _two_points(parameters: ParameterMap) -> tuple[Array, Array]:
    """The present parameters, and others."""
    other, k = parameters.full.copy(), list(parameters.active)
    other[k] += (1.0 + np.abs(other[k])) * (0.5 + np.random.default_rng(1).random(len(k)))
    return parameters.full, other


def _agree(first: Array, change: Array, second: Array) -> bool:
    """Whether first + change is second, where these are numbers at all."""
    error, size = np.abs(first + change - second), np.abs(first) + np.abs(change) + np.abs(second)
    return not bool((error > ROUNDING * size).any())
