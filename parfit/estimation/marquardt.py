"""The Levenberg-Marquardt method of the thesis (Appendix B, MARQUARDT), after Bard (1970).

With the singular value decomposition J = U S V' the step for lambda is -V (S^2 + lambda)^-1 S U'f. Lambda shrinks
tenfold after two successes and grows tenfold after a failure, unless the step is within 45 degrees of steepest
descent: then it is shortened instead. A point where the equations cannot be integrated counts as a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Ending, Evaluation, Problem, Result, Trial
from parfit.kernel.leastsquares import damped_step, decompose

Array = NDArray[np.float64]

# Appendix B, MARQUARDT: limits, and the numbers of Bard's strategy.
MAX_ITERATIONS = 25
MAX_INTERPOLATIONS = 4
MAX_ERRORS = 3
FIRST_LAMBDA = 0.01
SMALLEST_LAMBDA = 1e-10
COSINE = 0.707  # of 45 degrees
FACTOR = 10.0
EPSILON = float(np.finfo(float).eps)  # next to F, a gain this small cannot be seen


@dataclass(frozen=True)
class Settings:
    """How far to go, and how to begin."""

    lam: float = FIRST_LAMBDA  # negative: chosen by the program
    rtol: float = 1e-6
    atol: float = 1e-15
    scaled: bool = False  # whether the columns of the Jacobian are brought to length 1
    max_iterations: int = MAX_ITERATIONS
    max_errors: int = MAX_ERRORS

    @classmethod
    def entered(
        cls,
        lam: float,
        rtol: float,
        atol: float,
        max_iterations: int = MAX_ITERATIONS,
        max_errors: int = MAX_ERRORS,
    ) -> Settings:
        """From numbers as the manual has them entered: tolerances that are both negative ask for scaling."""
        return cls(lam, abs(rtol), abs(atol), rtol < 0 and atol < 0, max_iterations, max_errors)


class Decomposed:
    """A Jacobian by its singular values, with the steps that follow from it."""

    def __init__(self, evaluation: Evaluation, scaled: bool = False):
        parts = decompose(np.ascontiguousarray(evaluation.jac), evaluation.residuals, scaled)
        self.lengths, self.s, self._vt, self._uf, self.gradient = parts

    def step(self, lam: float) -> Array:
        """The change of the parameters in units of the columns' lengths, (n_active,)."""
        step: Array = damped_step(self.s, self._vt, self._uf, lam)
        return step


