"""How far priors have pulled parameters from where the data alone would have them, by the linear theory there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parfit.arrays import Array
from parfit.estimation.noise import Noise
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.prior import Prior
from parfit.estimation.problem import Evaluation
from parfit.spectrum import directions


class Pull(NamedTuple):
    """A parameter with a prior: its value, and where it would be without that one prior."""

    name: str
    prior: Prior
    value: float
    without: float  # NaN where the data do not determine it; what is frozen stays

    @property
    def distance(self) -> float:
        """From the center of the prior, in its standard deviations or scales."""
        return self.prior.distance(self.value)


@np.errstate(all="ignore")
def pulls(noise: Noise, map_: ParameterMap, at: Evaluation) -> tuple[Pull, ...]:
    """Of every prior at a usable evaluation of the map's own parameters."""
    found, rows = [], dict(zip(noise.felt, range(at.n_priors), strict=False))
    for name, prior in noise.priors.items():
        k = map_.names.index(name)
        without = np.nan if k in map_.active else float(map_.full[k])
        if k in map_.active and name in rows:
            without = _without(at, at.n_data + rows[name], map_, map_.active.index(k))
        found.append(Pull(name, prior, float(map_.full[k]), without))
    return tuple(found)


def _without(at: Evaluation, row: int, map_: ParameterMap, j: int) -> float:
    """The value of the active parameter j by a Gauss-Newton step without one row."""
    others = np.arange(at.residuals.size) != row
    jac, residuals = at.jac[others], at.residuals[others]
    seen = directions(jac, at.precision)
    if seen.rank < jac.shape[1]:
        unit = np.zeros(jac.shape[1])
        unit[j] = 1.0
        if np.abs(seen.null @ unit).max(initial=0.0) > 1e-6:
            return np.nan
    step: Array = -(seen.v[: seen.rank].T @ (seen.explained(residuals) / seen.s[: seen.rank])) / seen.lengths
    return float(map_.expand(map_.point + step)[map_.active[j]])
