"""CONTIN: from integral fitting to the full problem by continuation, with break points (thesis, section 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from parfit import interrupts
from parfit.arrays import Array
from parfit.commands.curves.curvefitting import ITERATIONS, along_curves
from parfit.commands.fitting.contin_line import read_line, remedies
from parfit.commands.fitting.contin_settings import (
    ALPHA,
    BREAKS,
    GAMMA,
    LAMBDA,
    NUMBER,
    WEIGHTS,
    Request,
    ask_all,
    offered,
    written,
)
from parfit.commands.fitting.integ import watching
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, entered
from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.optimizers import marquardt
from parfit.estimation.problem import Ending, Evaluation, Trial
from parfit.estimation.problems.continuation import ContinuationFit, Steps
from parfit.live.bar import Parts
from parfit.live.fit import Progress
from parfit.pictures.series import observed, series_of, smoothed
from parfit.pictures.solution import over_time
from parfit.plotting import Picture, Series
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.session.records import Continuation
from parfit.simulation.status import Status
from parfit.text import report

ERRORS = 10  # trials in a row that cannot be integrated: more than the 3 of FIT, for here they are to be expected
LINE = Question("line", "VALUES OF GAMMA AND OTHER SETTINGS", "HELP CONTIN says how they are written.")


@dataclass(frozen=True, eq=False)
class Fitted:
    """A value of gamma, the parameters found with it, and the full problem at them."""

    gamma: float
    env: Environment
    total: float
    lines: list[str]  # what was written out
    full: Evaluation | None  # None on a mesh without connection to the observations
    limit: int | None  # of its steps, if there was one, or if somebody accepted what had been reached after so many
    is_accepted: bool

    @property
    def integrable(self) -> bool:
        """Whether FIT can go on from there."""
        return self.full is not None and self.full.usable


@dataclass(frozen=True)
class Failure:
    """Why the equations could not be integrated with a value of gamma."""

    status: Status
    ending: Ending


@command(
    "CONTIN",
    "computing",
    (NUMBER, BREAKS, GAMMA, ALPHA, WEIGHTS, LAMBDA, RELATIVE, ABSOLUTE),
    ("CONTIN .2 BREAKS 4 8 14 22", "CONTIN .5", "CONTIN 1 BREAKS ALL ALPHA 0 WEIGHTS 1", "CONTIN .2 .5 .8 1 STOP"),
    ("parameters", "observations", "smoothing"),
)
def contin(env: Environment, ask: Dialogue) -> Environment:
    """Fit by continuation and break points, where the full problem cannot be integrated: a start for FIT.

    The equations see (1-gamma) s + gamma y, where s are the smoothed observations: gamma 0 is IFIT 1, gamma 1 the
    full problem. At break points the solution begins anew from alpha y + (1-alpha) s. Settings are remembered, and a
    curve weighs like its observations (WEIGHT).
    Alone it asks for everything. On one line come values of gamma, then, where they are to change:
    BREAKS: whole numbers are subscripts of sample times, numbers with a point are times; or ALL, or NONE.
    ALPHA: a number for each state, or one for all observed ones. WEIGHTS: one for each break point, or for all.
    LAMBDA: starting lambda, relative and absolute tolerance, AUTO for the program's choice. STOP: go no further once
    the full problem can be integrated. ONLY: so many steps at most with the last value of gamma. Several values are
    taken in turn; where one fails, smaller steps are tried. Ctrl-C keeps what the values before the present one gave.
    At a terminal p pauses it; then s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    old = offered(env)
    if env.continuation is not None and len(old.breaks) < len(env.continuation.breaks):
        ask.say("break points that are no longer sample times were left out")
    request = read_line(ask.text(LINE), env, old) if ask.is_one_line else ask_all(ask, env, old)
    ask.refuse_rest()
    if request.stop:
        env.require("observation times")
    done = _swept(env, ask, request)
    ask.record_as(written(env, [each.gamma for each in done], request.settings, done[-1].limit), [])
    return _concluded(env, ask, request.settings, done)


