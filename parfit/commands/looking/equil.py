"""EQUIL: where the equations come to rest."""

from __future__ import annotations

import numpy as np

from parfit.commands.problem import create
from parfit.commands.table import command
from parfit.equilibria.equilibria import follows_time
from parfit.errors import CommandError
from parfit.estimation.strategies import equil as strategy
from parfit.live.bar import working
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text import report
from parfit.text.equilibria import equilibria_text

TIMES = Question(
    "times",
    "ENTER TIMES AT WHICH EQUILIBRIA ARE WANTED (0 TO END)",
    "The equations depend on time, so that their equilibria move. Enter times, each of which is held fixed, or ranges "
    "such as 60(10)120; the time 0 is written 0. with a point.",
)
MOST_TIMES = 1000


@command("EQUIL", "computing", (TIMES,), ("EQUIL", "EQUIL 1 84 85", "EQUIL 60(10)120"))
def equil(env: Environment, ask: Dialogue) -> Environment:
    """Find the equilibria of the model at the current parameters, and whether they attract.

    Shown are the states, the eigenvalues of g_y, and what these mean: stable, unstable or saddle, with two states
    node or focus. If the equations depend on time, the roots of g(t, y; p) = 0 are found with t held fixed, by default
    at the beginning, the middle and the end of the sample times. Equilibria with a negative state, where solution and
    observations have none, are listed after the others. What is not isolated, such as a line of equilibria, is told
    as that. The search is thorough up to five times the largest values of observations and solution, and goes
    farther; there may be more.
    """
    timed = follows_time(env.model)
    times = _times(env, ask, timed)
    ask.refuse_rest()
    with working(ask.console, "EQUIL") as progress:
        found = strategy.equil(env, strategy.Request(times), progress)
    ask.report(equilibria_text(env.model.name, env.model.states, found.found, timed))
    return env


def _times(env: Environment, ask: Dialogue, timed: bool) -> tuple[float, ...]:
    """The times that were entered; any one will do for equations that do not depend on time."""
    first, last = float(env.samples.times[0]), float(env.samples.times[-1])
    if not timed and not ask.more:
        return (first,)
    default = [create.time_text(t) for t in strategy.usual_times(env)]
    parts = [part for (part,) in ask.many(TIMES, create.time_or_range, default=default)]
    times = np.concatenate(parts) if parts else np.empty(0)
    if not times.size:
        raise CommandError("at least one time is needed; the time 0 is written 0. with a point, as 0 ends the list")
    if times.size > MOST_TIMES:
        raise CommandError(f"{times.size} times are more than the {MOST_TIMES} there is room for")
    if not timed:
        ask.say("The equations do not depend on time: the equilibria are the same at all times.")
        return (float(times[0]),)
    outside = times[(times < first) | (times > last)]
    if env.model.tables and outside.size:
        ask.warn(
            f"t = {report.number(outside[0])} is not within the sample times, {report.number(first)} to "
            f"{report.number(last)}; tables are continued there"
        )
    return tuple(times.tolist())
