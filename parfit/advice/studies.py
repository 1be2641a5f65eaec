"""A rule for several experiments that do not share all of their parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parfit.advice.advice import Advice
from parfit.advice.facts import Facts
from parfit.advice.limits import DIFFERENT, LONG
from parfit.advice.short_fit import fitted_total
from parfit.advice.words import few
from parfit.arrays import Array
from parfit.errors import ParfitError
from parfit.estimation.diagnosis.residual_tests import counted
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.language.editing import edit
from parfit.model.naming import experiment_of
from parfit.session.environment import Environment
from parfit.spectrum import Directions, directions


class _Gain(NamedTuple):
    """What a value in each experiment would give: the probability that chance does as much, and a sum of squares."""

    p_value: float
    total: float
    name: str


def local(facts: Facts) -> Advice | None:
    """A parameter whose values differ from experiment to experiment by more than chance would have it."""
    if not facts.minimal or not facts.env.model.parts or facts.standing.exact or facts.env.loss:
        return None
    found = min(_gains(facts), default=None)
    if found is None or found.p_value >= DIFFERENT:
        return None
    command = f"MODEL local {found.name}"
    if facts.left_by(command):
        return None
    total = _fitted(facts.env, command.removeprefix("MODEL "))
    if total is None or not total < facts.at.sum_of_squares:
        return None
    return Advice(
        f"This is a minimum (sum of squares {few(facts.at.sum_of_squares)}), but the experiments do not agree on it: "
        f"with a value of {found.name} of its own in each of them the sum of squares would be {few(total)}, which "
        "chance does not explain.",
        f"If {found.name} may differ from one to the other, say so in the model; UNDO if it may not.",
        command,
    )


def _gains(facts: Facts) -> list[_Gain]:
    """For each parameter that several experiments share, by the linear theory: as far as there are observations."""
    map_, counting, at = facts.env.parameters, counted(facts.data), _plain(facts)
    f, jac = at.residuals[counting], at.jac[counting]
    columns = np.nonzero(facts.data.observed)[1][counting]
    experiments = np.array([experiment_of(facts.data.names[k]) for k in columns])
    now = directions(jac, at.precision)
    found = []
    for j, k in enumerate(map_.active):
        if not experiment_of(map_.names[k]):
            split = np.column_stack([np.delete(jac, j, axis=1), _by_experiment(jac[:, j], experiments)])
            gain = _tested(f, now, directions(split, at.precision), map_.names[k])
            found += [] if gain is None else [gain]
    return found


def _plain(facts: Facts) -> Evaluation:
    """The observations alone, each with what it weighs at the minimum.

    Rows of priors and of noise models belong to no experiment, and a parameter of the errors explains no residual.
    """
    problem, at = facts.problem, facts.at
    if not problem.noise or at.trajectory is None:
        return at
    plain = TrajectoryFit(problem.simulator, problem.parameters, problem.weighted(at))
    return plain.of_run(problem.parameters.point, at.trajectory)


def _by_experiment(column: Array, experiments: NDArray[np.str_]) -> Array:
    """The derivatives by a parameter, a column for each experiment that has any."""
    own = [np.where(experiments == each, column, 0.0) for each in dict.fromkeys(experiments.tolist())]
    return np.column_stack([each for each in own if each.any()] or [np.zeros_like(column)])


def _tested(f: Array, now: Directions, more: Directions, name: str) -> _Gain | None:
    """The test of F for the columns that are more; None where they determine nothing more."""
    from scipy.stats import f as fisher  # late, because it takes long to import

    before, left = (float(f @ f - np.sum(each.explained(f) ** 2)) for each in (now, more))
    extra, free = more.rank - now.rank, f.size - more.rank
    if extra <= 0 or free <= 0 or not left > 0.0:
        return None
    return _Gain(float(fisher.sf((before - left) / extra / (left / free), extra, free)), left, name)


def _fitted(env: Environment, statement: str) -> float | None:
    """The sum of squares that a fit leads to, with the statement in the model; None where it cannot be had."""
    try:
        return fitted_total(env.with_model(edit(env.model, statement, env.folder)).problem(), evaluations=LONG)
    except ParfitError:
        return None
