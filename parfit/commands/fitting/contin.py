"""CONTIN: from integral fitting to the full problem by continuation, with break points (thesis, section 3.5)."""

from __future__ import annotations

from parfit.commands.curves.curve_fit import ALSO_BELOW, tell_full_problem
from parfit.commands.fitting.contin_line import read_line
from parfit.commands.fitting.contin_questions import ALPHA, BREAKS, GAMMA, LAMBDA, NUMBER, WEIGHTS, ask_all
from parfit.commands.fitting.tolerances import ABSOLUTE, RELATIVE
from parfit.commands.passing_over import tell_of_noise
from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.strategies.contin import Failure, Reached, Request, Result, Sweep, remembered, swept
from parfit.live.following import Following
from parfit.pictures.automatic import automatic
from parfit.pictures.continuation import continued, continued_trial
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text import contin as text
from parfit.text import report

LINE = Question(
    "line",
    "VALUES OF GAMMA AND OTHER SETTINGS",
    "Values of gamma, and then what is to change: BREAKS and subscripts or times, ALL or NONE; ALPHA; WEIGHTS; LAMBDA "
    "with the tolerances, or AUTO; STOP once the full problem can be integrated; ONLY so many steps.",
    words=("BREAKS", "ALPHA", "WEIGHTS", "LAMBDA", "STOP", "ONLY", "ALL", "NONE", "AUTO"),
)


@command(
    "CONTIN",
    "computing",
    (LINE, NUMBER, BREAKS, GAMMA, ALPHA, WEIGHTS, LAMBDA, RELATIVE, ABSOLUTE),
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
    old = remembered(env)
    if env.continuation is not None and len(old.breaks) < len(env.continuation.breaks):
        ask.say("break points that are no longer sample times were left out")
    request = read_line(ask.text(LINE), env, old) if ask.is_one_line else ask_all(ask, env, old)
    ask.refuse_rest()
    tell_of_noise(env, ask, "CONTIN")
    result = _swept(env, request, ask)
    ask.record_as(result.request.written(env), [])
    found, last = text.result_text(result), result.reached[-1]
    picture = continued(result.env, last.settings, text.title(last))
    ask.show(automatic(result.env, picture), below=found.count("\n") + ALSO_BELOW)
    ask.report(found)
    tell_full_problem(last.full, ask, text.FAILS)
    if last.is_integrable:
        ask.say("the full problem can be integrated: FIT goes on from here")
    return result.env


def _swept(env: Environment, request: Request, ask: Dialogue) -> Result:
    """Do it, and say after each value of gamma how it went."""
    watch = Following(ask.console, "CONTIN", continued_trial)
    for sweep in swept(env, request, watch):
        if sweep.is_interrupted:
            reached = report.number(sweep.reached[-1].gamma)
            ask.warn(f"interrupted; what was found with gamma up to {reached} is kept")
        elif isinstance(sweep.latest, Reached):
            _say_of_value(env, sweep, sweep.latest, ask)
        elif sweep.latest is not None:
            _say_of_failure(env, sweep, sweep.latest, ask)
    return sweep.result()


def _say_of_value(env: Environment, sweep: Sweep, found: Reached, ask: Dialogue) -> None:
    how = text.ending(env, found, sweep.begin)
    if how:
        (ask.say if found.is_accepted else ask.warn)(how)


def _say_of_failure(env: Environment, sweep: Sweep, found: Failure, ask: Dialogue) -> None:
    if found.following is not None:
        ask.say(text.failure(found))
        return
    error = NumericalError(text.failure(found), text.remedies(env, found.settings, found.before, found.status))
    if not sweep.reached:
        raise error
    ask.warn(error.told)
