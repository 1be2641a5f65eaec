"""The Levenberg-Marquardt method as More has it (1978): steps within a trust region in scaled parameters.

J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630, pages
105-116; with the constants of MINPACK's lmder, so that it goes the same way. A point where the problem has no solution
is a step rejected.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parfit.arrays import Array
from parfit.estimation.problem import Evaluation
from parfit.kernel.linearized import Linearized

FACTOR = 100.0  # of the scaled length of the start, for the first radius
ORTHOGONAL = 1e-15  # cosine between residuals and columns of the Jacobian below which there is nothing to gain
EPSILON = float(np.finfo(float).eps)  # a tolerance below it could never be met
ENOUGH = 1e-4  # of the expected reduction, for a step to be taken
POOR, GOOD = 0.25, 0.75  # parts of the expected reduction that make the region smaller, or larger
SHORTEST = 0.1  # the most that it shrinks at once


@dataclass
class TrustRegion:
    """Where steps may lead, by their scaled length, and the Levenberg-Marquardt parameter of the last one."""

    radius: float
    par: float = 0.0

    def adapt(self, ratio: float, reduction: float, slope: float, length: float) -> None:
        """After a step: by the part of the expected reduction that was had, and the slope along the step."""
        if ratio <= POOR:
            part = 0.5 if reduction >= 0.0 else max(SHORTEST, 0.5 * slope / (slope + 0.5 * reduction))
            self.radius = part * min(self.radius, length / SHORTEST)
            self.par /= part
        elif self.par == 0.0 or ratio >= GOOD:
            self.radius = 2.0 * length
            self.par *= 0.5


def converge(
    evaluate: Callable[[Array], Evaluation], p: Array, found: Evaluation, tol: float, goes_on: Callable[[], bool]
) -> bool:
    """Go down from p, with what was found there; False if it may not go on before it has converged.

    It has if the reduction that was had and the one that was expected are within the tolerance, relative to the sum of
    squares, or the region is, relative to the parameters.
    """
    near = Linearized(*found.jac.shape)
    near.load(np.ascontiguousarray(found.jac), found.residuals)
    norm, tol, is_first = near.scaled_norm(p), max(tol, EPSILON), True
    region = TrustRegion(FACTOR * norm or FACTOR)
    while near.steepest > ORTHOGONAL * math.sqrt(found.sum_of_squares):
        step, region.par, length, jac_step_norm = near.step(region.radius, region.par)
        if is_first:
            region.radius = min(region.radius, length)
        trial_p = p + step
        trial = evaluate(trial_p)
        linear_part = jac_step_norm * jac_step_norm / found.sum_of_squares
        damping_part = region.par * length * length / found.sum_of_squares
        expected = linear_part + 2.0 * damping_part
        reduction = 1.0 - trial.sum_of_squares / found.sum_of_squares if trial.usable else -math.inf
        ratio = reduction / expected if expected > 0.0 else 0.0
        region.adapt(ratio, reduction, -(linear_part + damping_part), length)
        if ratio >= ENOUGH:
            p, found, norm, is_first = trial_p, trial, near.scaled_norm(trial_p), False
        if (abs(reduction) <= tol and expected <= tol and ratio <= 2.0) or region.radius <= tol * norm:
            return True
        if not goes_on():
            return False
        if found is trial:
            near.load(np.ascontiguousarray(found.jac), found.residuals)
    return True
