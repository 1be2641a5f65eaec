"""What is made as small as possible of the residuals: the sum of their squares, or one that outliers count less in."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from parfit.arrays import Array
from parfit.estimation.problem import Evaluation


class Loss(Protocol):
    """What is minimized, as a function of the residuals (n_residuals,)."""

    def sum(self, residuals: Array) -> float:
        """The value of it."""

    def weights(self, residuals: Array) -> Array:
        """Its derivatives by the squares of the residuals, (n_residuals,)."""

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        """The least-squares problem that has its minimum where the loss has it: residuals count as they do there."""


class LeastSquares:
    """The sum of squares."""

    def sum(self, residuals: Array) -> float:
        return float(residuals @ residuals)

    def weights(self, residuals: Array) -> Array:
        return np.ones(residuals.size)

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        return evaluation
