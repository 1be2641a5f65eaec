"""The Levenberg-Marquardt method of the thesis (Appendix B, MARQUARDT): how to begin and how far to go.

A lambda that was typed is that of 1977, which depends on the units of residuals and parameters. One that was left to
the program is relative: every parameter is measured by the greatest length that its column of J has had.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.loss import LeastSquares
from parfit.estimation.optimizers.searching import searched
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import CurveProblem, Problem, Result, Trial
from parfit.kernel.marquardt import Marquardt
from parfit.model.textfile import exact

# Appendix B, MARQUARDT: limits, and numbers of Bard's strategy.
MAX_ITERATIONS = 25
MAX_ERRORS = 3
FIRST_LAMBDA = 0.01
FIRST_TOLERANCES = 1e-6, 1e-15
# A relative lambda for fits of curves, which are nearly linear problems: on that of the tour .01 creeps for 100 steps
# without an end, and this takes 7. For full problems .01 is the better one, from 65 starts on the library's models.
BOLD_LAMBDA = 1e-8
SMALLEST_LAMBDA = 1e-10
FACTOR = 10.0


@dataclass(frozen=True)
class Settings(LeastSquares):
    """How far to go, and how to begin."""

    kind: ClassVar[str] = "marquardt"
    has_lambda: ClassVar[bool] = True
    counts_trials: ClassVar[bool] = False
    robust: ClassVar[str] = ""

    lam: float | None = None  # of 1977, absolute; None or negative: relative, and begun with `relative`
    rtol: float = FIRST_TOLERANCES[0]
    atol: float | None = None  # None: 1e-15 of the spread of the data
    scaled: bool = False  # whether the columns of the Jacobian are brought to length 1
    max_iterations: int = MAX_ITERATIONS
    max_errors: int = MAX_ERRORS
    relative: float = FIRST_LAMBDA  # next to J'J with columns of length 1
    spread: float = 0.0  # of the data, a sum of squares; 0 where it is not known

    @classmethod
    def entered(
        cls,
        lam: float | None,
        rtol: float,
        atol: float | None,
        max_iterations: int = MAX_ITERATIONS,
        max_errors: int = MAX_ERRORS,
    ) -> Settings:
        """From numbers as the manual has them entered: tolerances that are both negative ask for scaling."""
        scaled = rtol < 0 and atol is not None and atol < 0
        return cls(lam, abs(rtol), None if atol is None else abs(atol), scaled, max_iterations, max_errors)

    @property
    def is_relative(self) -> bool:
        """Whether lambda is left to the program."""
        return self.lam is None or self.lam < 0

    @property
    def first_lambda(self) -> float:
        return self.relative if self.lam is None or self.lam < 0 else self.lam

    @property
    def least_fall(self) -> float:
        """The absolute tolerance as a number."""
        return FIRST_TOLERANCES[1] * self.spread if self.atol is None else self.atol

    def among(self, spread: float) -> Settings:
        """The same for data of such a spread (a sum of squares)."""
        return replace(self, spread=spread)

    def minimize(
        self, problem: CurveProblem, parameters: ParameterMap, watch: Callable[[Trial], None] | None = None
    ) -> Result:
        """Minimize a problem from the parameters, within their bounds; `watch` sees every trial."""
        return minimize(problem, parameters.point, self.among(problem.spread), parameters, watch)

    def after(self, result: Result) -> Settings | None:
        """What may still be done of the steps that were allowed; None if those were all."""
        n = self.max_iterations - result.n_iterations
        return replace(self, max_iterations=n) if n > 0 else None

    def written(self, result: Result) -> list[str]:
        """The words that, typed, end where an interrupted search did."""
        sign = -1.0 if self.scaled else 1.0
        numbers = (self.lam, sign * self.rtol, None if self.atol is None else sign * self.atol)
        limits = [str(result.n_iterations), str(self.max_errors)]
        return [self.kind.upper(), *("AUTO" if each is None else exact(each) for each in numbers), *limits]


def minimize(
    problem: Problem,
    start: Array,
    settings: Settings | None = None,
    parameters: ParameterMap | None = None,
    progress: Callable[[Trial], None] | None = None,
) -> Result:
    """Minimize a problem; `parameters` are those whose bounds count, `progress` sees every trial."""
    how = settings or Settings()
    p, mapping = np.array(start, dtype=float), None
    if parameters is not None and parameters.bounded:
        p, mapping = parameters.project(p), parameters.kernel
    limits = (how.max_iterations, how.max_errors)
    tolerances = (how.is_relative, how.scaled, how.rtol, how.least_fall)

    def new(n: int, m: int, precision: float) -> Marquardt:
        return Marquardt(n, m, how.first_lambda, *tolerances, *limits, mapping, precision)

    return searched(problem, new, p, None, progress)
