"""The loop of a search: where the kernel's method wants to look, the problem is evaluated, and it is told."""

from __future__ import annotations

from collections.abc import Callable

from parfit import interrupts
from parfit.arrays import Array
from parfit.estimation.problem import Ending, Evaluation, Problem, Result, Trial
from parfit.kernel.search import ENDINGS, Search


def searched(
    problem: Problem,
    search: Search,
    start: Array,
    first: Evaluation,
    progress: Callable[[Trial], None] | None,
) -> Result:
    """Search from a point, with what was found there, to the end; Ctrl-C ends it at the best point so far."""
    best_p, best = start, first
    search.begin(start, first.residuals, first.jac, first.sum_of_squares, first.usable)
    lam = search.lam
    try:
        while search.goes_on:
            p, lam, part = search.point, search.lam, search.part
            found = problem.evaluate(p)
            search.tell(found.residuals, found.jac, found.sum_of_squares, found.usable)
            if search.accepted:
                best_p, best = p, found
            if progress is not None:
                iteration = search.n_iterations + (not search.accepted)
                progress(Trial(iteration, p, lam, part, found, search.accepted, search.value))
        lam, ending = search.last_lam, Ending[ENDINGS[search.ending]]
    except KeyboardInterrupt:
        interrupts.answered()
        ending = Ending.INTERRUPTED
    return Result(best_p, best, ending, lam, search.n_iterations, search.n_evaluations)
