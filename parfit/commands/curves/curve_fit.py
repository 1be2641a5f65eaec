"""What DFIT and IFIT ask and tell alike: how the parameters are found, and what is said of a result."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parfit.commands.fitting.tolerances import ask_tolerances, auto_or_number
from parfit.errors import CommandError
from parfit.estimation.problem import Evaluation
from parfit.estimation.strategies import curve_fit as strategy
from parfit.estimation.strategies.curve_fit import AtOnce, Estimate, How, Request, Result, problem_of, usual
from parfit.estimation.strategies.search import along_curves, typed
from parfit.live.following import Following
from parfit.pictures.automatic import automatic
from parfit.pictures.solution import curves
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import curve_fit as text
from parfit.text import report

ALSO_BELOW = 3  # lines on the full problem and on what was assumed
LINEAR = "LINEAR"  # the answer that has a linear problem solved at once
LAMBDA = Question(
    "lambda",
    "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE",
    "As for FIT: a starting lambda, AUTO to let the program choose; then the tolerances, both negative to scale. "
    "LINEAR in place of lambda solves a problem that is linear in the parameters at once, whatever their values.",
    words=("AUTO", "LINEAR"),
)


def fit_curves(env: Environment, ask: Dialogue, request: Request, title: str) -> Environment:
    """Ask how, do it, and tell."""
    how = ask_how(env, ask, problem_of(env, request)[1])
    ask.refuse_rest()
    result = strategy.curve_fit(env, replace(request, how=how), following(ask))
    tell_estimate(result.estimate, ask)
    conclude(result, ask, title)
    return result.env


def following(ask: Dialogue) -> Following:
    """Who watches a search along curves; it is soon over, and has no keys."""
    return Following(ask.console, has_keys=False)


# ---- how


def ask_how(env: Environment, ask: Dialogue, linear: bool) -> How:
    """How to find the parameters; a problem that is linear may be solved at once."""
    offered = usual(env, linear)
    if env.linear:
        return offered
    default = along_curves(env)
    shown = LINEAR if isinstance(offered, AtOnce) else typed(default.lam)
    at_once, lam = ask.one(LAMBDA, partial(_lambda, linear), shown)
    return AtOnce() if at_once else ask_tolerances(ask, env, replace(default, lam=lam))


def _lambda(linear: bool, token: str) -> Answer[tuple[bool, float | None]]:
    """Whether the problem is to be solved at once, and the lambda if not."""
    if len(token) > 2 and LINEAR.startswith(token.upper()):
        if not linear:
            raise CommandError("the problem is not linear in the active parameters; enter a starting lambda")
        return Answer((True, None), LINEAR)
    lam, written = auto_or_number(token)
    return Answer((False, lam), written)


# ---- what is said


def tell_estimate(estimate: Estimate, ask: Dialogue) -> None:
    """How the parameters were found."""
    if estimate.failure is not None:
        raise text.failure(estimate.failure)
    if estimate.solved is not None and estimate.search is None:
        ask.say(text.solved(estimate.solved))
    if text.stopped(estimate):
        ask.warn(text.stopped(estimate))


def conclude(result: Result, ask: Dialogue, title: str) -> None:
    """Show the curves; below them the parameters, which stay in sight, and how the full problem fares at them."""
    found = text.result_text(result.env, result.estimate, title)
    ask.show(automatic(result.env, curves(result.env, title)), below=found.count("\n") + ALSO_BELOW)
    ask.report(found)
    tell_full_problem(result.full, ask, text.FAILS)


def tell_full_problem(full: Evaluation | None, ask: Dialogue, remedy: str) -> None:
    """How the full problem fares at parameters that were found without it; `remedy` helps where it cannot be had."""
    if full is None:
        ask.say("the sample times have no connection to the observations, so that the full problem was not looked at")
    elif full.usable:
        ask.report(f"SUM OF SQUARES OF THE FULL PROBLEM THERE {report.number(full.sum_of_squares)}\n")
    else:
        ask.warn(f"the full problem cannot be integrated at these parameters: {full.status}; {remedy}")
