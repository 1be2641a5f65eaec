"""SHOOT: a fit by multiple shooting, for starting values from which the solution goes astray."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.commands.fitting.fit import ITERATIONS
from parfit.commands.fitting.judging import kept, tell
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, ask_search
from parfit.commands.passing_over import tell_of_noise
from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.estimation.problem import Ending
from parfit.estimation.problems.restarting import restarts_at
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies import shoot as strategy
from parfit.estimation.strategies.breakpoints import chosen_times, possible_times
from parfit.estimation.strategies.shoot import Request, Result, usual
from parfit.live.following import Following
from parfit.model.textfile import integer
from parfit.pictures.shooting import with_gaps
from parfit.session import questions
from parfit.session.answering import END
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import report, shooting

AUTO, ONLY = "AUTO", "ONLY"
BREAKS = Question(
    "break points",
    "ENTER BREAK POINTS: SUBSCRIPTS OF OBSERVATION TIMES, OR TIMES WITH A POINT\n0 TO END",
    "At a break point the observed states begin anew at values of their own. 3 is the third observation time, 3. the "
    "time 3 or the observation time next to it. AUTO chooses the times where the solution leaves the data; 0 alone "
    "means none. Not at the initial time, nor at the last one.",
    words=("AUTO",),
)
LAMBDA = Question(
    "lambda",
    "ENTER RELATIVE STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE",
    "Lambda is relative to the Jacobian: .01 if the problem is well conditioned, else larger; AUTO measures every "
    "parameter by its own influence, so that units do not matter. The tolerances are "
    "those of the full problem, as for FIT; the problems with break points have looser ones. If both are negative, "
    "the columns of the Jacobian are scaled.",
    words=("AUTO",),
)
STEPS = Question(
    "steps in all",
    "MAXIMUM NUMBER OF ITERATIONS OF ALL PROBLEMS TOGETHER",
    "At the end of the command's line, ONLY 37 ends it after 37 steps, at whatever problem it is then.",
    words=("ONLY",),
)
Shown = tuple[float, float | None]  # a break point, and the time that was entered for it if it was another


@command(
    "SHOOT",
    "computing",
    (BREAKS, LAMBDA, RELATIVE, ABSOLUTE, ITERATIONS, STEPS),
    ("SHOOT AUTO", "SHOOT 17 19 21", "SHOOT 2. 5.5 10.", "SHOOT 17 19 21 0 .01 1e-4 1e-8 50"),
    ("parameters", "observations", "observation times"),
)
def shoot(env: Environment, ask: Dialogue) -> Environment:
    """Fit by multiple shooting, which helps where FIT cannot start or goes astray.

    At break points the observed states begin anew at values that are fitted too. The gaps there count ever more, with
    weights 1, 4, 9 and 16, and needless break points are dropped; in the end the full problem is solved. States that
    were not observed, and what is computed from states, cannot begin anew. Ctrl-C abandons it: nothing is changed.
    At a terminal p pauses it; then s makes a step, a accepts what was reached and q stops, with nothing changed.
    """
    request = _ask_request(env, ask)
    ask.refuse_rest()
    tell_of_noise(env, ask, "SHOOT")
    result = strategy.shoot(env, request, Following(ask.console, "SHOOT", after=with_gaps))
    ask.record_as(result.request.written(env), [])
    if result.sequence is None:
        _say_of_early_end(result, ask)
        return result.env
    if result.failed:
        raise shooting.failure(result.sequence)
    ask.report(shooting.sequence_text(result.sequence, result.env))
    last = result.sequence.last.result
    if last.ending is Ending.START:
        ask.warn(
            f"the full problem cannot be integrated at the parameters reached: {last.evaluation.status}; they are "
            "kept: SHOOT again with other break points, or UNDO"
        )
        return result.env
    with kept(ask):
        assert result.judgement is not None
        assert result.accuracy is not None
        tell(ask, result.judgement, result.accuracy)
    return result.env


def _say_of_early_end(result: Result, ask: Dialogue) -> None:
    ask.report(shooting.early_text(result))
    if result.full.usable:
        ask.say("what was reached is kept; FIT goes on from here, UNDO goes back")
    else:
        ask.warn(f"the full problem cannot be integrated there: {result.full.status}; SHOOT again from here, or UNDO")


# ---- what is asked


def _ask_request(env: Environment, ask: Dialogue) -> Request:
    """The request; what follows from the break points is said at once."""
    problem = env.problem()
    Request(()).restarts(env)  # which says whether anything can begin anew, before anything is asked
    answers = ask.many(BREAKS, _break_points(env, problem), default=[AUTO], complete=_is_auto)
    given = [each for (chosen,) in answers for each in chosen]
    for time, entered in given:
        if entered is not None:
            ask.say(f"no observation at t = {report.number(entered)}: the break point is at t = {report.number(time)}")
    breaks = None if answers and not given else tuple(time for time, _ in given)
    for line in shooting.break_points(env, Request(breaks).restarts(env)):
        ask.say(line)
    found = ask_search(ask, env, LAMBDA, usual(env))
    settings = replace(found, max_iterations=ask.whole(ITERATIONS, 0, 100_000, found.max_iterations))
    return Request(breaks, settings, _ask_limit(ask))


def _is_auto(token: str) -> bool:
    return bool(token) and AUTO.startswith(token.upper())


def _break_points(env: Environment, problem: TrajectoryFit) -> questions.Reader[list[Shown]]:
    """Break points by subscript or time, or those that are chosen; subscripts are written down."""
    times = np.unique(problem.observations.on_the_way.times)

    def read(token: str) -> Answer[list[Shown]]:
        if _is_auto(token):
            chosen = chosen_times(problem, env.sizes)
            subscripts = np.searchsorted(times, chosen) + 1
            return Answer([(time, None) for time in chosen], " ".join(map(str, subscripts)) or AUTO)
        k, entered = _subscript(token, times)
        time = float(times[k])
        _refuse_place(env, problem, time)
        return Answer([(time, None if entered is None or entered == time else entered)], str(k + 1))

    return read


def _subscript(token: str, times: Array) -> tuple[int, float | None]:
    """Which observation time is meant, from 0; and the time that was entered, if it was one."""
    subscript = integer(token) if len(token) <= questions.LONGEST_NUMBER else None
    if subscript is None:
        time = questions.number()(token).value
        return int(np.abs(times - time).argmin()), time
    if not 1 <= subscript <= times.size:
        raise CommandError(
            f"{questions.shown(token)} is no subscript of an observation time: enter 1 to {times.size}, or a time "
            "with a decimal point"
        )
    return subscript - 1, None


def _refuse_place(env: Environment, problem: TrajectoryFit, time: float) -> None:
    at = f"t = {report.number(time)}"
    if time <= env.model.t0:
        raise CommandError(f"{at} is the initial time, where everything begins anyway; enter a later break point")
    if time not in possible_times(problem):
        raise CommandError(f"{at} is the last observation time, after which nothing begins; enter an earlier one")
    if not restarts_at([time], env.model, problem.observations):
        raise CommandError(f"no state was observed at {at}, or before and after it; enter another break point")


def _ask_limit(ask: Dialogue) -> int | None:
    """After how many steps it ends, if the command's line says so."""
    return ask.whole(STEPS, 1) if ask.more and ask.one(STEPS, _only) else None


def _only(token: str) -> Answer[bool]:
    if token and ONLY.startswith(token.upper()):
        return Answer(True, ONLY)
    if token == END:
        return Answer(False, token)
    raise CommandError(f"{questions.shown(token)} is more than the command can use; nothing was changed")
