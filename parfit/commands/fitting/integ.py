"""INTEG: one integration of the equations at the current parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.strategies import integ as strategy
from parfit.live.bar import working
from parfit.session.console import Console
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Question
from parfit.simulation.simulator import Simulator
from parfit.text import report
from parfit.text.details import written_out

JACOBIAN = Question(
    "Jacobian",
    "IS THE JACOBIAN DESIRED? Y OR N",
    "Y integrates the sensitivity equations too, which say how each state follows each active parameter.",
    words=YES_NO,
)


@command("INTEG", "computing", (JACOBIAN,), ("INTEG N", "INTEG Y"))
def integ(env: Environment, ask: Dialogue) -> Environment:
    """Integrate the equations at the current parameters, with or without the Jacobian.

    The method and its accuracy are set by OPTION, the times by SAMPLE. PLOT, REPORT 5 and REPORT 7 show the results.
    An integration that cannot go on says where and why; at a terminal what it reached is kept, a script fails there.
    """
    wanted = ask.yes(JACOBIAN, default=False)
    ask.refuse_rest()
    with seen_working(ask.console, "INTEG", env.simulator()) as trace:
        found = strategy.integ(env, strategy.Request(wanted), trace)
    env, trajectory = found.env, found.trajectory
    ask.say(report.method(trajectory))
    if env.details and not ask.source.interactive:  # where nobody could ask for it with REPORT 8
        ask.say("\n".join(written_out(env.model, env.details)))
    if not trajectory.status and not ask.source.interactive and not ask.run.replaying:
        raise NumericalError(f"the integration stopped: {trajectory.status}")
    if not trajectory.status:
        ask.warn(f"the integration stopped: {trajectory.status}; PLOT 1 shows how far it came")
        return env
    ask.say(report.work(trajectory))
    if env.sum_of_squares is not None:
        ask.say(report.sum_of_squares(env))
    return env


@contextmanager
def seen_working(console: Console, label: str, simulator: Simulator) -> Iterator[list[Any]]:
    """A list for the steps of an integration, so that somebody who has to wait for it sees how far it is."""
    trace: list[Any] = []

    def look() -> float:
        return (trace[-1][0] - simulator.begin) / (simulator.times[-1] - simulator.begin) if trace else 0.0

    with working(console, label, look):
        yield trace
