"""Sequential reestimation: the solution after the latest batch, and the observations so far."""

from __future__ import annotations

from dataclasses import replace

from parfit.estimation.strategies.seq import Reestimation
from parfit.pictures.solution import fitted
from parfit.plotting import Picture


def batch_picture(done: Reestimation) -> Picture:
    """From the initial time on or, where that cannot be integrated, from the beginning of the batch."""
    latest, n = done.estimates[-1], len(done.estimates)
    seen = replace(done.env, observations=done.batches.so_far(n - 1).observations)
    if latest.so_far.usable:
        found = fitted(seen, latest.so_far.trajectory, f"after batch {n}")
    else:
        found = fitted(seen, latest.result.evaluation.trajectory, f"batch {n} from its beginning")
    assert found is not None
    return found
