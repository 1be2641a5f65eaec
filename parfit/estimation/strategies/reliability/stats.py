"""How reliable the present parameters are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import CommandError
from parfit.estimation.diagnosis.study import Study, study
from parfit.estimation.problem import Evaluation
from parfit.session.environment import Environment

PERCENTILE = 95.0


@dataclass(frozen=True)
class Request:
    """The percentile of intervals and regions."""

    percentile: float = PERCENTILE

    def __post_init__(self) -> None:
        problem = refused(self.percentile)
        if problem:
            raise CommandError(f"{self.percentile:g} {problem}")


@dataclass(frozen=True, eq=False)
class Result:
    """The environment with its solution and what was found; `study` is None where the problem has no numbers."""

    env: Environment
    evaluation: Evaluation
    study: Study | None


def refused(percentile: float) -> str | None:
    """Why a percentile will not do, or None."""
    return None if 1.0 <= percentile < 100.0 else "is no percentile; enter one from 1 to 99, or 99.5 or 99.9"


def stats(env: Environment, request: Request, progress: Callable[[float], None] = lambda part: None) -> Result:
    """Study the full problem at the present parameters; `progress` hears what part of the work is done."""
    problem = env.problem()
    with np.errstate(all="ignore"):
        evaluation = problem.evaluate(env.parameters.point)
    assert evaluation.trajectory is not None
    env = env.with_integration(evaluation.trajectory, env.details)
    if not evaluation.usable:
        return Result(env, evaluation, None)
    found = study(problem, evaluation, request.percentile, env.sizes, progress)
    if env.loss:
        found = found.of_robust_fit(found.standing if env.judgement is None else env.judgement.standing)
    return Result(env.with_statistics(found), evaluation, found)
