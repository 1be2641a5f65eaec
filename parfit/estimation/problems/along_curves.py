"""What is computed along curves, compared with what these say: what derivative and integral fitting share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parfit.arrays import Array
from parfit.estimation.curves.sampled import Weights, weights_at
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.spread import spread
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.simulation.blending import Blended
from parfit.simulation.pointwise import status_of


class AlongCurves:
    """Residuals by time and then by variable, states before aux quantities; a curve weighs like its observations.

    `expected` (n, n_names) is what the curves say at the last n of the times.
    """

    def __init__(
        self, parameters: ParameterMap, times: Array, names: tuple[str, ...], expected: Array, weights: Weights | None
    ):
        self.parameters, self.times, self.names = parameters, times, names
        self._expected = expected
        self._weights = weights_at(weights, names, times)[times.size - len(expected) :]

    @property
    def spread(self) -> float:
        """That of what the curves say, a weighted sum of squares."""
        return spread(self._expected, self._weights)

    def _compared(self, active: Array, computed: Array, derivatives: Array) -> Evaluation:
        """From what is computed, like `expected`, and its derivatives by unscaled parameters (..., n_active)."""
        residuals, slopes = computed - self._expected, self.parameters.slopes(active)
        status = status_of(self.times[self.times.size - len(residuals) :], self.names, residuals, derivatives)
        residuals, jac = residuals * self._weights, derivatives * self._weights[:, :, np.newaxis]
        if (slopes != 1.0).any():
            jac = jac * slopes
        return Evaluation(residuals.ravel(), jac.reshape(residuals.size, slopes.size), status)


def held(model: Model, curves: Mapping[str, Curve]) -> Blended:
    """States with a curve are held at it, the others follow their equations (section 3.2)."""
    gamma = np.array([0.0 if name in curves else 1.0 for name in model.states])
    return Blended(gamma, [curves.get(name) for name in model.states])
