"""What a least-squares problem is: residuals and their derivatives at a point, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parfit.model.simulation import Trajectory
from parfit.model.status import Status

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A problem at one point. Where the integration failed, `status` says so and the arrays are not to be used."""

    residuals: Array  # (n_residuals,)
    jac: Array  # (n_residuals, n_active), by the scaled active parameters
    status: Status
    trajectory: Trajectory | None = None

    @cached_property
    def total(self) -> float:
        """F, the sum of squares; infinite where it cannot be had."""
        total = float(self.residuals @ self.residuals) if self.status else np.inf
        return total if total == total else np.inf

    @cached_property
    def usable(self) -> bool:
        """Whether sum and Jacobian are finite numbers."""
        return bool(self.status) and self.total < np.inf and bool(np.isfinite(self.jac).all())

    @cached_property
    def gradient(self) -> Array:
        """J'f, half the gradient of F, as the thesis uses it."""
        gradient: Array = self.residuals @ self.jac
        return gradient


class Problem(Protocol):
    """Whatever can be minimized."""

    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian at the scaled active parameters."""
