"""Whether solution and data are of the same size at all: they are not where somebody has mixed up units."""

from __future__ import annotations

import numpy as np

from parfit.data.observations import Observations
from parfit.estimation.problem import Evaluation
from parfit.spectrum import column_lengths

APART = 1e4  # times as large: starting values that are only bad lead to less in most models


@np.errstate(all="ignore")
def apart(evaluation: Evaluation, observations: Observations) -> tuple[tuple[str, float], ...]:
    """The variables whose observations are far larger than the solution, if that is not 0, and by what factor."""
    rows, which = np.nonzero(observations.observed)
    weighted = observations.weights[rows, which] * observations.values[rows, which]
    found = []
    for j, name in enumerate(observations.names):
        data, residuals = weighted[which == j], evaluation.residuals[: which.size][which == j]
        observed, computed = column_lengths(np.stack((data, residuals + data), axis=1)).tolist()
        if observed > APART * computed > 0.0:
            found.append((name, observed / computed))
    return tuple(found)
