"""Optimization by hand: one step at a time, with the technique, lambda and freezing of the user's choice."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.optimizers.marquardt import FIRST_LAMBDA
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.kernel.decomposition import Decomposition
from parfit.simulation.simulator import Simulator
from parfit.spectrum import singular_values


@dataclass(frozen=True, eq=False)
class EvaluatedPoint:
    """Parameters, scaled and active, and the problem at them."""

    p: Array
    evaluation: Evaluation


@dataclass(frozen=True, eq=False)
class ByHand:
    """The state of an optimization by hand; `held` are parameters frozen for its duration, by subscript."""

    problem: TrajectoryFit
    point: EvaluatedPoint
    marquardt: bool = True
    lam: float = FIRST_LAMBDA
    relative: bool = False  # whether lambda counts next to columns of length 1
    length: float | None = None  # of a steepest descent step: the user chooses after seeing the gradient
    held: frozenset[int] = frozenset()
    trial: EvaluatedPoint | None = None
    past: tuple[EvaluatedPoint, ...] = field(default=())

    @property
    def parameters(self) -> ParameterMap:
        """All parameters, at the point reached."""
        return self.problem.parameters.moved(self.point.p)

    @property
    def succeeded(self) -> bool:
        """Whether the trial is better than the point."""
        return self.trial is not None and _usable(self.trial) and self.trial.evaluation.sum_of_squares < self._total

    @property
    def _total(self) -> float:
        return self.point.evaluation.sum_of_squares

    def settled(self) -> ByHand:
        """Go on from the trial if it was a success."""
        return self.accepted() if self.succeeded else self

    def accepted(self) -> ByHand:
        """Go on from the trial, better or not."""
        if self.trial is None or not _usable(self.trial):
            return self
        return replace(self, point=self.trial, trial=None, past=(*self.past, self.point))

    def rejected(self) -> ByHand:
        """Forget the trial."""
        return replace(self, trial=None)

    def back(self) -> ByHand:
        """The point before the last accepted step."""
        return replace(self, point=self.past[-1], past=self.past[:-1], trial=None) if self.past else self

    def tried(self) -> ByHand:
        """Attempt a step from the point reached."""
        state = self.settled()
        free = state._free
        p = state.point.p.copy()
        p[free] += state._step(free)
        p = state.problem.parameters.project(p)
        return replace(state, trial=EvaluatedPoint(p, state.problem.evaluate(p)))

    @property
    def _free(self) -> list[int]:
        """The places, among the active parameters, of those that are not held."""
        return [j for j, k in enumerate(self.problem.parameters.active) if k not in self.held]

    @property
    def singular_values(self) -> Array:
        """Of the Jacobian by the parameters that move: lambda is added to their squares."""
        return singular_values(self.point.evaluation.jac[:, self._free])

    def _step(self, free: list[int]) -> Array:
        evaluation = self.point.evaluation
        if not self.marquardt:
            assert self.length is not None
            return -self.length * evaluation.gradient[free]
        columns = np.ascontiguousarray(evaluation.jac[:, free])
        parts = Decomposition(*columns.shape)
        parts.load(columns, evaluation.residuals, self.relative)
        step: Array = parts.step(self.lam) / parts.lengths
        return step

    def at(self, full: Array, simulator: Simulator) -> ByHand:
        """The same with other values of all parameters, from where the user sets them."""
        parameters = self.problem.parameters.with_values(full)
        problem = TrajectoryFit(simulator, parameters, self.problem.observations)
        point = EvaluatedPoint(parameters.point, problem.evaluate(parameters.point))
        return replace(self, problem=problem, point=point, trial=None, past=())


def begin(problem: TrajectoryFit, relative: bool = False) -> ByHand:
    """Start at the problem's own parameters."""
    p = problem.parameters.point
    return ByHand(problem, EvaluatedPoint(p, problem.evaluate(p)), relative=relative)


def _usable(point: EvaluatedPoint) -> bool:
    return point.evaluation.usable
