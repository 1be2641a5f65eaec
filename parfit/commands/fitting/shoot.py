"""SHOOT: a fit by multiple shooting, for starting values from which the solution goes astray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.commands.fitting.fit import ITERATIONS
from parfit.commands.fitting.judging import check_discretisation as check_discretisation
from parfit.commands.fitting.judging import judge
from parfit.commands.fitting.shoot_stages import Ended, Minimizer
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE, ask_search, usual
from parfit.commands.table import command
from parfit.errors import CommandError, NumericalError, StateError
from parfit.estimation.optimizers.marquardt import Settings
from parfit.estimation.problem import Ending
from parfit.estimation.problems.restarting import Restart, restarts_at
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.strategies.breakpoints import chosen_times, possible_times
from parfit.estimation.strategies.shooting_sequence import Shot
from parfit.estimation.strategies.shooting_sequence import shoot as shoot_in_stages
from parfit.model.textfile import integer
from parfit.session import questions
from parfit.session.dialogue import END, Dialogue
from parfit.session.environment import Array, Environment
from parfit.session.questions import Answer, Question
from parfit.text import report
from parfit.text.shooting import shot_text

AUTO, ONLY = "AUTO", "ONLY"
BREAKS = Question(
    "break points",
    "ENTER BREAK POINTS: SUBSCRIPTS OF OBSERVATION TIMES, OR TIMES WITH A POINT\n0 TO END",
    "At a break point the observed states begin anew at values of their own. 3 is the third observation time, 3. the "
    "time 3 or the observation time next to it. AUTO chooses the times where the solution leaves the data; 0 alone "
    "means none. Not at the initial time, nor at the last one.",
)
LAMBDA = Question(
    "lambda",
    "ENTER RELATIVE STARTING LAMBDA, RELATIVE TOLERANCE, AND ABSOLUTE TOLERANCE",
    "Lambda is relative to the Jacobian: .01 if the problem is well conditioned, else larger; AUTO measures every "
    "parameter by its own influence, so that units do not matter. The tolerances are "
    "those of the full problem, as for FIT; the problems with break points have looser ones. If both are negative, "
    "the columns of the Jacobian are scaled.",
)
MAX_ITERATIONS = 100  # of each problem
MAX_ERRORS = 20  # trials in a row that cannot be integrated: with break points these are no reason to give up
STEPS = Question(
    "steps in all",
    "MAXIMUM NUMBER OF ITERATIONS OF ALL PROBLEMS TOGETHER",
    "At the end of the command's line, ONLY 37 ends it after 37 steps, at whatever problem it is then.",
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
    problem = env.problem()
    _refuse_without_states(env)
    restarts = _ask_restarts(env, problem, ask)
    settings = _ask_settings(env, ask)
    limit = _ask_limit(ask)
    ask.refuse_rest()
    minimizer = Minimizer(env, ask, limit)
    try:
        shot = shoot_in_stages(problem, restarts, settings, env.sizes, minimizer)
    except Ended as ended:
        if limit is not None:
            ask.forget(2)
        ask.record_as(f"{ask.entry} {ONLY} {minimizer.n_steps}", [])
        return _ended_early(env, problem, ended, minimizer, ask)
    _refuse_failure(shot)
    new = _adopted(env, shot, minimizer.lines)
    ask.report(shot_text(shot, new))
    result = shot.last.result
    if result.ending is Ending.START:
        ask.warn(
            f"the full problem cannot be integrated at the parameters reached: {result.evaluation.status}; they are "
            "kept: SHOOT again with other break points, or UNDO"
        )
        return new
    judge(problem, result, settings, ask)
    check_discretisation(new, ask)
    return new


# ---- what is asked


def _refuse_without_states(env: Environment) -> None:
    assert env.observations is not None
    names = env.observations.names
    if not set(names) & set(env.model.states):
        raise StateError(
            f"no state was observed, only {', '.join(names)}, and nothing but a state can begin anew at a break "
            "point; FIT does without"
        )


def _ask_restarts(env: Environment, problem: TrajectoryFit, ask: Dialogue) -> list[Restart]:
    """What begins anew, and where; what follows from it is said."""
    given = [
        each
        for (chosen,) in ask.many(BREAKS, _break_points(env, problem), default=[AUTO], complete=_is_auto)
        for each in chosen
    ]
    for time, entered in given:
        if entered is not None:
            ask.say(f"no observation at t = {report.number(entered)}: the break point is at t = {report.number(time)}")
    restarts = restarts_at([time for time, _ in given], env.model, problem.observations)
    _tell(env, restarts, ask)
    return restarts


def _is_auto(token: str) -> bool:
    return bool(token) and AUTO.startswith(token.upper())


def _break_points(env: Environment, problem: TrajectoryFit) -> questions.Reader[list[Shown]]:
    """Break points by subscript or time, or those that are chosen; subscripts are written down."""
    times = np.unique(problem.observations.times)

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


def _ask_settings(env: Environment, ask: Dialogue) -> Settings:
    found = ask_search(ask, env, LAMBDA, replace(usual(env), max_errors=MAX_ERRORS))
    return replace(found, max_iterations=ask.whole(ITERATIONS, 0, 100_000, MAX_ITERATIONS))


def _ask_limit(ask: Dialogue) -> int | None:
    """After how many steps it ends, if the command's line says so."""
    return ask.whole(STEPS, 1) if ask.more and ask.one(STEPS, _only) else None


