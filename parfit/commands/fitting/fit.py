"""FIT: the parameters at which the solution is nearest to the observations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parfit.commands.fitting.fit_by_hand import optimize_by_hand
from parfit.commands.fitting.integ import watching
from parfit.commands.fitting.judging import tell
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, ask_search
from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.discretisation import discretisation
from parfit.estimation.diagnosis.judgement import hidden_by_switches, judged
from parfit.estimation.diagnosis.minimum import unseen
from parfit.estimation.optimizers import bounded, marquardt
from parfit.estimation.optimizers.optimizer import Optimizer
from parfit.estimation.problem import Ending, Evaluation, Result
from parfit.estimation.problems.trajectory_fit import NotFinite, TrajectoryFit
from parfit.estimation.strategies.search import usual
from parfit.live.fit import Progress
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question, positive
from parfit.text import report
from parfit.text.fit import switched

METHOD = Question(
    "method",
    "CHOOSE METHOD",
    "1: Marquardt's method as in 1977, by itself. 2: step by step, by hand. 3: More's method, as in MINPACK, or a "
    "trust-region method where there are BOUNDS or a robust loss; it needs no advice.",
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
)
ITERATIONS = Question("iterations", "MAXIMUM NUMBER OF ITERATIONS", "Enter how many steps may be taken.")
ERRORS = Question(
    "errors", "MAXIMUM NUMBER OF ERRORS", "Enter how many trials in a row may fail to be integrated before it stops."
)
TOLERANCE = Question(
    "tolerance",
    "ENTER RELATIVE TOLERANCE",
    "Enter a number such as 1e-8: the search ends when neither the sum of squares nor the parameters change by more "
    "than this part of themselves.",
)
EVALUATIONS = Question("integrations", "MAXIMUM NUMBER OF INTEGRATIONS", "Enter how many integrations may be made.")
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
    """Fit the active parameters to the observations by least squares.

    1 MARQUARDT: the method of 1977. 2 INTERACTIVE: one step at a time, by hand. 3 MORE: usually the quickest.
    FREEZE, SCALE, BOUNDS, WEIGHT and OPTION have their say. Ctrl-C ends it at the best point so far; at a terminal p
    pauses it; then s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    method = ask.choice(METHOD, default="MORE")
    if method.word == "INTERACTIVE":
        return optimize_by_hand(env, ask)
    settings = _marquardt_settings(env, ask) if method.word == "MARQUARDT" else _more_settings(ask)
    ask.refuse_rest()
    problem, first = _seen_problem(env, ask)
    result, progress = _minimized(env, problem, first, settings, ask)
    earlier: list[str] = []
    while wider := _wider(env, problem, result, settings, ask):
        earlier += progress.lines
        there, problem, first, left = wider
        before = result
        result, progress = _minimized(there, problem, first, left, ask)
        result = replace(
            result,
            n_iterations=before.n_iterations + result.n_iterations,
            n_evaluations=before.n_evaluations + result.n_evaluations,
        )
    lines = progress.lines
    if result.ending is Ending.INTERRUPTED:
        ask.record_as(" ".join(["FIT", *settings.written(result)]), [])
        lines = lines if settings.counts_trials else progress.kept  # as when that is played
    new = _adopted(env, problem, result, [*earlier, *lines], ask)
    new = new.with_loss(settings.robust.upper())
    assert new.integration is not None
    check = discretisation(new.integration.trajectory, problem.observations, env.sizes)
    judgement = judged(problem, result, settings, hidden_by_switches(env.problem()))
    tell(ask, judgement, check, progress.is_accepted)
    return new.with_fit(settings.written(result)[0].lower(), result, judgement)


def _marquardt_settings(env: Environment, ask: Dialogue) -> marquardt.Settings:
    found = ask_search(ask, env, LAMBDA, usual(env))
    iterations = ask.whole(ITERATIONS, 0, 100_000, found.max_iterations)
    errors = ask.whole(ERRORS, 1, 1000, found.max_errors)
    return replace(found, max_iterations=iterations, max_errors=errors)


def _more_settings(ask: Dialogue) -> bounded.Settings:
    default = bounded.Settings()
    tol = ask.number(TOLERANCE, default.tol, lambda v: None if 1e-15 <= v < 1 else "is not between 1e-15 and 1")
    evaluations = ask.whole(EVALUATIONS, 1, 1_000_000, default.max_evaluations)
    loss = ask.choice(LOSS, default="LINEAR")
    scale = ask.number(LOSS_SCALE, 1.0, _sensible) if loss.word != "LINEAR" else 1.0
    return bounded.Settings(tol, evaluations, loss.word.lower(), scale)


