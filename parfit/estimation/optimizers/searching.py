"""The loop of a search: where the kernel's method wants to look, the problem is evaluated, and it is told.

Where the whole problem is known to the kernel, the loop is there, and Python hears of the trials now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parfit import interrupts
from parfit.arrays import Array
from parfit.estimation.problem import Ending, Evaluation, Problem, Remembered, Result, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.kernel.fit import TRIAL, Fit
from parfit.kernel.search import ENDINGS, Search

EVERY = 0.1  # seconds between two reports of trials
N_KEPT = len(TRIAL)


def searched(
    problem: Problem,
    search: Search,
    start: Array,
    first: Evaluation,
    progress: Callable[[Trial], None] | None,
) -> Result:
    """Search from a point, with what was found there, to the end; Ctrl-C ends it at the best point so far."""
    search.begin(start, first.residuals, first.jac, first.sum_of_squares, first.usable)
    if isinstance(problem, TrajectoryFit) and problem.kernel is not None:
        return _InKernel(problem, search, progress).run(start, first)
    return _in_python(problem, search, start, first, progress)


def _in_python(
    problem: Problem, search: Search, start: Array, first: Evaluation, progress: Callable[[Trial], None] | None
) -> Result:
    best_p, best, best_looseness = start, first, 1.0
    lam = search.lam
    try:
        while search.goes_on:
            p, lam, part, looseness = search.point, search.lam, search.part, search.looseness
            found = _evaluated(problem, p, looseness)
            search.tell(found.residuals, found.jac, found.sum_of_squares, found.usable)
            if search.accepted:
                best_p, best, best_looseness = p, found, looseness
            if progress is not None:
                iteration = search.n_iterations + (not search.accepted)
                progress(Trial(iteration, p, lam, part, found, search.accepted, search.value, looseness))
        lam, ending = search.last_lam, Ending[ENDINGS[search.ending]]
    except KeyboardInterrupt:
        interrupts.answered()
        ending = Ending.INTERRUPTED
    if best_looseness > 1.0:
        best = problem.evaluate(best_p)
    return Result(best_p, best, ending, lam, search.n_iterations, search.n_evaluations)


def _evaluated(problem: Problem, p: Array, looseness: float) -> Evaluation:
    if looseness > 1.0 and isinstance(problem, TrajectoryFit):
        return problem.evaluate_loosely(p, looseness)
    return problem.evaluate(p)


class _InKernel:
    """A search in the kernel, and how many of its trials were told."""

    def __init__(self, problem: TrajectoryFit, search: Search, progress: Callable[[Trial], None] | None):
        self._problem, self._search, self._progress = problem, search, progress
        self._fit = Fit(problem.kernel, search)
        self._n_told = 0
        self._is_interrupted = False

    def run(self, start: Array, first: Evaluation) -> Result:
        try:
            while self._advance():
                self._tell()
            self._tell()
        except KeyboardInterrupt:  # somebody who has heard of a trial wants no more than that
            self._is_interrupted = True
        if self._is_interrupted:
            interrupts.answered()
        return self._result(start, first)

    def _advance(self) -> bool:
        """Go on for a while; whether there is more to do."""
        try:
            return bool(self._fit.advance(EVERY))
        except KeyboardInterrupt:
            self._is_interrupted = True
            return False

    def _tell(self) -> None:
        if self._progress is None:
            self._n_told = self._fit.n_trials
            return
        for row in self._fit.trials(self._n_told):
            self._n_told += 1
            self._progress(self._trial(row))

    def _trial(self, row: Array) -> Trial:
        iteration, accepted, lam, part, value, total, fault, bad_row, reason, time, state, loose = row[
            :N_KEPT
        ].tolist()
        p = row[N_KEPT:].copy()
        status = self._problem.status(int(fault), int(bad_row), int(reason), time, int(state))
        found = Remembered(total, not fault, status, partial(self._problem.evaluate, p))
        return Trial(int(iteration), p, lam, part, found, bool(accepted), value, loose)

    def _result(self, start: Array, first: Evaluation) -> Result:
        """Where it has ended; or at the best of the trials that were told, for who wanted no more than these."""
        if self._n_told < self._fit.n_trials or self._is_interrupted:
            return self._cut_short(start, first)
        search, p, best = self._search, start, first
        if search.n_iterations:
            p, best = self._best()
        return Result(
            p, best, Ending[ENDINGS[search.ending]], search.last_lam, search.n_iterations, search.n_evaluations
        )

    def _cut_short(self, start: Array, first: Evaluation) -> Result:
        rows = self._fit.trials()
        told, rest = rows[: self._n_told], rows[self._n_told :]
        accepted = told[told[:, 1] > 0]
        p, best = start, first
        if accepted.size and (rest[:, 1] > 0).any():
            p = accepted[-1, N_KEPT:].copy()
            best = self._problem.evaluate(p)
        elif accepted.size:
            p, best = self._best()
        lam = float(told[-1, 2]) if told.size else self._search.lam
        return Result(p, best, Ending.INTERRUPTED, lam, len(accepted), 1 + len(told))

    def _best(self) -> tuple[Array, Evaluation]:
        """The best trial of all."""
        p, f, jac, solution, looseness = self._fit.best_found()
        if looseness > 1.0:  # it was not to be the end
            return p, self._problem.evaluate(p)
        best = self._problem.evaluation(p, f, jac, solution, self._problem.status(0, -1, *solution[2][:3]))
        self._problem.remember(p, best)
        return p, best