# ---- the search


def _swept(env: Environment, ask: Dialogue, request: Request) -> list[Fitted]:
    """The values of gamma in turn, with smaller steps where one fails; those that were reached."""
    last = None if env.continuation is None else env.continuation.gamma
    steps = Steps(request.gammas, last if last is not None and last < request.gammas[0] else 0.0)
    done, stepping = list[Fitted](), len(request.gammas) > 1
    parts, begun, end = Parts("CONTIN"), steps.reached, request.gammas[-1]
    while (gamma := steps.value) is not None:
        settings, limit = replace(request.settings, gamma=gamma), request.steps if gamma == end else None
        parts.fraction = (steps.reached - begun) / (end - begun) if end > begun else 0.0
        progress = partial(Progress, parts=parts if stepping else None)
        try:
            alone = None if stepping else steps.reached
            found = _fitted(done[-1].env if done else env, ask, settings, alone, limit, progress)
        except KeyboardInterrupt:
            if not done:
                raise
            interrupts.answered()
            ask.warn(f"interrupted; what was found with gamma up to {report.number(done[-1].gamma)} is kept")
            break
        if isinstance(found, Fitted):
            steps.succeed()
            done.append(found)
            if found.is_accepted or (request.stop and found.integrable):
                break
            continue
        steps.fail()
        following = steps.value if stepping else None
        text = _failure_text(found, gamma, following, remedies(env, settings, steps.reached, found.status))
        if following is None and not done:
            raise NumericalError(text)
        (ask.warn if following is None else ask.say)(text)
    return done


def _failure_text(failure: Failure, gamma: float, following: float | None, advice: str) -> str:
    """What went wrong, and what is done about it: the value that follows, or what the user can do."""
    text = f"gamma {report.number(gamma)}: {failure.ending.value}: {failure.status}"
    return f"{text}; {advice}" if following is None else f"{text}; now {report.number(following)}"


def _fitted(
    env: Environment,
    ask: Dialogue,
    settings: Continuation,
    alone: float | None,
    limit: int | None,
    progress_of: Callable[..., Progress],
) -> Fitted | Failure:
    """One value of gamma; unless it is the only one, with the gamma before it, trials that fail make it a failure."""
    problem, start = env.continuation_problem(settings), env.parameters.project(env.parameters.point)
    ask.say(f"\n{_described(settings)}")
    first = problem.evaluate(start)
    if not first.usable:
        return Failure(first.status, Ending.START)
    progress = progress_of(env, ask.console, first.sum_of_squares, figure=partial(_moving, env, problem))
    failures = list[Status]()

    follow = watching(env, problem, progress)

    def watch(trial: Trial) -> None:
        follow(trial)
        if not trial.evaluation.usable:
            failures.append(trial.evaluation.status)

    limits = replace(along_curves(env), max_iterations=limit or ITERATIONS, max_errors=ERRORS)
    limits = entered(env, limits, settings.lam, settings.rtol, settings.atol).among(problem.spread)
    with progress:
        result = marquardt.minimize(problem, start, limits, env.parameters, watch)
    accepted = progress.is_accepted and result.n_iterations > 0
    if result.ending is Ending.INTERRUPTED and not accepted:
        raise KeyboardInterrupt
    if result.ending is Ending.ERRORS and alone is None:
        return Failure(failures[-1], result.ending)
    if result.ending is Ending.ERRORS:
        advice = remedies(env, settings, alone or 0.0, failures[-1])
        ask.warn(f"STOPPED: {result.ending.value}: {failures[-1]}; {advice}")
    elif accepted:
        ask.say(f"ACCEPTED after {report.counted(result.n_iterations, 'step')}; UNDO goes back")
    elif result.ending is not Ending.CONVERGED:
        ask.warn(f"STOPPED: {result.ending.value}; give the command again to go on from here")
    new = env.with_values(env.parameters.expand(result.p))
    full = None if env.samples.uniform else new.problem().evaluate(new.parameters.point)
    lines = [_described(settings), *(progress.kept if accepted else progress.lines)]
    limit = result.n_iterations if accepted else limit
    return Fitted(settings.gamma, new, result.evaluation.sum_of_squares, lines, full, limit, accepted)


