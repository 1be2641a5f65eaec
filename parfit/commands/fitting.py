"""FIT: the parameters at which the solution is nearest to the observations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from parfit import report
from parfit.commands.byhand import optimize_by_hand
from parfit.commands.integrating import direct_problem, simulator_of, steps_of
from parfit.commands.progress import Progress
from parfit.commands.table import command
from parfit.commands.tolerances import ABSOLUTE, RELATIVE, ask_tolerances
from parfit.dialogue import Dialogue
from parfit.environment import Environment
from parfit.errors import NumericalError
from parfit.estimation import marquardt, more
from parfit.estimation.direct import Direct
from parfit.estimation.discretisation import advice, discretisation
from parfit.estimation.optimum import undetermined, unseen
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Result, Trial
from parfit.estimation.standing import standing
from parfit.questions import Item, Question, plain, positive

METHOD = Question(
    "method",
    "CHOOSE METHOD",
    "1: Marquardt's method as in 1977, by itself. 2: step by step, by hand. 3: More's method (MINPACK), or a "
    "trust-region method where there are BOUNDS or a robust loss; it needs no advice.",
    (
        Item(1, "MARQUARDT", "MARQUARDT"),
        Item(2, "INTERACTIVE", "INTERACTIVE"),
        Item(3, "MORE'S METHOD (MINPACK)", "MORE"),
    ),
)
LAMBDA = Question(
    "lambda",
    "ENTER STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE MARQUARDT",
    "Lambda: large for short careful steps, small for bold ones; negative lets the program choose. The tolerances end "
    "the search when the sum of squares F falls by less than RELATIVE * F + ABSOLUTE, or below ABSOLUTE; if both are "
    "negative, the columns of the Jacobian are scaled.",
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
        for k, name in enumerate(more.LOSSES, 1)
    ),
)
LOSS_SCALE = Question("scale of the loss", "ENTER RESIDUAL THAT COUNTS AS LARGE", "Enter a weighted residual.")
REMEDIES = {
    Ending.LIMIT: "FIT again to go on from here",
    Ending.ERRORS: "begin with a larger lambda, or from other values",
    Ending.NO_REDUCTION: "FIT again with another lambda, SCALE parameters, or integrate more accurately (OPTION)",
    Ending.INTERRUPTED: "the best point so far is kept; UNDO goes back",
}
Settings = marquardt.Settings | more.Settings


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
    pauses it, s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    method = ask.choice(METHOD, default="MORE")
    if method.word == "INTERACTIVE":
        return optimize_by_hand(env, ask)
    settings = _marquardt_settings(ask) if method.word == "MARQUARDT" else _more_settings(ask)
    ask.refuse_rest()
    problem, first = _seen_problem(env, ask)
    result, progress = _minimized(env, problem, first, settings, ask)
    lines = progress.lines
    if result.ending is Ending.INTERRUPTED:
        ask.record_as(_so_far(settings, result), [])
        lines = lines if isinstance(settings, more.Settings) else progress.kept  # as when that is played
    new = _adopted(env, problem, result, lines, ask)
    if isinstance(settings, more.Settings) and settings.loss != "linear":
        new = replace(new, loss=settings.loss.upper())
    judge(problem, result, settings, ask, progress.is_accepted)
    check_discretisation(new, ask)
    return new


def _marquardt_settings(ask: Dialogue) -> marquardt.Settings:
    default = marquardt.Settings()
    lam = ask.number(LAMBDA, default.lam)
    rtol, atol = ask_tolerances(ask)
    iterations = ask.whole(ITERATIONS, 0, 100_000, default.max_iterations)
    errors = ask.whole(ERRORS, 1, 1000, default.max_errors)
    return marquardt.Settings.entered(lam, rtol, atol, iterations, errors)


def _more_settings(ask: Dialogue) -> more.Settings:
    default = more.Settings()
    tol = ask.number(TOLERANCE, default.tol, lambda v: None if 1e-15 <= v < 1 else "is not between 1e-15 and 1")
    evaluations = ask.whole(EVALUATIONS, 1, 1_000_000, default.max_evaluations)
    loss = ask.choice(LOSS, default="LINEAR")
    scale = ask.number(LOSS_SCALE, 1.0, positive) if loss.word != "LINEAR" else 1.0
    return more.Settings(tol, evaluations, loss.word.lower(), scale)


def _seen_problem(env: Environment, ask: Dialogue) -> tuple[Direct, float]:
    """The problem in the parameters that the data see, and its first sum; other parameters are named and set aside."""
    problem = direct_problem(env)
    first = problem.evaluate(problem.parameters.project(problem.parameters.start))
    if not first.usable:
        raise NumericalError(
            f"the equations cannot be integrated at the starting values: {first.status}; SET others, or try OPTION"
        )
    names = [env.model.parameters[env.parameters.active[k]] for k in unseen(first)]
    if not names:
        return problem, first.total
    if len(names) == len(env.parameters.active):
        raise NumericalError("no active parameter has any influence on the observations; nothing can be fitted")
    ask.warn(f"the data do not see {', '.join(names)} at these values: set aside, the others are fitted")
    frozen = [env.model.parameters[k] for k in env.parameters.frozen]
    return direct_problem(env.with_frozen([*frozen, *names])), first.total


def _minimized(
    env: Environment, problem: Direct, first: float, settings: Settings, ask: Dialogue
) -> tuple[Result, Progress]:
    map_ = problem.parameters
    with Progress(env, ask.console, first, has_lambda=isinstance(settings, marquardt.Settings)) as progress:
        watch = _watch(env, problem, progress)
        if isinstance(settings, more.Settings):
            result = more.minimize(problem, map_.start, settings, map_.active_bounds, watch)
        else:
            result = marquardt.minimize(problem, map_.start, settings, map_, watch)
    return result, progress


def _so_far(settings: Settings, result: Result) -> str:
    """The command that ends where an interrupted one did, for the journal."""
    if isinstance(settings, more.Settings):
        loss = [] if settings.loss == "linear" else [plain(settings.loss_scale)]
        return " ".join(["FIT MORE", plain(settings.tol), str(result.n_evaluations), settings.loss.upper(), *loss])
    sign = -1 if settings.scaled else 1
    numbers = [plain(value) for value in (settings.lam, sign * settings.rtol, sign * settings.atol)]
    return " ".join(["FIT MARQUARDT", *numbers, str(result.n_iterations), str(settings.max_errors)])


def _watch(env: Environment, problem: Direct, progress: Progress) -> Callable[[Trial], None]:
    """What follows the trials: progress, and the steps of every integration if control parameter 2 wants them."""
    if not env.options.output or env.options.suppressed:
        return progress

    def watch(trial: Trial) -> None:
        values = problem.parameters.expand(trial.p)
        finite = np.isfinite(values).all()
        progress(trial, steps_of(env.with_values(values), problem.simulator) if finite else ())

    return watch


def _adopted(env: Environment, problem: Direct, result: Result, lines: list[str], ask: Dialogue) -> Environment:
    """The environment at the result, and what is to be said of it."""
    new = env.with_values(problem.parameters.expand(result.p))
    run = result.evaluation.trajectory
    assert run is not None
    if run.active != env.parameters.active:  # derivatives by those set aside belong to the solution too
        run = simulator_of(new)(new.values, sensitivities=True)
    new = new.with_integration(run, lines)
    total = report.number(result.evaluation.total)
    work = f"{report.counted(result.n_iterations, 'step')}, {report.counted(result.n_evaluations, 'integration')}"
    ask.report(f"SUM OF SQUARES OF THE RESIDUALS {total} ({work})\n{report.parameters(new)}\n")
    return new


def judge(problem: Direct, result: Result, settings: Settings, ask: Dialogue, is_accepted: bool = False) -> None:
    """Say whether the result is a minimum: optimizers stop elsewhere too, and call it success."""
    map_ = problem.parameters
    found = settings.weighted(result.evaluation) if isinstance(settings, more.Settings) else result.evaluation
    stands = standing(problem, found, result.p)
    if stands.pressed:
        ask.say(f"at a bound: {_names(map_, stands.pressed)}{_at_root(map_, stands.pressed)}")
    if result.ending is not Ending.CONVERGED:
        where = "the point reached is a minimum all the same" if stands.minimal else REMEDIES[result.ending]
        if is_accepted:
            ask.say(f"ACCEPTED: {where}")
        else:
            ask.warn(f"STOPPED: {result.ending.value}; {where}")
    elif stands.minimal:
        ask.say(f"CONVERGED: this is a minimum{_reservation(found)}")
    elif stands.flat:
        ask.warn(
            f"NOT A MINIMUM: the sum of squares is flat, because at the point reached the data do not see "
            f"{_names(map_, stands.flat)}; begin elsewhere, or FREEZE what they cannot see"
        )
    else:
        ask.warn(
            "NOT A MINIMUM: the sum of squares falls too slowly for the tolerances, but by linear theory the "
            f"parameters are {report.number(round(stands.offset, 2))} times the radius of their confidence region "
            "away from one; FIT again with smaller tolerances, SCALE, or begin elsewhere"
        )


def _reservation(found: Evaluation) -> str:
    """What the first derivatives cannot vouch for."""
    n = undetermined(found)
    if n == 0:
        return ", as far as first derivatives tell"
    which, verb = ("a combination", "is") if n == 1 else (f"{n} combinations", "are")
    return f", but {which} of the parameters {verb} not determined by the data; PROBE says which"


def _at_root(map_: ParameterMap, pressed: Iterable[int]) -> str:
    """Where nobody has set a bound, what it is that a parameter cannot pass."""
    bare = [k for k in (map_.active[k] for k in pressed) if np.isinf([map_.lower[k], map_.upper[k]]).all()]
    return f" ({', '.join(map_.names[k] for k in bare)} at 0, which a square root cannot pass)" if bare else ""


def _names(map_: ParameterMap, which: Iterable[int]) -> str:
    return ", ".join(map_.names[map_.active[k]] for k in which)


def check_discretisation(env: Environment, ask: Dialogue) -> None:
    """Warn where the integration's errors are not small next to the residuals (a coarse rule misleads)."""
    assert env.integration is not None
    assert env.observations is not None
    found = advice(discretisation(env.integration.trajectory, env.observations, env.scale))
    if found:
        ask.warn(found)
