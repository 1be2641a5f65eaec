"""What NUDGE changes: an environment, with its solution."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from parfit.dataclass import dataclass
from parfit.estimation.problems.trajectory_fit import total
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Solved:
    """An environment, and its equations integrated when somebody looks."""

    env: Environment
    simulator: Simulator

    @cached_property
    def run(self) -> Trajectory:
        return self.simulator(self.env.values)

    @cached_property
    def total(self) -> float | None:
        """The sum of squares; infinite if the integration failed, None where there is nothing to compare with."""
        env = self.env
        if env.observations is None or not env.observations.n_observations or env.samples.uniform:
            return None
        return total(self.run, env.observations, env.noise)

    def of(self, env: Environment) -> Solved:
        return replace(self, env=env)
