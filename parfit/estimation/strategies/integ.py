"""One integration of the equations at the present parameters."""

from __future__ import annotations

from typing import Any

from parfit.dataclass import dataclass
from parfit.estimation.trace import Steps
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Trajectory


@dataclass(frozen=True)
class Request:
    """Whether the sensitivities are wanted too."""

    sensitivities: bool = False


@dataclass(frozen=True, eq=False)
class Result:
    """The environment with its solution, which may have stopped on the way."""

    env: Environment
    trajectory: Trajectory


def integ(env: Environment, request: Request | None = None, trace: list[Any] | None = None) -> Result:
    """Integrate; `trace` receives the steps as they are made, so that somebody else can see how far it is."""
    wanted = (request or Request()).sensitivities
    simulator = env.simulator()
    run = simulator(env.values, wanted) if trace is None else simulator.watched(trace, env.values, wanted)
    return Result(env.with_integration(run, steps_of(env, simulator)), run)


def steps_of(env: Environment, simulator: Simulator) -> tuple[Steps, ...]:
    """What the options ask to be written out, if anything."""
    every = env.options.output
    return (Steps(tuple(simulator.steps(env.values, every))),) if every else ()
