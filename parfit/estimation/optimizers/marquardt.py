"""The Levenberg-Marquardt method of the thesis (Appendix B, MARQUARDT), after Bard (1970).

With the singular value decomposition J = U S V' the step for lambda is -V (S^2 + lambda)^-1 S U'f. Lambda shrinks
tenfold after two successes and grows tenfold after a failure, unless the step is within 45 degrees of steepest
descent: then it is shortened instead. A point where the equations cannot be integrated counts as a failure.

A lambda that was typed is that of 1977, which depends on the units of residuals and parameters. One that was left to
the program is relative: every parameter is measured by the greatest length that its column of J has had.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from parfit import interrupts
from parfit.arrays import Array
from parfit.estimation.diagnosis.spectrum import believed, column_lengths
from parfit.estimation.loss import LeastSquares
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import CurveProblem, Ending, Evaluation, Problem, Result, Trial
from parfit.kernel.least_squares import damped_step, decompose
from parfit.model.textfile import exact

# Appendix B, MARQUARDT: limits, and the numbers of Bard's strategy.
MAX_ITERATIONS = 25
MAX_INTERPOLATIONS = 4
MAX_ERRORS = 3
FIRST_LAMBDA = 0.01
FIRST_TOLERANCES = 1e-6, 1e-15
# A relative lambda for fits of curves, which are nearly linear problems: on that of the tour .01 creeps for 100 steps
# without an end, and this takes 7. For full problems .01 is the better one, from 65 starts on the library's models.
BOLD_LAMBDA = 1e-8
SMALLEST_LAMBDA = 1e-10
COSINE = 0.707  # of 45 degrees
FACTOR = 10.0
EPSILON = float(np.finfo(float).eps)  # next to F, a gain this small cannot be seen


@dataclass(frozen=True)
class Settings(LeastSquares):
    """How far to go, and how to begin."""

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
        return minimize(problem, parameters.point, self.among(problem.spread), parameters, watch or (lambda _: None))

    def after(self, result: Result) -> Settings | None:
        """What may still be done of the steps that were allowed; None if those were all."""
        n = self.max_iterations - result.n_iterations
        return replace(self, max_iterations=n) if n > 0 else None

    def written(self, result: Result) -> list[str]:
        """The words that, typed, end where an interrupted search did."""
        sign = -1.0 if self.scaled else 1.0
        numbers = (self.lam, sign * self.rtol, None if self.atol is None else sign * self.atol)
        limits = [str(result.n_iterations), str(self.max_errors)]
        return ["MARQUARDT", *("AUTO" if each is None else exact(each) for each in numbers), *limits]


class Decomposed:
    """A Jacobian by its singular values, with the steps that follow from it.

    Its columns are divided by `units`, if these are given, or by their own lengths, if they are to be scaled. With
    units, steps have no part along directions that the residuals do not see.
    """

    def __init__(self, evaluation: Evaluation, scaled: bool = False, units: Array | None = None):
        jac = evaluation.jac if units is None else evaluation.jac / units
        parts = decompose(np.ascontiguousarray(jac), evaluation.residuals, scaled)
        self.lengths, self.s, self._vt, self._uf, self.gradient = parts
        if units is not None:
            self.lengths = self.lengths * units
            self.s = np.where(believed(self.s, evaluation.precision), self.s, 0.0)

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
        self.lam = settings.first_lambda
        self.longest: Array | None = None  # the greatest lengths of the columns so far
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
            interrupts.answered()
            return self._result(Ending.INTERRUPTED)

    def _iterate(self) -> Ending:
        least = self.settings.least_fall
        while self.n_iterations < self.settings.max_iterations:
            before = self.best.sum_of_squares
            ending = self._improve(self._decomposed())
            if ending is not None:
                return ending
            if before - self.best.sum_of_squares < self.settings.rtol * self.best.sum_of_squares + least:
                return Ending.CONVERGED
            if self.best.sum_of_squares < least:
                return Ending.CONVERGED
        return Ending.LIMIT

    def _decomposed(self) -> Decomposed:
        if not self.settings.is_relative:
            return Decomposed(self._within_bounds(), self.settings.scaled)
        self.longest = longest(self.best, self.longest)
        return Decomposed(self._within_bounds(), units=np.where(self.longest > 0.0, self.longest, 1.0))

    def _within_bounds(self) -> Evaluation:
        """The best point with the parameters that press against a bound held there: they do not move."""
        if self.parameters is None:
            return self.best
        pressed = self.parameters.pressed(self.p, self.best.gradient)
        jac = np.where(pressed, 0.0, self.best.jac) if pressed.any() else self.best.jac
        return replace(self.best, jac=jac)

    def _projected(self, p: Array) -> Array:
        return p if self.parameters is None else self.parameters.project(p)

    def _improve(self, parts: Decomposed) -> Ending | None:
        """Find a better point, raising lambda as often as it takes; or say why there is none."""
        while True:
            step = parts.step(self.lam)
            if float(step @ parts.gradient) >= -EPSILON * self.best.sum_of_squares:
                return Ending.CONVERGED
            with np.errstate(over="ignore"):  # a step that is too long for a number fails like any other
                whole = step / parts.lengths
            trial, accepted = self._try(whole, 1.0)
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
        """Shorten a step that is close to steepest descent, by parabolas.

        As in the listing (R1:=GA*R0**2/(2*(GA*R0+F-F1))) they take step'J'f for the slope of F, which is half of it,
        so that they lead to less than the minimum of the parabola that belongs to F; the published steps are these.
        """
        slope, part = float(step @ parts.gradient), 1.0
        change = step / parts.lengths
        for _ in range(MAX_INTERPOLATIONS):
            bend = slope * part + self.best.sum_of_squares - trial.sum_of_squares
            lowest = slope * part**2 / (2.0 * bend) if bend < 0.0 else 0.0  # 0 where F is flat to rounding
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
        with np.errstate(all="ignore"):  # a point that is too far away for a number is refused like any other
            p = self._projected(self.p + part * change)
        evaluation = self._evaluated(p)
        iteration, accepted = (
            self.n_iterations + 1,
            evaluation.usable and evaluation.sum_of_squares < self.best.sum_of_squares,
        )
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


def longest(evaluation: Evaluation, before: Array | None = None) -> Array:
    """The lengths of the columns of a Jacobian, or those that they had before where these were greater, (n_active,).

    They only grow (More 1978), so that a parameter that has lost its influence is not sent far away.
    """
    lengths = column_lengths(evaluation.jac)
    return lengths if before is None else np.maximum(lengths, before)


def _cosine(step: Array, gradient: Array) -> float:
    """Of the angle between a step and steepest descent; 1 where there is no direction left."""
    product = np.sqrt(float(step @ step) * float(gradient @ gradient))
    return -float(step @ gradient) / product if product > 0.0 else 1.0
