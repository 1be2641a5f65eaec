"""What is said of sequential reestimation: after each batch, when it ends early, and in the end."""

from __future__ import annotations

from parfit.estimation.diagnosis.minimum import unseen
from parfit.estimation.problem import Ending
from parfit.estimation.strategies.seq import Failure, Place, Reestimation
from parfit.text import report

REMEDIES = {
    Ending.LIMIT: "REPEAT the batch with more iterations or larger tolerances, if this is not good enough",
    Ending.ERRORS: "REPEAT the batch with a larger lambda, or take fewer observation times at once",
    Ending.NO_REDUCTION: "REPEAT the batch with another lambda, or SCALE parameters",
}
MINIMUM = "this is a minimum of the full problem, as far as first derivatives tell"
ROUGH = "the linearization is too rough here: REPEAT with a larger lambda, or take fewer times at once"
FAILS = "take fewer observation times at once, a larger lambda, SET other values, or try OPTION"


def heading(place: Place) -> str:
    return f"BATCH {place.number} OF {place.n}, {_which(place.experiment, place.end)}"


def _which(experiment: str, end: float) -> str:
    return f"EXPERIMENT {experiment}" if experiment else f"UP TO t = {report.number(end)}"


def stopped(done: Reestimation) -> str:
    """Why the search of the latest batch ended, unless it converged or somebody ended it."""
    ending = done.estimates[-1].result.ending
    if ending in (Ending.CONVERGED, Ending.INTERRUPTED):
        return ""
    return f"STOPPED: {ending.value}; {REMEDIES[ending]}"


def hidden(done: Reestimation) -> str:
    """Which parameters the observations so far say nothing about."""
    map_ = done.env.parameters
    names = [map_.names[map_.active[j]] for j in unseen(done.estimates[-1].result.evaluation)]
    return f"the observations so far do not see {', '.join(names)}: unchanged" if names else ""


def batch_text(done: Reestimation) -> str:
    """The latest batch for the report: sums of squares and parameters."""
    latest, k, env = done.estimates[-1], len(done.estimates) - 1, done.env
    result, so_far = latest.result, latest.so_far
    work = f"{report.counted(result.n_iterations, 'step')}, {report.counted(result.n_evaluations, 'integration')}"
    total = report.number(result.evaluation.sum_of_squares)
    linear = f", {total} WITH THE EARLIER ONES LINEARIZED" if k else ""
    full = report.number(so_far.sum_of_squares) if so_far.usable else f"CANNOT BE HAD: {so_far.status}"
    return (
        f"BATCH {k + 1} {_which(done.experiment(k), done.batches.ends[k])}: SUM OF SQUARES "
        f"{report.number(latest.own_total)}{linear} ({work})\nSUM OF SQUARES OF ALL OBSERVATIONS SO FAR {full}\n"
        f"{report.parameters(env.with_values(env.parameters.expand(result.p)))}\n"
    )


def failure(found: Failure) -> str:
    where = "from what the one before led to" if found.place.number > 1 else "at the starting values"
    return f"batch {found.place.number} cannot be integrated {where}: {found.status}"


def kept(done: Reestimation) -> str:
    n = len(done.estimates)
    return f"kept is what the first {'batch' if n == 1 else f'{n} batches'} led to"
