"""The confidence band of the fitted curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parfit.errors import NumericalError
from parfit.estimation.diagnosis.bands import CurveErrors, curve_errors
from parfit.estimation.diagnosis.minimum import standing
from parfit.session.environment import Environment
from parfit.simulation.trajectory import Trajectory

DEFAULT_PERCENTILE = 95


@dataclass(frozen=True)
class Request:
    """The variables, and the probability in per cent with which the band holds a true curve at any one time."""

    names: Sequence[str]
    percentile: float = DEFAULT_PERCENTILE


@dataclass(frozen=True, eq=False)
class Result:
    """The curves at the present parameters, and how well they are known."""

    request: Request
    run: Trajectory
    curves: CurveErrors  # at the sample times
    fine: Trajectory
    drawn: CurveErrors  # at times close enough for a smooth picture
    is_minimum: bool  # at which the linear theory holds


def band(env: Environment, request: Request) -> Result:
    """How well the curves are known; an error where they cannot be integrated or the data say nothing."""
    problem = env.problem()
    with np.errstate(all="ignore"):
        at = problem.evaluate(env.parameters.point)
    if not at.usable:
        raise NumericalError(f"there is no confidence band at these parameters: {at.status}")
    assert at.trajectory is not None
    about = at, env.parameters, problem.observations, request.percentile, list(request.names)
    found = curve_errors(*about)
    if found.lack is not None:
        raise NumericalError(f"there is no confidence band: {found.lack.value}")
    finer = problem.simulator.finer
    fine = at.trajectory if finer is problem.simulator else finer(env.values, sensitivities=True)
    drawn = curve_errors(*about, fine)
    return Result(request, at.trajectory, found, fine, drawn, standing(problem, at).minimal)
