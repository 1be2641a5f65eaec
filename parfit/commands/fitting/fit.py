"""FIT: the parameters at which the solution is nearest to the observations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from parfit.commands.fitting.judging import kept, tell
from parfit.commands.fitting.tolerances import ABSOLUTE, EVALUATIONS, RELATIVE, TOLERANCE, ask_limits, ask_search
from parfit.commands.table import command
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.problem import Ending
from parfit.estimation.strategies import fit as strategy
from parfit.estimation.strategies.search import usual
from parfit.estimation.strategies.watching import Follower, Part, Watch
from parfit.live.following import Following
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question, positive
from parfit.text import fit as text

METHOD = Question(
    "method",
    "CHOOSE METHOD",
    "1: Marquardt's method as in 1977, by itself. 2: step by step, by hand. 3: More's method, as in MINPACK, but "
    "within BOUNDS and with robust losses too; it needs no advice.",
    (
        Item(1, "MARQUARDT", "MARQUARDT"),
        Item(2, "INTERACTIVE", "INTERACTIVE"),
        Item(3, "MORE'S METHOD", "MORE"),
    ),
)
LAMBDA = Question(
    "lambda",
    "ENTER STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE MARQUARDT",
    "Lambda: large for short careful steps, small for bold ones. AUTO, or a negative number, lets the program choose: "
    ".01, with every parameter measured by its influence on the residuals, so that units do not matter; a number "
    "that is typed is added to J'J as it is, as in 1977. The tolerances end the search when the sum of squares F "
    "falls by less than RELATIVE * F + ABSOLUTE, or below ABSOLUTE; if both are negative, the columns of the Jacobian "
    "are scaled.",
    words=("AUTO",),
)
ITERATIONS = Question("iterations", "MAXIMUM NUMBER OF ITERATIONS", "Enter how many steps may be taken.")
ERRORS = Question(
    "errors", "MAXIMUM NUMBER OF ERRORS", "Enter how many trials in a row may fail to be integrated before it stops."
)
LOSS = Question(
    "loss",
    "ENTER LOSS FUNCTION",
    "LINEAR: least squares. The others let residuals that are larger than a scale count less, against outliers.",
    tuple(
        Item(k, "LINEAR (LEAST SQUARES)" if name == "linear" else name.upper(), name.upper())
        for k, name in enumerate(bounded.LOSSES, 1)
    ),
)
LOSS_SCALE = Question("scale of the loss", "ENTER RESIDUAL THAT COUNTS AS LARGE", "Enter a weighted residual.")


OUT_OF_RANGE = f"is not between {1.0 / bounded.LARGEST_SCALE:g} and {bounded.LARGEST_SCALE:g}"


@command(
    "FIT",
    "computing",
    (METHOD, LAMBDA, RELATIVE, ABSOLUTE, ITERATIONS, ERRORS, TOLERANCE, EVALUATIONS, LOSS, LOSS_SCALE),
    ("FIT MORE", "FIT 1 .01 1e-6 1e-6", "FIT MARQUARDT -1 -1e-6 -1e-6 100", "FIT INTERACTIVE", "FIT 3 1e-8 500 HUBER"),
    ("parameters", "observations", "observation times"),
)
def fit(env: Environment, ask: Dialogue) -> Environment:
    """Fit the active parameters to the observations by least squares, or by the likelihood that NOISE describes.

    1 MARQUARDT: the method of 1977. 2 INTERACTIVE: one step at a time, by hand. 3 MORE: usually the quickest.
    FREEZE, SCALE, BOUNDS, WEIGHT, NOISE, PRIOR and OPTION have their say. Given again, it offers the last answers.
    Ctrl-C ends it at the best point so far; at a terminal p pauses it; then s makes a step, a accepts what was reached
    and q stops, with nothing changed.
    """
    method = ask.choice(METHOD, default="MORE")
    if method.word == "INTERACTIVE":
        from parfit.commands.fitting.fit_by_hand import optimize_by_hand  # it draws, for which others need not wait

        return optimize_by_hand(env, ask)
    settings = _marquardt_settings(env, ask) if method.word == "MARQUARDT" else _more_settings(env, ask)
    ask.refuse_rest()
    request = strategy.Request(settings)
    try:
        found = strategy.fit(env.with_search(settings), request, _watch(ask))
    except strategy.StartError as error:
        raise text.refusal(error) from error
    if found.reached.ending is Ending.INTERRUPTED:
        ask.record_as(request.written(found.reached), [])
    with kept(ask):
        ask.report(text.result(found))
        tell(ask, found.judgement, found.accuracy, found.is_accepted)
    return found.env


def _watch(ask: Dialogue) -> Watch:
    """Every search is shown, and what it leaves out is said before."""
    following = Following(ask.console)

    @contextmanager
    def watch(part: Part) -> Iterator[Follower]:
        if isinstance(part.about, strategy.Stage):
            for said in text.stage(part.about):
                ask.warn(said)
        with following(part) as follower:
            yield follower

    return watch


def _is_asked(ask: Dialogue) -> bool:
    """Whether somebody sees what is offered: the last answers are, but a line means the same whatever was before."""
    return ask.source.interactive and not ask.is_one_line


def _marquardt_settings(env: Environment, ask: Dialogue) -> marquardt.Settings:
    last = env.results.marquardt if _is_asked(ask) else None
    found = ask_search(ask, env, LAMBDA, last or usual(env))
    iterations = ask.whole(ITERATIONS, 0, 100_000, found.max_iterations)
    errors = ask.whole(ERRORS, 1, 1000, found.max_errors)
    return replace(found, max_iterations=iterations, max_errors=errors)


def _more_settings(env: Environment, ask: Dialogue) -> bounded.Settings:
    last = env.results.more if _is_asked(ask) else None
    default = last or bounded.Settings()
    found = ask_limits(ask, default)
    loss = ask.choice(LOSS, default=default.loss.upper())
    scale = ask.number(LOSS_SCALE, default.loss_scale, _sensible) if loss.word != "LINEAR" else 1.0
    return replace(found, loss=loss.word.lower(), loss_scale=scale)


def _sensible(scale: float) -> str | None:
    """Why a scale of a loss cannot be used: its square must be a number, and that of residuals next to it."""
    return positive(scale) or (None if 1.0 / bounded.LARGEST_SCALE <= scale <= bounded.LARGEST_SCALE else OUT_OF_RANGE)
