"""Observations whose errors have one standard deviation, and what can be wrong with them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.noise import Form, VariableNoise
from parfit.simulation.status import Status

OTHERS = "the others"  # what has no noise model of its own
OF_LAPLACE = 1.0 + 2.0 * math.log(2.0) - math.log(2.0 * math.pi)  # in E, of an error


class Group(NamedTuple):
    """Rows whose errors have one standard deviation."""

    name: str
    form: Form
    rows: NDArray[np.intp]
    is_estimated: bool = True

    @property
    def power(self) -> int:
        """By which the likelihood falls with a variance; of Laplace errors with a scale."""
        return self.rows.size * (2 if self.form.is_laplace else 1)

    @property
    def constant(self) -> float:
        return OF_LAPLACE * self.rows.size if self.form.is_laplace else 0.0

    def weight(self, total: float) -> float:
        """One over the variance with such a sum of squares."""
        return float(np.divide(self.power, total)) if self.is_estimated else 1.0


@dataclass(frozen=True)
class NotEstimated(Status):
    """The residuals of a group are 0, or what is computed has no logarithm or no size."""

    why: str = ""

    def __str__(self) -> str:
        return self.why


class Scaled(NamedTuple):
    """Rows over the sizes of their errors, what these add to E, and distances from priors; derivatives of all."""

    r: Array  # (n_rows,)
    jac: Array  # (n_rows, n_active)
    determinant: float
    slopes: Array  # of log sd, (n_rows, n_active)
    prior: Array  # (n_priors,)
    prior_jac: Array  # (n_priors, n_active)


def fault_of(model: VariableNoise, name: str, time: float) -> str:
    """Why there is no number for an observation."""
    at = f"at t = {time:.6g}"
    if model.form.is_of_logarithm:
        return f"the errors of {name} cannot be estimated here: {at} it is computed to be 0 or less, with no logarithm"
    if model.form is Form.RELATIVE:
        return (
            f"the errors of {name} cannot be estimated here: {at} it is computed to be 0, as would be its standard "
            f"deviation; give that observation the weight 0, or use ADDITIVE or BOTH"
        )
    return f"the standard deviation of {name} is not positive {at}"


def with_known_errors(observations: Observations) -> frozenset[str]:
    """The variables whose standard deviations are known, their reciprocals being the weights."""
    from parfit.estimation.diagnosis.residual_tests import has_known_errors  # which imports what is below it

    return frozenset(name for name in observations.names if has_known_errors(observations, name))