def minimize(
    problem: Problem,
    start: Array,
    settings: Settings | None = None,
    parameters: ParameterMap | None = None,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> Result:
    """Minimize a problem; `parameters` are those whose bounds count, `progress` sees every trial."""
    bounded = parameters if parameters is not None and parameters.bounded else None
    return _Search(problem, settings or Settings(), bounded, progress).run(np.array(start, dtype=float))


class _Search:
    """One optimization: the best point so far and the strategy's state."""

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        parameters: ParameterMap | None,
        progress: Callable[[Trial], None],
    ):
        self.problem, self.settings, self.parameters, self.progress = problem, settings, parameters, progress
        self.lam = FIRST_LAMBDA if settings.lam < 0 else settings.lam
        self.successes = 0  # in a row, since lambda changed
        self.errors = 0  # in a row
        self.n_iterations = self.n_evaluations = 0

    def run(self, start: Array) -> Result:
        self.p = self._projected(start)
        self.best = self._evaluated(self.p)
        if not self.best.usable:
            return self._result(Ending.START)
        try:
            return self._result(self._iterate())
        except KeyboardInterrupt:
            return self._result(Ending.INTERRUPTED)

    def _iterate(self) -> Ending:
        while self.n_iterations < self.settings.max_iterations:
            before = self.best.total
            ending = self._improve(Decomposed(self._within_bounds(), self.settings.scaled))
            if ending is not None:
                return ending
            if before - self.best.total < self.settings.rtol * self.best.total + self.settings.atol:
                return Ending.CONVERGED
            if self.best.total < self.settings.atol:
                return Ending.CONVERGED
        return Ending.LIMIT

    def _within_bounds(self) -> Evaluation:
        """The best point with the parameters that press against a bound held there: they do not move."""
        if self.parameters is None:
            return self.best
        pressed = self.parameters.pressed(self.p, self.best.gradient)
        jac = np.where(pressed, 0.0, self.best.jac) if pressed.any() else self.best.jac
        return Evaluation(self.best.residuals, jac, self.best.status)

    def _projected(self, p: Array) -> Array:
        return p if self.parameters is None else self.parameters.project(p)

    def _improve(self, parts: Decomposed) -> Ending | None:
        """Find a better point, raising lambda as often as it takes; or say why there is none."""
        while True:
            step = parts.step(self.lam)
            if float(step @ parts.gradient) >= -EPSILON * self.best.total:
                return Ending.CONVERGED
            trial, accepted = self._try(step / parts.lengths, 1.0)
            if accepted:
                self.errors = 0
                self._succeed()
                return None
            if trial.usable:
                self.errors = 0
                if _cosine(step, parts.gradient) >= COSINE:
                    return self._interpolate(step, parts, trial)
            else:
                self.errors += 1
                if self.errors == self.settings.max_errors:
                    return Ending.ERRORS
            self.lam = max(FACTOR * self.lam, SMALLEST_LAMBDA)
            self.successes = 0

    def _interpolate(self, step: Array, parts: Decomposed, trial: Evaluation) -> Ending | None:
        """Shorten a step that is close to steepest descent, by parabolas through F and half its slope.

        Half the slope is what the listing has (GRAD is J'f), so that steps are shorter than to the parabola's lowest
        point by up to a factor of 2.
        """
        slope, part = float(step @ parts.gradient), 1.0
        change = step / parts.lengths
        for _ in range(MAX_INTERPOLATIONS):
            below = slope * part + self.best.total - trial.total  # 0 where F is flat to rounding
            lowest = slope * part**2 / (2.0 * below) if below < 0.0 else 0.0
            part = max(0.25 * part, min(0.75 * part, lowest))
            trial, accepted = self._try(change, part)
            while not trial.usable:
                self.errors += 1
                if self.errors == self.settings.max_errors:
                    return Ending.ERRORS
                part *= 0.5
                trial, accepted = self._try(change, part)
            self.errors = 0
            if accepted:
                return None
        return Ending.NO_REDUCTION

    def _try(self, change: Array, part: float) -> tuple[Evaluation, bool]:
        """A point, and whether it was accepted: before anybody hears of it, so that who ends it there keeps it."""
        p = self._projected(self.p + part * change)
        evaluation = self._evaluated(p)
        iteration, accepted = self.n_iterations + 1, evaluation.usable and evaluation.total < self.best.total
        if accepted:
            self.p, self.best, self.n_iterations = p, evaluation, iteration
        self.progress(Trial(iteration, p, self.lam, part, evaluation, accepted))
        return evaluation, accepted

    def _succeed(self) -> None:
        """Lambda shrinks after two successes."""
        self.successes += 1
        if self.successes == 2:
            self.lam, self.successes = max(self.lam / FACTOR, SMALLEST_LAMBDA), 0

    def _evaluated(self, p: Array) -> Evaluation:
        found = self.problem.evaluate(p)
        self.n_evaluations += 1
        return found

    def _result(self, ending: Ending) -> Result:
        return Result(self.p, self.best, ending, self.lam, self.n_iterations, self.n_evaluations)


def _cosine(step: Array, gradient: Array) -> float:
    """Of the angle between a step and steepest descent; 1 where there is no direction left."""
    product = np.sqrt(float(step @ step) * float(gradient @ gradient))
    return -float(step @ gradient) / product if product > 0.0 else 1.0
