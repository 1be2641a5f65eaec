"""A continuation: the solution with its jumps at break points, among the curves and the observations."""

from __future__ import annotations

from parfit.arrays import Array
from parfit.estimation.problem import Trial
from parfit.estimation.problems.continuation import ContinuationFit
from parfit.estimation.strategies.watching import Part
from parfit.pictures.series import observed, series_of, smoothed
from parfit.pictures.solution import over_time
from parfit.plotting import Picture, Series
from parfit.session.environment import Environment
from parfit.session.records import Continuation
from parfit.text import report


def continued(env: Environment, settings: Continuation, title: str) -> Picture:
    """The solution at the present parameters, the curves and the observations."""
    problem = env.continuation_problem(settings)
    lines = [*_solution(env, problem, env.parameters.point), *smoothed(env, problem.names)]
    return over_time(env, [*lines, *observed(env)], title)


def continued_trial(part: Part, trial: Trial) -> Picture:
    """The solution at a trial, and the observations."""
    problem = part.problem
    assert isinstance(problem, ContinuationFit)
    title = f"sum of squares {report.number(trial.evaluation.sum_of_squares)}"
    return over_time(part.env, [*_solution(part.env, problem, trial.p), *observed(part.env)], title)


def _solution(env: Environment, problem: ContinuationFit, p: Array) -> list[Series]:
    times, columns, _ = problem.solution(p)
    return [series_of(env, name, "", times, y) for name, y in columns.items()]