def _sensible(scale: float) -> str | None:
    """Why a scale of a loss cannot be used: its square must be a number, and that of residuals next to it."""
    return positive(scale) or (None if 1.0 / bounded.LARGEST_SCALE <= scale <= bounded.LARGEST_SCALE else OUT_OF_RANGE)


def _why_unusable(first: Evaluation) -> str:
    """Why no fit can begin, and what to do: the equations may fail, or only what is compared with the data."""
    if not isinstance(first.status, NotFinite):
        return f"the equations cannot be integrated at the starting values: {first.status}; SET others, or try OPTION"
    is_sum = first.status.state is None
    remedy = "data or weights are too large, so give them in other units" if is_sum else "SET others"
    return f"the equations can be integrated at the starting values, but {first.status}; {remedy}"


def _seen_problem(env: Environment, ask: Dialogue) -> tuple[TrajectoryFit, float]:
    """The problem in the parameters that the data see, and its first sum; other parameters are named and set aside."""
    problem = env.problem()
    first = problem.evaluate(problem.parameters.project(problem.parameters.point))
    if not first.usable:
        raise NumericalError(_why_unusable(first))
    names, hidden = (
        [env.model.parameters[env.parameters.active[k]] for k in unseen(first)],
        hidden_by_switches(problem),
    )
    if not names:
        return problem, first.sum_of_squares
    if len(names) == len(env.parameters.active):
        if hidden:
            raise NumericalError(f"nothing can be fitted: {switched(hidden)}; SCAN {next(iter(hidden))} tries values")
        raise NumericalError("no active parameter has any influence on the observations; nothing can be fitted")
    aside = [name for name in names if name not in hidden]
    if aside:
        ask.warn(f"the data do not see {', '.join(aside)} at these values: set aside, the others are fitted")
    if hidden:
        ask.warn(f"{switched(hidden)}: the others are fitted")
    return _without(env, names), first.sum_of_squares


def _without(env: Environment, names: Iterable[str]) -> TrajectoryFit:
    """The problem with some parameters set aside."""
    return env.with_frozen([*(env.model.parameters[k] for k in env.parameters.frozen), *names]).problem()


def _wider(
    env: Environment, problem: TrajectoryFit, result: Result, settings: Optimizer, ask: Dialogue
) -> tuple[Environment, TrajectoryFit, float, Optimizer] | None:
    """The problem with parameters that were set aside at the start, but are seen where the fit has ended."""
    left = settings.after(result)
    if problem.parameters.active == env.parameters.active or result.ending is Ending.INTERRUPTED or left is None:
        return None
    there = env.with_values(problem.parameters.expand(result.p))
    whole = there.problem()
    at = whole.evaluate(whole.parameters.project(whole.parameters.point))
    if not at.usable:
        return None
    wider = _without(there, [env.model.parameters[env.parameters.active[k]] for k in unseen(at)])
    new = [env.model.parameters[k] for k in wider.parameters.active if k not in problem.parameters.active]
    if not new:
        return None
    ask.warn(f"where that has ended, the data see {', '.join(new)}: fitted as well")
    return there, wider, at.sum_of_squares, left


def _minimized(
    env: Environment, problem: TrajectoryFit, first: float, settings: Optimizer, ask: Dialogue
) -> tuple[Result, Progress]:
    with Progress(env, ask.console, first, settings.has_lambda) as progress:
        result = settings.minimize(problem, problem.parameters, watching(env, problem, progress))
    return result, progress


def _adopted(env: Environment, problem: TrajectoryFit, result: Result, lines: list[str], ask: Dialogue) -> Environment:
    """The environment at the result, and what is to be said of it."""
    new = env.with_values(problem.parameters.expand(result.p))
    run = result.evaluation.trajectory
    assert run is not None
    if run.active != env.parameters.active:  # derivatives by those set aside belong to the solution too
        run = new.simulator()(new.values, sensitivities=True)
    new = new.with_integration(run, lines)
    total = report.number(result.evaluation.sum_of_squares)
    work = f"{report.counted(result.n_iterations, 'step')}, {report.counted(result.n_evaluations, 'integration')}"
    ask.report(f"SUM OF SQUARES OF THE RESIDUALS {total} ({work})\n{report.parameters(new)}\n")
    return new
