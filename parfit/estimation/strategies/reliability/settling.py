"""The minimum that profiles and bootstraps stand on: who has not fitted is led there."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import NumericalError, StateError
from parfit.estimation.diagnosis.minimum import rounding
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.resampling import are_known, n_free
from parfit.session.environment import Environment


@dataclass(frozen=True, eq=False)
class Settled:
    """An environment at a minimum, with its problem there."""

    env: Environment
    problem: TrajectoryFit
    at: Evaluation

    def require_errors(self) -> None:
        """Refuse where the size of the errors is neither known nor can be estimated."""
        if are_known(self.problem):
            return
        if n_free(self.problem, self.at) <= 0:
            raise StateError(
                "no degrees of freedom are left for estimating the error of the observations",
                "give standard deviations with the data (columns named like y1.sd)",
            )
        if np.sqrt(self.at.sum_of_squares) <= rounding(self.problem.weighted(self.at)):
            raise StateError(
                "the fit is exact but for rounding, so that no error of the observations can be estimated"
            )

    def integrated(self) -> Environment:
        """The environment with a solution, which it may not have yet."""
        if self.env.integrated is not None:
            return self.env
        return self.env.with_integration(self.env.simulator()(self.env.values, sensitivities=True))


def require_fit(env: Environment, what: str) -> None:
    """Refuse where there is nothing to be fitted, or where something else than squares was."""
    env.require("parameters", "observations", "observation times")
    if env.loss:
        raise StateError(
            f"the parameters were fitted with the loss {env.loss}, and {what} are of least squares", "FIT"
        )


def present_total(env: Environment, what: str) -> float:
    """The sum of squares there is."""
    problem = env.problem()
    first = problem.evaluate(problem.parameters.project(problem.parameters.point))
    if not first.usable:
        raise NumericalError(f"there is no {what} at these parameters: {first.status}")
    return first.sum_of_squares


def settled(env: Environment, start: Array | None = None) -> Settled:
    """Go to the minimum that lies below a point, or below the present parameters."""
    problem = env.problem()
    map_ = problem.parameters
    point = map_.project(map_.point) if start is None else start
    found = bounded.minimize(problem, point, bounded.Settings(), map_.active_bounds).unless_interrupted()
    here = problem.evaluate(map_.project(map_.point))
    # Rounding moves nobody: who has fitted stays where the fit has ended.
    if found.evaluation.sum_of_squares < here.sum_of_squares * (1.0 - bounded.Settings().tol):
        env = env.with_values(map_.expand(found.p))
        problem = env.problem()
        here = problem.evaluate(problem.parameters.point)
    return Settled(env, problem, here)
