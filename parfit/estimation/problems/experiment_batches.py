"""Sequential reestimation experiment by experiment: what each says is added to what those before it have said.

Every experiment begins by itself; what the earlier ones say enters as their linearization, as for batches in time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.sequential import Batch, Batches, Estimate, History
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.model.naming import experiment_of
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Step

NOTHING = np.empty(0)  # the states at the end of a batch, from which no other begins


class ExperimentBatch(Batch):
    """The least-squares problem of one experiment, and the history of those before it."""

    def _evaluated(self, active: Array) -> Evaluation:
        here = TrajectoryFit._evaluated(self, active)
        if self.history is None:
            return here
        with np.errstate(over="ignore", invalid="ignore"):  # far away
            earlier = self.history.residuals_at(active)
        rows = np.concatenate((earlier, here.residuals)), np.concatenate((self.history.jac, here.jac))
        return replace(here, residuals=rows[0], jac=rows[1])

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration, one in `every`."""
        return self.simulator.steps(self.parameters.expand(active), every)

    def linearized(self, active: Array) -> History:
        """The history for the next experiment, at the estimate that this one has led to."""
        found = self.evaluate(active)
        return History(active, found.residuals, found.jac, NOTHING, NOTHING)


@dataclass(frozen=True, eq=False)
class ExperimentBatches(Batches):
    """A direct problem of several experiments, which are taken one by one."""

    experiments: tuple[str, ...] = ()

    @classmethod
    def of(cls, whole: TrajectoryFit, scale: Array) -> ExperimentBatches:
        """All experiments that are not left out, in their order."""
        data = whole.observations
        assert data.design is not None
        names = tuple(name for name in data.design.names if name not in data.design.off)
        return cls(whole, np.full(len(names), data.times[-1]), scale, names)

    def next(self, done: Sequence[Estimate]) -> tuple[Batch, Array]:
        """The problem of the experiment that follows, and where to begin: the first has no history."""
        k, map_ = len(done), self.whole.parameters
        p = done[-1].result.p if done else map_.project(map_.point)
        history = done[-1].problem.linearized(p) if done else None
        return ExperimentBatch(*self._direct(self.experiments[k : k + 1]), history), p

    def so_far(self, k: int) -> TrajectoryFit:
        """The direct problem of experiment k, from 0 on, and all before it."""
        simulator, parameters, observations = self._direct(self.experiments[: k + 1])
        return TrajectoryFit(simulator, parameters, observations)

    def _direct(self, names: Sequence[str]) -> tuple[Simulator, ParameterMap, Observations]:
        """The problem of some experiments alone; the others are not integrated."""
        of, map_ = self.whole.simulator, self.whole.parameters
        ends = [np.inf if part.name in names else of.model.t0 for part in of.model.parts]
        simulator = Simulator(of.model, of.times, of.method, map_.active, self.scale, ends=ends)
        return simulator, map_, _of(self.whole.observations, names)


def _of(data: Observations, names: Sequence[str]) -> Observations:
    """What was observed in some experiments."""
    own = [k for k, name in enumerate(data.names) if experiment_of(name) in names]
    return replace(
        data,
        names=tuple(data.names[k] for k in own),
        values=data.values[:, own],
        weights=data.weights[:, own],
        sds=None if data.sds is None else data.sds[:, own],
    )