def _only(token: str) -> Answer[bool]:
    if token and ONLY.startswith(token.upper()):
        return Answer(True, ONLY)
    if token == END:
        return Answer(False, token)
    raise CommandError(f"{questions.shown(token)} is more than the command can use; nothing was changed")


# ---- what is said


def _tell(env: Environment, restarts: Sequence[Restart], ask: Dialogue) -> None:
    """Where the break points are, and what does not begin anew at them as one might expect."""
    assert env.observations is not None
    if not restarts:
        ask.say("NO BREAK POINTS")
        return
    names = env.model.states
    times = sorted({each.time for each in restarts})
    ask.say(f"BREAK POINTS AT t = {' '.join(map(report.number, times))}")
    for i, name in enumerate(names):
        anew = {each.time: each.observed for each in restarts if each.state == i}
        between = [report.number(time) for time, seen in anew.items() if not seen]
        across = [report.number(time) for time in times if time not in anew]
        if not anew:
            ask.say(f"{name} was not observed there: it continues across the break points")
        elif across:
            ask.say(f"{name} was not observed before and after t = {' '.join(across)}: it continues there")
        if between:
            ask.say(f"{name} was not observed at t = {' '.join(between)}: it begins between its neighbours there")
    for name in env.observations.names:
        if name not in names:
            ask.say(f"{name} is computed from the states and cannot begin anew: it is compared with its observations")


def _refuse_failure(shot: Shot) -> None:
    """Raise an error if not even the first problem could be integrated."""
    stage = shot.stages[0]
    if stage.result.ending is not Ending.START:
        return
    status = stage.result.evaluation.status
    if stage.times:
        raise NumericalError(
            f"the equations cannot be integrated from break point to break point at the starting values: {status}; "
            "give more break points, or SET other values"
        )
    raise NumericalError(
        f"the equations cannot be integrated at the starting values: {status}; give break points, or SET other values"
    )


def _ended_early(
    env: Environment, problem: TrajectoryFit, ended: Ended, minimizer: Minimizer, ask: Dialogue
) -> Environment:
    """The environment at the parameters reached, and how the full problem fares there."""
    at = problem.evaluate(ended.p[: len(env.parameters.active)])
    new = env.with_values(env.parameters.expand(ended.p[: len(env.parameters.active)]))
    total = report.number(at.sum_of_squares) if at.usable else "not known: the integration failed"
    ask.report(
        f"MULTIPLE SHOOTING, ENDED AFTER {report.counted(minimizer.n_steps, 'step')}, IN {ended.heading}\n"
        f"SUM OF SQUARES OF THE FULL PROBLEM THERE {total}\n{report.parameters(new)}\n"
    )
    if at.usable:
        ask.say("what was reached is kept; FIT goes on from here, UNDO goes back")
    else:
        ask.warn(f"the full problem cannot be integrated there: {at.status}; SHOOT again from here, or UNDO")
    assert at.trajectory is not None
    return new.with_integration(at.trajectory, minimizer.lines)


def _adopted(env: Environment, shot: Shot, lines: Sequence[str]) -> Environment:
    """The environment at the result."""
    result = shot.last.result
    run = result.evaluation.trajectory
    assert run is not None
    return env.with_values(env.parameters.expand(result.p)).with_integration(run, lines)
