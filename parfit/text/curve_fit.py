"""What is said of parameters that were fitted to curves."""

from __future__ import annotations

from parfit.errors import NumericalError
from parfit.estimation.optimizers.linear import CUTOFF
from parfit.estimation.optimizers.sparse_gauss_newton import Outcome
from parfit.estimation.problem import Ending
from parfit.estimation.strategies.curve_fit import Estimate, Solved
from parfit.estimation.strategies.rounds import Rounds
from parfit.session.environment import Environment
from parfit.simulation.status import Status
from parfit.text import report

FAILS = "CONTIN crosses such regions; other joints (RESMOOTH) or another guess (CREOBS) may help too"
OUTSIDE = "the solution of the linear problem lies outside the BOUNDS; within them the best is searched for"


def result_text(env: Environment, estimate: Estimate, title: str) -> str:
    """For the report."""
    return f"{title}: SUM OF SQUARES {report.number(estimate.sum_of_squares)}\n{report.parameters(env)}\n"


def solved(found: Solved) -> str:
    """A linear problem: how well it determines its parameters, and whether that was all."""
    result = found.result
    lines = [
        f"LINEAR PROBLEM, SINGULAR VALUES {' '.join(map(report.number, result.singular_values))}",
        f"SINGULAR VALUE REJECTION RATIO IS {report.number(CUTOFF)}, {result.n_rejected} REJECTED",
    ]
    if result.n_rejected:
        lines.append(_not_determined(found))
    if found.is_outside:
        lines.append(OUTSIDE)
    return "\n".join(lines)


def _not_determined(found: Solved) -> str:
    """Which parameters the curves leave open, and what became of them."""
    map_, n = found.parameters, found.result.n_rejected
    names = [map_.names[map_.active[k]] for k in found.result.undetermined]
    if len(names) == n:
        return f"not determined by the curves: {', '.join(names)}; unchanged"
    which = "a combination" if n == 1 else f"{n} combinations"
    return f"not determined by the curves: {which} of {', '.join(names)}; of all solutions that nearest to the start"


def stopped(estimate: Estimate) -> str:
    """Why a search ended, unless it converged."""
    if estimate.search is None or estimate.search.result.ending is Ending.CONVERGED:
        return ""
    return f"STOPPED: {estimate.search.result.ending.value}; give the command again to go on from here"


# ---- where it cannot be done


def failure(status: Status) -> NumericalError:
    """The problem of the curves."""
    return NumericalError(f"the problem cannot be computed at the starting values: {status}", FAILS)


def round_failure(rounds: Rounds) -> NumericalError:
    """A round, by what went wrong in it."""
    if rounds.estimate is not None and rounds.estimate.failure is not None:
        return failure(rounds.estimate.failure)
    if rounds.failure is not None:
        return NumericalError(
            f"the equations of the guessed states cannot be integrated: {rounds.failure}", "try IFIT 4"
        )
    return NumericalError(f"the guesses cannot be improved: {Outcome.START.value}")


def round_text(rounds: Rounds) -> str:
    """What a round has led to."""
    assert rounds.estimate is not None
    total = report.number(rounds.estimate.sum_of_squares)
    return f"ITERATION {len(rounds.seen) - 1}: SUM OF SQUARES {total}\n{report.parameters(rounds.env)}"
