"""What is profiled: a parameter, or a quantity of the solution at one time, with its derivatives."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap, Scaling
from parfit.estimation.problem import Evaluation

FAR = 1e4  # times its size: a quantity that may go so far is not limited
LOG_FAR = float(np.log(1e6))  # of what is fitted as its logarithm: a minimum may lie far out where all is flat
FAR_WIDTHS = 10.0  # half-widths of the linear theory that are looked at in any case
FARTHEST = 1e8  # times its size: what the linear theory may ask for at most


class Target(Protocol):
    """A function of the scaled active parameters."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def limits(self) -> tuple[float, float]:
        """Between which it must stay."""

    def at(self, p: Array, evaluation: Evaluation) -> tuple[float, Array]:
        """Its value and its derivatives by the scaled active parameters, (n_active,)."""

    def shown(self, value: float) -> float:
        """A value in its own units."""

    def size(self, best: float) -> float:
        """A change that is large: its own size, or a factor e; infinite where it has none."""

    def farthest(self, best: float, width: float) -> float:
        """How far from the best value one looks, where the linear theory has such a half-width."""


@dataclass(frozen=True, eq=False)
class ParameterTarget:
    """An active parameter as it is scaled, by its subscript among the active ones."""

    parameters: ParameterMap
    k: int

    @property
    def name(self) -> str:
        return self.parameters.names[self.parameters.active[self.k]]

    @property
    def scaling(self) -> Scaling:
        return self.parameters.scaling[self.parameters.active[self.k]]

    @property
    def limits(self) -> tuple[float, float]:
        lower, upper = self.parameters.active_bounds
        least = 0.0 if self.scaling is Scaling.SQUARE_ROOT else -np.inf  # the other root is the same parameter
        return max(float(lower[self.k]), least), float(upper[self.k])

    def at(self, p: Array, evaluation: Evaluation) -> tuple[float, Array]:
        slope = np.zeros(p.size)
        slope[self.k] = 1.0
        return float(p[self.k]), slope

    def shown(self, value: float) -> float:
        return self.scaling.unscaled(value)

    def size(self, best: float) -> float:
        return 1.0 if self.scaling is Scaling.LOGARITHM else abs(best) or np.inf

    def farthest(self, best: float, width: float) -> float:
        if self.scaling is Scaling.LOGARITHM:
            return LOG_FAR
        return reach(best, width)


@dataclass(frozen=True, eq=False)
class QuantityTarget:
    """A state or an aux quantity of the solution at one of its times."""

    parameters: ParameterMap
    variable: str
    place: int  # among the times of the solution
    name: str
    limits: tuple[float, float] = (-np.inf, np.inf)

    def at(self, p: Array, evaluation: Evaluation) -> tuple[float, Array]:
        run = evaluation.trajectory
        assert run is not None
        value = float(run.column(self.variable)[self.place])
        return value, self.parameters.chain(p, run.sensitivity(self.variable)[self.place])

    def shown(self, value: float) -> float:
        return value

    def size(self, best: float) -> float:
        return abs(best) or np.inf

    def farthest(self, best: float, width: float) -> float:
        return reach(best, width)


def reach(best: float, width: float) -> float:
    """How far something is looked for that has no logarithm."""
    size = abs(best)
    if not np.isfinite(width):
        return FAR * size or np.inf
    return max(FAR * size, min(FAR_WIDTHS * width, FARTHEST * size) if size else FAR_WIDTHS * width)
