"""What the settings of every optimizer can do, so that nobody asks which of the optimizers it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self

from parfit.estimation.loss import Loss
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import CurveProblem, Result, Trial


class Optimizer(Loss, Protocol):
    """How to minimize, how far to go, and what counts."""

    @property
    def kind(self) -> str:
        """What the method is called: "more", "marquardt"."""

    @property
    def has_lambda(self) -> bool:
        """Whether its steps have a lambda that is worth showing."""

    @property
    def counts_trials(self) -> bool:
        """Whether its limit is one of trials, so that the last ones belong to it even if they led nowhere."""

    @property
    def robust(self) -> str:
        """The name of a loss that is not the sum of squares, or nothing."""

    def minimize(
        self, problem: CurveProblem, parameters: ParameterMap, watch: Callable[[Trial], None] | None = None
    ) -> Result:
        """Minimize a problem from the parameters, within their bounds; `watch` sees every trial."""

    def after(self, result: Result) -> Self | None:
        """What may still be done of the work that was allowed; None if that was all."""

    def written(self, result: Result) -> list[str]:
        """The words that, typed, end where an interrupted search did."""
