"""What a least-squares problem is: residuals and their derivatives at a point, or the reason why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from parfit.arrays import Array
from parfit.awaited import Awaited, known
from parfit.dataclass import dataclass
from parfit.kernel.residuals import appraised
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Trajectory

if TYPE_CHECKING:  # which imports what is here
    from parfit.estimation.trace import Tried


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A problem at one point. Where the integration failed, `status` says so and the arrays are not to be used."""

    residuals: Array  # (n_residuals,)
    jac: Array  # (n_residuals, n_active), by the scaled active parameters
    status: Status
    trajectory: Trajectory | None = None
    n_priors: int = 0  # rows after those of the observations: what is known of parameters beforehand
    n_bends: int = 0  # and rows of 0 at the end, which only add to J'J
    of_priors: Array | None = None  # rows whose products are all that priors have in J'J, (n_priors, n_active)
    sum_of_squares: float = field(init=False)  # F; infinite where it cannot be had
    usable: bool = field(init=False)  # whether sum and Jacobian are finite numbers

    def __post_init__(self) -> None:
        # At once, because every optimizer asks for both, and a cached property of Python takes longer than they do.
        total, usable = appraised(self.residuals, self.jac) if self.status else (math.inf, False)
        object.__setattr__(self, "sum_of_squares", total if total == total else math.inf)
        object.__setattr__(self, "usable", usable)

    @classmethod
    def summed(cls, residuals: Array, jac: Array, status: Status, trajectory: Trajectory, total: float) -> Evaluation:
        """One whose sum of squares is known, and finite if sum and Jacobian are."""
        found = object.__new__(cls)
        found.__dict__.update(
            residuals=residuals,
            jac=jac,
            status=status,
            trajectory=trajectory,
            sum_of_squares=total,
            usable=total < math.inf,
        )
        return found

    @property
    def n_data(self) -> int:
        """How many of the rows are observations; they are the first."""
        return int(self.residuals.size) - self.n_priors - self.n_bends

    @property
    def precision(self) -> float:
        """Next to the largest column, how well columns of the Jacobian agree that should; 0 but for rounding."""
        return 0.0 if self.trajectory is None else self.trajectory.simulator.method.precision

    @property
    def gradient(self) -> Array:
        """J'f, half the gradient of F, as the thesis uses it."""
        with np.errstate(all="ignore"):
            gradient: Array = self.residuals @ self.jac
        return gradient


class Remembered(Evaluation):
    """A point of which only the sum of squares and the status were kept: the rest is computed again if asked for."""

    def __init__(self, total: float, usable: bool, status: Status, again: Callable[[], Evaluation]):
        for name, value in {"sum_of_squares": total, "usable": usable, "status": status, "_again": again}.items():
            object.__setattr__(self, name, value)

    @cached_property
    def _whole(self) -> Evaluation:
        again: Callable[[], Evaluation] = self.__dict__["_again"]
        return again()

    @property
    def residuals(self) -> Array:
        return self._whole.residuals

    @property
    def jac(self) -> Array:
        return self._whole.jac

    @property
    def trajectory(self) -> Trajectory | None:
        return self._whole.trajectory


class Problem(Protocol):
    """Whatever can be minimized."""

    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian at the scaled active parameters."""


class Slack(NamedTuple):
    """How accurate residuals are: the length of their errors, and how many times as large these may be on the way."""

    error: float = 0.0
    loosest: float = 1.0


class CurveProblem(Problem, Protocol):
    """A problem that knows how far its data are spread."""

    @property
    def spread(self) -> float:
        """How far the data are spread, a weighted sum of squares."""


class Ending(Enum):
    """Why an optimization ended."""

    CONVERGED = "the sum of squares no longer falls by more than the tolerances"
    LIMIT = "the limit of its work was reached"
    ERRORS = "the equations could not be integrated at several trials in a row"
    NO_REDUCTION = "no lower sum of squares was found along the step"
    START = "the equations cannot be integrated at the starting values"
    INTERRUPTED = "it was interrupted"


@dataclass(frozen=True, eq=False)
class Trial:
    """A point that was tried, with the lambda (0 where there is none) and the part of the step that led there."""

    iteration: int
    p: Array
    lam: float
    part: float
    evaluation: Evaluation
    accepted: bool
    loss: float | None = None  # what is minimized there, where that is not the sum of squares
    looseness: float = 1.0  # by how much errors there may be larger than at the end

    @property
    def total(self) -> float:
        """What is minimized, there; infinite where it cannot be had."""
        return self.evaluation.sum_of_squares if self.loss is None else self.loss


NOTHING_TRIED: Awaited[tuple[Tried, ...]] = known(())


@dataclass(frozen=True, eq=False)
class Result:
    """Where an optimization ended, and why."""

    p: Array  # (n_active,), scaled
    evaluation: Evaluation
    ending: Ending
    lam: float
    n_iterations: int
    n_evaluations: int
    tried: Awaited[tuple[Tried, ...]] = NOTHING_TRIED  # on the way there

    def after(self, before: Result | None) -> Result:
        """The same with the work of a search that had led to where this one began, if there was any."""
        if before is None:
            return self
        work = self.n_iterations + before.n_iterations, self.n_evaluations + before.n_evaluations
        return replace(self, n_iterations=work[0], n_evaluations=work[1])

    def unless_interrupted(self) -> Result:
        """Itself; a fit that is part of something larger does not answer a Ctrl-C that was meant for the whole."""
        if self.ending is Ending.INTERRUPTED:
            raise KeyboardInterrupt
        return self
