"""What DFIT and IFIT have in common: curves, the search for the parameters, and what is said of a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from parfit.commands.fitting.integ import watching
from parfit.commands.fitting.tolerances import ask_tolerances, auto_or_number
from parfit.errors import CommandError, NumericalError, StateError
from parfit.estimation.optimizers import marquardt
from parfit.estimation.optimizers.linear import CUTOFF, LinearResult, solve_linear
from parfit.estimation.problem import CurveProblem, Ending
from parfit.estimation.strategies.search import typed, usual
from parfit.live.fit import Progress
from parfit.pictures.solution import curves
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import report

LINEAR = "LINEAR"  # the answer that has a linear problem solved at once
LAMBDA = Question(
    "lambda",
    "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE",
    "As for FIT: a starting lambda, AUTO to let the program choose; then the tolerances, both negative to scale. "
    "LINEAR in place of lambda solves a problem that is linear in the parameters at once, whatever their values.",
)
WITHIN_BOUNDS = marquardt.Settings(rtol=1e-10, max_iterations=1000)  # for a linear problem, quickly done
ITERATIONS = 100  # of Marquardt's method on curves, where they cost next to nothing; 25 in 1977
FAILS = "CONTIN crosses such regions; other joints (RESMOOTH) or another guess (CREOBS) may help too"


@dataclass(frozen=True, eq=False)
class Found:
    """Parameters that fit curves, and how well."""

    env: Environment  # with these parameters
    total: float  # the sum of squares of the curves' own problem
    lines: list[str]  # what was written out


# ---- the search


Settings = marquardt.Settings | None  # None: the problem is to be solved as a linear one


def estimate(env: Environment, ask: Dialogue, problem: CurveProblem, settings: Settings) -> Found:
    """Find the parameters that fit the curves."""
    return _solved(env, ask, problem) if settings is None else _searched(env, ask, problem, settings)


def ask_settings(env: Environment, ask: Dialogue, linear: bool) -> Settings:
    """How to find the parameters; a problem that is linear may be solved at once."""
    if env.linear and not linear:
        raise StateError(
            "LINEAR says otherwise, but the problem is not linear in the active parameters; LINEAR 0 takes it back"
        )
    if env.linear:
        return None
    offered = linear and env.linear is None
    default = along_curves(env)
    at_once, lam = ask.one(LAMBDA, partial(_lambda, linear), LINEAR if offered else typed(default.lam))
    return None if at_once else ask_tolerances(ask, env, replace(default, lam=lam))


def along_curves(env: Environment) -> marquardt.Settings:
    """What is offered for a search along curves."""
    return replace(usual(env), relative=marquardt.BOLD_LAMBDA, max_iterations=ITERATIONS)


def _lambda(linear: bool, token: str) -> Answer[tuple[bool, float | None]]:
    """Whether the problem is to be solved at once, and the lambda if not."""
    if len(token) > 2 and LINEAR.startswith(token.upper()):
        if not linear:
            raise CommandError("the problem is not linear in the active parameters; enter a starting lambda")
        return Answer((True, None), LINEAR)
    lam, text = auto_or_number(token)
    return Answer((False, lam), text)


def _solved(env: Environment, ask: Dialogue, problem: CurveProblem) -> Found:
    result = solve_linear(problem, env.parameters.point)
    if not result.evaluation.usable:
        raise NumericalError(f"the problem cannot be computed: {result.evaluation.status}; {FAILS}")
    text = [
        f"LINEAR PROBLEM, SINGULAR VALUES {' '.join(map(report.number, result.singular_values))}",
        f"SINGULAR VALUE REJECTION RATIO IS {report.number(CUTOFF)}, {result.n_rejected} REJECTED",
    ]
    if result.n_rejected:
        text.append(_not_determined(env, result))
    ask.say("\n".join(text))
    p = env.parameters.project(result.p)
    if not np.array_equal(p, result.p):
        ask.say("the solution of the linear problem lies outside the BOUNDS; within them the best is searched for")
        return _searched(env.with_values(env.parameters.expand(p)), ask, problem, WITHIN_BOUNDS)
    return Found(env.with_values(env.parameters.expand(p)), result.sum_of_squares, text)


def _not_determined(env: Environment, result: LinearResult) -> str:
    """Which parameters the curves leave open, and what became of them."""
    map_ = env.parameters
    names = [map_.names[map_.active[k]] for k in result.undetermined]
    alone = len(names) == result.n_rejected
    if alone:
        return f"not determined by the curves: {', '.join(names)}; unchanged"
    which = "a combination" if result.n_rejected == 1 else f"{result.n_rejected} combinations"
    return f"not determined by the curves: {which} of {', '.join(names)}; of all solutions that nearest to the start"


def _searched(env: Environment, ask: Dialogue, problem: CurveProblem, settings: marquardt.Settings) -> Found:
    first = problem.evaluate(env.parameters.project(env.parameters.point))
    if not first.usable:
        raise NumericalError(f"the problem cannot be computed at the starting values: {first.status}; {FAILS}")
    progress = Progress(env, ask.console, first.sum_of_squares)
    limits = settings.among(problem.spread)
    result = marquardt.minimize(
        problem, env.parameters.point, limits, env.parameters, watching(env, problem, progress)
    )
    progress.finish()
    if result.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt
    if result.ending is not Ending.CONVERGED:
        ask.warn(f"STOPPED: {result.ending.value}; give the command again to go on from here")
    found = env.with_values(env.parameters.expand(result.p))
    return Found(found, result.evaluation.sum_of_squares, progress.lines)


# ---- what is said of a result


def conclude(found: Found, ask: Dialogue, title: str) -> Environment:
    """Report the parameters, and look how the full problem fares at them."""
    env = found.env
    ask.report(f"{title}: SUM OF SQUARES {report.number(found.total)}\n{report.parameters(env)}\n")
    env = env.with_details(found.lines)
    if env.samples.uniform:
        ask.say("the sample times have no connection to the observations, so that the full problem was not looked at")
    else:
        env = _full_problem(env, ask)
    ask.say(ask.console.drawn(curves(env, title)))
    return env


def _full_problem(env: Environment, ask: Dialogue) -> Environment:
    at = env.problem().evaluate(env.parameters.point)
    if at.usable:
        ask.report(f"SUM OF SQUARES OF THE FULL PROBLEM THERE {report.number(at.sum_of_squares)}\n")
    else:
        ask.warn(f"the full problem cannot be integrated at these parameters: {at.status}; {FAILS}")
    return env if at.trajectory is None else env.with_integration(at.trajectory, env.details)
