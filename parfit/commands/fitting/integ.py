"""INTEG: one integration of the equations at the current parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from parfit.arrays import Array
from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.problem import Problem, Trial
from parfit.live.bar import working
from parfit.live.fit import Progress
from parfit.session.console import Console
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import YES_NO, Question
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Step, Trajectory
from parfit.text import report

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
    simulator = env.simulator()
    trajectory = watched(simulator, env.values, ask.console, "INTEG", wanted)
    details = steps_of(env, simulator) if env.options.output else []
    env = env.with_integration(trajectory, details)
    ask.say(report.method(trajectory))
    if details and not ask.source.interactive:  # where nobody could ask for it with REPORT 8
        ask.say("\n".join(details))
    if not trajectory.status and not ask.source.interactive and not ask.run.replaying:
        raise NumericalError(f"the integration stopped: {trajectory.status}")
    if not trajectory.status:
        ask.warn(f"the integration stopped: {trajectory.status}; PLOT 1 shows how far it came")
        return env
    ask.say(report.work(trajectory))
    if env.sum_of_squares is not None:
        ask.say(report.sum_of_squares(env))
    return env


def watched(
    simulator: Simulator, values: Array, console: Console, label: str, sensitivities: bool = False
) -> Trajectory:
    """An integration, of which somebody who has to wait for it sees how far it is."""
    trace: list[Any] = []

    def look() -> float:
        return (trace[-1][0] - simulator.begin) / (simulator.times[-1] - simulator.begin) if trace else 0.0

    with working(console, label, look):
        return simulator.watched(trace, values, sensitivities)


@runtime_checkable
class Integrated(Protocol):
    """A problem whose evaluations integrate equations."""

    def steps(self, active: Array, every: int) -> list[Step]: ...


def watching(env: Environment, problem: Problem, progress: Progress) -> Callable[[Trial], None]:
    """What follows the trials: progress, and the steps of each integration, if control parameters 1 and 2 want it."""
    if not env.options.output or env.options.suppressed or not isinstance(problem, Integrated):
        return progress

    def watch(trial: Trial) -> None:
        taken = problem.steps(trial.p, env.options.output) if np.isfinite(trial.p).all() else None
        progress(trial, () if taken is None else report.steps(env.model, taken))

    return watch


def steps_of(env: Environment, simulator: Simulator) -> list[str]:
    """What control parameter 1 asks to be written out."""
    return report.steps(env.model, simulator.steps(env.values, env.options.output))
