"""What is made as small as possible of the residuals: the sum of their squares, or one that outliers count less in."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from parfit.arrays import Array
from parfit.estimation.problem import Evaluation
from parfit.kernel.residuals import sum_of_squares

SUM_OF_SQUARES = "sum of squares"


class Loss(Protocol):
    """What is minimized, as a function of the residuals (n_residuals,)."""

    @property
    def measure(self) -> str:
        """What it is, in words."""

    def total(self, evaluation: Evaluation) -> float:
        """The value of it at a point; infinite where it cannot be had."""

    def sum(self, residuals: Array) -> float:
        """The value of it for residuals."""

    def weights(self, residuals: Array) -> Array:
        """Its derivatives by the squares of the residuals, (n_residuals,)."""

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        """The least-squares problem that has its minimum where the loss has it: residuals count as they do there."""


class LeastSquares:
    """The sum of squares."""

    measure: ClassVar[str] = SUM_OF_SQUARES

    def total(self, evaluation: Evaluation) -> float:
        return evaluation.sum_of_squares

    def sum(self, residuals: Array) -> float:
        return float(sum_of_squares(residuals))

    def weights(self, residuals: Array) -> Array:
        return np.ones(residuals.size)

    def weighted(self, evaluation: Evaluation) -> Evaluation:
        return evaluation
