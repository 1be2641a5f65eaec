"""The loop of a search: where the kernel's method wants to look, the problem is evaluated, and it is told.

Where the whole problem is known to the kernel, the loop is there, and Python hears of the trials now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from parfit import interrupts
from parfit.arrays import Array
from parfit.awaited import Awaited, known
from parfit.estimation.problem import Ending, Evaluation, Problem, Remembered, Result, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.trace import Tried
from parfit.kernel.fit import TRIAL, Fit
from parfit.kernel.search import ENDINGS, Search
from parfit.simulation.status import Status

EVERY = 0.1  # seconds between two reports of trials
N_KEPT = len(TRIAL)


def searched(
    problem: Problem,
    new: Callable[[int, int, float], Search],
    start: Array,
    first: Evaluation | None,
    progress: Callable[[Trial], None] | None,
) -> Result:
    """Search from a point, with what was found there if that is known, to the end; Ctrl-C ends it at the best so far.

    `new` makes the search for so many residuals and parameters, and the precision of the Jacobian.
    """
    if isinstance(problem, TrajectoryFit) and problem.kernel is not None:
        kernel = problem.kernel
        search = new(kernel.n, kernel.m, problem.precision)
        return _InKernel(problem, search, start, first or problem.remembered(start), progress).run()
    first = first or problem.evaluate(start)
    n, m = first.jac.shape
    search = new(n, m, first.precision)
    search.begin(start, first.residuals, first.jac, first.sum_of_squares, first.usable)
    return _in_python(problem, search, start, first, progress)


def _in_python(
    problem: Problem, search: Search, start: Array, first: Evaluation, progress: Callable[[Trial], None] | None
) -> Result:
    best_p, best, best_looseness = start, first, 1.0
    lam, tried = search.lam, list[Tried]()
    try:
        while search.goes_on:
            p, lam, part, looseness = search.point, search.lam, search.part, search.looseness
            found = _evaluated(problem, p, looseness)
            search.tell(found.residuals, found.jac, found.sum_of_squares, found.usable)
            if search.accepted:
                best_p, best, best_looseness = p, found, looseness
            iteration = search.n_iterations + (not search.accepted)
            trial = Trial(iteration, p, lam, part, found, search.accepted, search.value, looseness)
            tried.append(_kept(trial))
            if progress is not None:
                progress(trial)
        lam, ending = search.last_lam, Ending[ENDINGS[search.ending]]
    except KeyboardInterrupt:
        interrupts.answered()
        ending = Ending.INTERRUPTED
    if best_looseness > 1.0:
        best = problem.evaluate(best_p)
    return Result(best_p, best, ending, lam, search.n_iterations, search.n_evaluations, known(tuple(tried)))


def _evaluated(problem: Problem, p: Array, looseness: float) -> Evaluation:
    if looseness > 1.0 and isinstance(problem, TrajectoryFit):
        return problem.evaluate_loosely(p, looseness)
    return problem.evaluate(p)


def _kept(trial: Trial) -> Tried:
    at, step = trial.evaluation, (np.array(trial.p), trial.lam, trial.part, trial.total)
    return Tried(*step, at.status, at.usable, trial.accepted, trial.looseness)


class _InKernel:
    """A search in the kernel, and how many of its trials were told."""

    def __init__(
        self,
        problem: TrajectoryFit,
        search: Search,
        start: Array,
        first: Evaluation | None,
        progress: Callable[[Trial], None] | None,
    ):
        self._problem, self._search, self._progress = problem, search, progress
        self._start, self._first = start, first
        if first is None:
            self._fit = Fit(problem.kernel, search, start)
        else:
            search.begin(start, first.residuals, first.jac, first.sum_of_squares, first.usable)
            n_steps = first.trajectory.n_steps if first.trajectory is not None else 0
            self._fit = Fit(problem.kernel, search, None, n_steps)
        self._n_told = 0
        self._is_interrupted = False

    def run(self) -> Result:
        try:
            while self._advance():
                self._tell()
            self._tell()
        except KeyboardInterrupt:  # somebody who has heard of a trial wants no more than that
            self._is_interrupted = True
        if self._is_interrupted:
            interrupts.answered()
        return self._result()

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
        kept, (iteration, total) = _tried(self._problem.status, row), row[[0, 5]].tolist()
        found = Remembered(total, kept.usable, kept.status, partial(self._problem.evaluate, kept.p))
        return Trial(int(iteration), kept.p, kept.lam, kept.part, found, kept.accepted, kept.total, kept.looseness)

    def _result(self) -> Result:
        """Where it has ended; or at the best of the trials that were told, for who wanted no more than these."""
        if self._is_interrupted or self._n_told < self._fit.n_trials:
            return self._cut_short()
        search, (p, best) = self._search, self._best()
        work = search.n_iterations, search.n_evaluations
        return Result(p, best, Ending[ENDINGS[search.ending]], search.last_lam, *work, self._told(self._fit.trials()))

    def _told(self, rows: Array) -> Awaited[tuple[Tried, ...]]:
        """The trials of these rows, for who asks for them; it takes longer to make them than a small fit takes."""
        status = self._problem.status
        return Awaited(lambda: tuple(_tried(status, row) for row in rows))

    def _cut_short(self) -> Result:
        rows = self._fit.trials()
        told, rest = rows[: self._n_told], rows[self._n_told :]
        accepted = told[told[:, 1] > 0]
        if not (rest[:, 1] > 0).any():
            p, best = self._best()
        elif accepted.size:
            p = accepted[-1, N_KEPT:].copy()
            best = self._problem.evaluate(p)
        else:
            p, best = self._start, self._first or self._problem.evaluate(self._start)
        lam = float(told[-1, 2]) if told.size else self._search.lam
        return Result(p, best, Ending.INTERRUPTED, lam, len(accepted), 1 + len(told), self._told(told))

    def _best(self) -> tuple[Array, Evaluation]:
        """The best of all, which may be the start."""
        found = self._fit.best_found()
        if found is None:
            assert self._first is not None
            return self._start, self._first
        looseness, p, told = found
        if looseness > 1.0:  # it was not to be the end
            return p, self._problem.evaluate(p)
        best = self._problem.evaluation(*told)
        self._problem.remember(p, best)
        return p, best


def _tried(status: Callable[[int, int, int, float, int], Status], row: Array) -> Tried:
    """A trial as the kernel keeps it; what its numbers say of an evaluation `status` knows."""
    _, accepted, lam, part, value, _, fault, bad_row, reason, time, state, loose = row[:N_KEPT].tolist()
    found = status(int(fault), int(bad_row), int(reason), time, int(state))
    return Tried(row[N_KEPT:].copy(), lam, part, value, found, not fault, bool(accepted), loose)
