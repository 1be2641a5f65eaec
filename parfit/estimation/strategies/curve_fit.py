"""Parameters with which the equations follow the curves through the data: their slopes, or their integrals.

result = curve_fit(env, Request(INTEGRAL))          # thesis, section 3.3; DERIVATIVE is section 3.2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.linear import LinearResult, is_linear, solve_linear
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import CurveProblem, Ending, Evaluation
from parfit.estimation.strategies.search import along_curves
from parfit.estimation.strategies.watching import Minimized, Part, Watch, followed, minimized, unwatched
from parfit.model.calculus.structure import only_initial, without_effect
from parfit.session.environment import Environment
from parfit.simulation.status import Status

DERIVATIVE, INTEGRAL = "derivative", "integral"
WITHIN_BOUNDS = Settings(rtol=1e-10, max_iterations=1000)  # for a linear problem, quickly done


# ---- what is asked for


@dataclass(frozen=True)
class AtOnce:
    """A problem that is linear in the parameters is to be solved at once, whatever their values."""


How = Settings | bounded.Settings | AtOnce


@dataclass(frozen=True)
class Request:
    """Which curves, and how the parameters are found."""

    kind: str = INTEGRAL
    guessed: bool = False  # whether states that were not observed are guessed
    how: How | None = None  # None: at once where that can be, else by the usual search


def usual(env: Environment, linear: bool) -> How:
    """How to find the parameters, unless somebody says otherwise."""
    if env.linear and not linear:
        raise StateError(
            "it was said to be linear, but the problem is not linear in the active parameters",
            "LINEAR 0 takes that back",
        )
    return AtOnce() if linear and env.linear is not False else along_curves(env)


def chosen(env: Environment, how: How | None, linear: bool) -> How:
    """How to find the parameters; only a linear problem can be solved at once."""
    if isinstance(how, AtOnce) and not linear:
        raise StateError("the problem is not linear in the active parameters")
    return usual(env, linear) if how is None else how


def require_seen(env: Environment, guessed: bool) -> None:
    """Refuse active parameters that the slopes of the curves, and of guesses, say nothing about."""
    active, names = env.parameters.active, [*env.curves(), *(env.guesses if guessed else ())]
    initial = only_initial(env.model, active)
    if initial:
        raise StateError(
            f"{', '.join(initial)} occurs only in initial values, of which derivatives say nothing",
            f"FREEZE {' '.join(initial)} first, or use IFIT",
        )
    hidden = without_effect(env.model, active, names)
    if hidden:
        raise StateError(
            f"{', '.join(hidden)} has no effect on the slopes of what was smoothed or guessed",
            f"FREEZE {' '.join(hidden)} first, or guess more (CREOBS)",
        )


def problem_of(env: Environment, request: Request) -> tuple[CurveProblem, bool]:
    """The problem, and whether it is linear."""
    if request.guessed and request.kind == INTEGRAL:
        return iterated_problem(env, INTEGRAL, env.guessed_values())
    names = [*env.curves(), *(env.guessed_values() if request.guessed else ())]
    is_integral = request.kind == INTEGRAL
    problem = env.integral_problem() if is_integral else env.derivative_problem(request.guessed)
    return problem, is_linear(env.model, env.parameters, names, is_integral)


def iterated_problem(env: Environment, kind: str, guessed: Mapping[str, Array]) -> tuple[CurveProblem, bool]:
    """The problem with guesses that are values at the sample times, and whether it is linear."""
    problem = env.quadrature_problem(guessed) if kind == INTEGRAL else env.defect_problem(guessed)
    return problem, is_linear(env.model, env.parameters, [*env.curves(), *guessed], kind == INTEGRAL)


# ---- what is found


@dataclass(frozen=True, eq=False)
class Solved:
    """The solution of a linear problem, with the map of its parameters; perhaps outside their bounds."""

    result: LinearResult
    parameters: ParameterMap

    @property
    def is_outside(self) -> bool:
        return not np.array_equal(self.parameters.project(self.result.p), self.result.p)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters that fit curves; where the problem cannot be computed, those before."""

    env: Environment
    solved: Solved | None = None  # of a linear problem
    search: Minimized | None = None  # of another, or of one whose solution is out of bounds
    failure: Status | None = None

    @property
    def sum_of_squares(self) -> float:
        """Of the curves' own problem."""
        if self.search is not None:
            return self.search.result.evaluation.sum_of_squares
        return np.inf if self.solved is None else self.solved.result.sum_of_squares

    @property
    def details(self) -> list[object]:
        """What is written out."""
        return [each for each in (self.solved if self.search is None else self.search.trace,) if each is not None]


@dataclass(frozen=True, eq=False)
class Result:
    """The parameters, and the full problem at them."""

    env: Environment
    estimate: Estimate
    full: Evaluation | None  # None on a mesh without connection to the observations


# ---- the work


def curve_fit(env: Environment, request: Request, watch: Watch = unwatched) -> Result:
    """Find the parameters; Ctrl-C raises KeyboardInterrupt."""
    if request.kind == DERIVATIVE:
        require_seen(env, request.guessed)
    problem, linear = problem_of(env, request)
    return concluded(estimated(env, problem, chosen(env, request.how, linear), watch))


def estimated(env: Environment, problem: CurveProblem, how: How, watch: Watch = unwatched) -> Estimate:
    """The parameters that fit the curves of a problem."""
    if not isinstance(how, AtOnce):
        return _searched(env, problem, how, watch)
    result = solve_linear(problem, env.parameters.point)
    if not result.evaluation.usable:
        return Estimate(env, failure=result.evaluation.status)
    solved, p = Solved(result, env.parameters), env.parameters.project(result.p)
    new = env.with_values(env.parameters.expand(p))
    if solved.is_outside:
        return replace(_searched(new, problem, WITHIN_BOUNDS, watch, solved), solved=solved)
    return Estimate(new, solved)


def _searched(
    env: Environment,
    problem: CurveProblem,
    settings: Settings | bounded.Settings,
    watch: Watch,
    about: object = None,
) -> Estimate:
    first = problem.evaluate(env.parameters.project(env.parameters.point))
    if not first.usable:
        return Estimate(env, failure=first.status)
    if isinstance(settings, bounded.Settings):
        found = _by_more(Part(env, problem, first, has_lambda=False, loss=settings), settings, watch)
    else:
        part = Part(env, problem, first, about=about)
        found = minimized(part, env.parameters.point, settings.among(problem.spread), env.parameters, watch)
    return Estimate(env.with_values(env.parameters.expand(found.result.p)), search=found)


def _by_more(part: Part, settings: bounded.Settings, watch: Watch) -> Minimized:
    found = followed(part, watch, partial(settings.minimize, part.problem, part.env.parameters))
    if found.result.ending is Ending.INTERRUPTED and not found.is_accepted:
        raise KeyboardInterrupt
    return Minimized(found.result, found.trace, found.is_accepted)


def concluded(estimate: Estimate) -> Result:
    """The environment with the parameters that were found, and the full problem there."""
    if estimate.failure is not None:
        return Result(estimate.env, estimate, None)
    env = estimate.env.with_details(estimate.details)
    if env.samples.uniform:
        return Result(env, estimate, None)
    full = env.problem().evaluate(env.parameters.point)
    if full.trajectory is not None:
        env = env.with_integration(full.trajectory, env.details)
    return Result(env, estimate, full)
