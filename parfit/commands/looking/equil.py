"""EQUIL: where the equations come to rest."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.commands.problem import create
from parfit.commands.table import command
from parfit.equilibria.equilibria import find, follows_time
from parfit.errors import CommandError, NumericalError
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.simulation.pointwise import Initial
from parfit.simulation.status import Reason, Status
from parfit.text import report
from parfit.text.equilibria import equilibria_text

TIMES = Question(
    "times",
    "ENTER TIMES AT WHICH EQUILIBRIA ARE WANTED (0 TO END)",
    "The equations depend on time, so that their equilibria move. Enter times, each of which is held fixed, or ranges "
    "such as 60(10)120; the time 0 is written 0. with a point.",
)
MOST_TIMES = 1000
MOST_POINTS = 50  # of the solution, at which the search begins too


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
    sizes, points = region(env)
    results = [find(env.model, float(t), env.values, sizes, points) for t in times]
    ask.report(equilibria_text(env.model.name, env.model.states, results, timed))
    return env


def _times(env: Environment, ask: Dialogue, timed: bool) -> Array:
    """The times that were entered; any one will do for equations that do not depend on time."""
    first, last = float(env.samples.times[0]), float(env.samples.times[-1])
    if not timed and not ask.more:
        return np.array([first])
    default = [create.time_text(t) for t in (first, 0.5 * (first + last), last)]
    parts = [part for (part,) in ask.many(TIMES, create.time_or_range, default=default)]
    times = np.concatenate(parts) if parts else np.empty(0)
    if not times.size:
        raise CommandError("at least one time is needed; the time 0 is written 0. with a point, as 0 ends the list")
    if times.size > MOST_TIMES:
        raise CommandError(f"{times.size} times are more than the {MOST_TIMES} there is room for")
    if not timed:
        ask.say("The equations do not depend on time: the equilibria are the same at all times.")
        return times[:1]
    outside = times[(times < first) | (times > last)]
    if env.model.tables and outside.size:
        ask.warn(
            f"t = {report.number(outside[0])} is not within the sample times, {report.number(first)} to "
            f"{report.number(last)}; tables are continued there"
        )
    return times


def region(env: Environment) -> tuple[Array, Array]:
    """Sizes of the states, and points to begin at: the initial state, the smallest observations, and the solution."""
    with np.errstate(all="ignore"):
        initial = Initial(env.model)(env.values)[0]
        bad = np.flatnonzero(~np.isfinite(initial))
        if bad.size:
            raise NumericalError(str(Status(Reason.START, env.model.t0, env.model.states[int(bad[0])])))
        run = env.simulator()(env.values)
    lowest = initial.copy()
    if env.observations is not None:
        for name, values in zip(env.observations.names, env.observations.values.T, strict=True):
            if name in env.model.states and np.isfinite(values).any():
                lowest[env.model.states.index(name)] = np.nanmin(values)
    y = run.y if run.status else initial[np.newaxis]
    points = np.concatenate((initial[np.newaxis], lowest[np.newaxis], y[:: max(1, len(y) // MOST_POINTS)]))
    return np.maximum(np.abs(env.sizes), np.abs(np.concatenate((points[:1], y))).max(axis=0)), points