# ---- what is said of it


def _moving(env: Environment, problem: ContinuationFit, trial: Trial) -> Picture:
    """The solution at a trial, with its jumps, and the observations."""
    title = f"sum of squares {report.number(trial.evaluation.sum_of_squares)}"
    return over_time(env, [*_solution(env, problem, trial.p), *observed(env)], title)


def _solution(env: Environment, problem: ContinuationFit, p: Array) -> list[Series]:
    times, columns, _ = problem.solution(p)
    return [series_of(env, name, "", times, y) for name, y in columns.items()]


def _described(settings: Continuation) -> str:
    """Gamma and the break points on one line."""
    text = f"CONTINUATION PARAMETER {report.number(settings.gamma)}, "
    if not settings.breaks:
        return f"{text}NO BREAK POINTS"
    parts = [" ".join(map(report.number, each)) for each in (settings.breaks, settings.alpha, settings.weights)]
    return "{}BREAK POINTS AT {}, ALPHA {}, WEIGHTS {}".format(text, *parts)


def _concluded(env: Environment, ask: Dialogue, settings: Continuation, done: Sequence[Fitted]) -> Environment:
    """Report the result, and go on from there."""
    last = done[-1]
    settings = replace(settings, gamma=last.gamma)
    title = f"CONTIN, GAMMA {report.number(last.gamma)}"
    if len(done) > 1:
        ask.report(f"{_table(env, done)}\n")
    ask.report(f"{title}: SUM OF SQUARES {report.number(last.total)}\n{report.parameters(last.env)}\n")
    new = last.env.with_continuation(settings)
    details = tuple(line for each in done for line in each.lines)
    new = new.with_details(details)
    if last.full is None:
        ask.say("the sample times have no connection to the observations, so that the full problem was not looked at")
    else:
        _say_of_full_problem(ask, last.full)
        if last.full.trajectory is not None:
            new = new.with_integration(last.full.trajectory, details)
    _draw(new, ask, settings, title)
    return new


def _say_of_full_problem(ask: Dialogue, full: Evaluation) -> None:
    if full.usable:
        ask.report(f"SUM OF SQUARES OF THE FULL PROBLEM THERE {report.number(full.sum_of_squares)}\n")
        ask.say("the full problem can be integrated: FIT goes on from here")
    else:
        ask.warn(
            f"the full problem cannot be integrated at these parameters: {full.status}; "
            "go on with another gamma or other break points"
        )


def _table(env: Environment, done: Sequence[Fitted]) -> str:
    """As Table 3.5.1: the values of gamma, the parameters, and whether the full problem can be integrated."""
    cells = [
        [report.number(each.gamma) for each in done],
        *([report.number(each.env.values[k]) for each in done] for k in range(len(env.values))),
        [report.number(each.total) for each in done],
        ["" if each.full is None else _sum(each.full) for each in done],
    ]
    return report.columns(["gamma", *env.model.parameters, "sum of squares", "full problem"], cells)


def _sum(full: Evaluation) -> str:
    return report.number(full.sum_of_squares) if full.usable else "unstable"


def _draw(env: Environment, ask: Dialogue, settings: Continuation, title: str) -> None:
    """The solution with its jumps, the curves and the observations."""
    problem = env.continuation_problem(settings)
    series = [*_solution(env, problem, env.parameters.point), *smoothed(env, problem.names), *observed(env)]
    ask.say(ask.console.drawn(over_time(env, series, title)))
