"""What DFIT and IFIT ask and tell alike: how the parameters are found, and what is said of a result."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parfit.commands.fitting.tolerances import TOLERANCE, ask_limits, ask_tolerances, auto_or_number
from parfit.errors import CommandError
from parfit.estimation.optimizers import bounded
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
LINEAR, MORE = "LINEAR", "MORE"  # the answers that have a linear problem solved at once, or More's method search
LAMBDA = Question(
    "lambda",
    "ENTER STARTING LAMBDA, RELATIVE AND ABSOLUTE TOLERANCES FOR THE MARQUARDT PROCEDURE",
    "As for FIT: a starting lambda, AUTO to let the program choose; then the tolerances, both negative to scale. "
    "LINEAR in place of lambda solves a problem that is linear in the parameters at once, whatever their values. "
    "MORE searches by More's method, with a tolerance and a limit of evaluations as for FIT: the surest from afar.",
    words=("AUTO", "LINEAR", "MORE"),
)
OF_MORE = replace(TOLERANCE, label="part that may change")  # rounds have another tolerance


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
    how, lam = ask.one(LAMBDA, partial(_lambda, linear), shown)
    if how == MORE:
        return ask_limits(ask, bounded.Settings(), OF_MORE)
    return AtOnce() if how == LINEAR else ask_tolerances(ask, env, replace(default, lam=lam))


def _lambda(linear: bool, token: str) -> Answer[tuple[str, float | None]]:
    """The word for another method than Marquardt's, or else its lambda."""
    word = next((each for each in (LINEAR, MORE) if len(token) > 2 and each.startswith(token.upper())), "")
    if word == LINEAR and not linear:
        raise CommandError("the problem is not linear in the active parameters; enter a starting lambda")
    if word:
        return Answer((word, None), word)
    lam, written = auto_or_number(token)
    return Answer(("", lam), written)


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
