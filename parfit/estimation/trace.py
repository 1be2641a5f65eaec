"""What a minimization tried, as values that can be kept and written out later."""

from __future__ import annotations

from dataclasses import replace

from parfit.arrays import Array
from parfit.awaited import Awaited, known
from parfit.dataclass import dataclass
from parfit.estimation.loss import SUM_OF_SQUARES
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Step


@dataclass(frozen=True, eq=False)
class Tried:
    """A trial without its residuals: the point, the lambda and the part of the step, and what came of it."""

    p: Array  # (n_active,), scaled
    lam: float
    part: float
    total: float  # what is minimized
    status: Status
    usable: bool  # whether there were a sum of squares and derivatives
    accepted: bool  # whether it was the best so far
    looseness: float = 1.0  # by how much errors were allowed to be larger than at the end
    steps: tuple[Step, ...] | None = None  # of its integration, where these were wanted


@dataclass(frozen=True, eq=False)
class Trace:
    """One minimization: its trials."""

    first: float  # what is minimized, where it began
    trials: Awaited[tuple[Tried, ...]]
    about: object = None  # which problem of several it was: the settings of CONTIN, or the stage of SHOOT
    measure: str = SUM_OF_SQUARES  # what is minimized, in words

    @property
    def tried(self) -> tuple[Tried, ...]:
        """Its trials, one after another."""
        return self.trials()

    @property
    def up_to_last_step(self) -> Trace:
        """Without the trials that led nowhere at the end: the same whenever as many steps are made."""
        steps = [k for k, each in enumerate(self.tried) if each.accepted]
        return replace(self, trials=known(self.tried[: steps[-1] + 1 if steps else 0]))


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of an integration that were asked for."""

    taken: tuple[Step, ...]
