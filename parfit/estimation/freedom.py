"""Degrees of freedom: how many errors are left to estimate their size from, where priors count beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from parfit.data.observations import Observations
from parfit.estimation.diagnosis.residual_tests import counted, rows_counted
from parfit.estimation.problem import Evaluation
from parfit.spectrum import directions


class Freedom(NamedTuple):
    """What an evaluation determines, and by what."""

    n_observations: int  # that count
    rank: int  # how many combinations of the parameters are determined
    n_by_priors: int  # as many of these as priors determine, rather than the data

    @property
    def n_free(self) -> int:
        """A prior frees an observation as far as it does the work of one: one that is vague frees none."""
        return self.n_observations - self.rank + self.n_by_priors


@np.errstate(all="ignore")
def freedom(at: Evaluation, observations: Observations, held: Sequence[int] = ()) -> Freedom:
    """Of a usable evaluation; what is `held`, subscripts among the active parameters, is taken to be known."""
    jac = np.delete(at.jac[rows_counted(at, observations)], held, axis=1)
    seen = directions(jac, at.precision)
    share = 0.0 if at.of_priors is None else seen.leverage(np.delete(at.of_priors, held, axis=1))
    return Freedom(int(np.count_nonzero(counted(observations))), seen.rank, round(share))
