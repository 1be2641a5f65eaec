"""Where one more observation would help most: exact updates of the singular values, one row at a time."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap
from parfit.model.naming import base_of
from parfit.model.said.reading import sd_name
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import RANK, Spectrum, column_lengths, singular_values

HELPFUL = 1.01  # least factor by which one more observation should raise a singular value
CHUNK = 256  # candidates that are computed together


@dataclass(frozen=True)
class NextObservation:
    """The one more observation that would help most, and what it does to the singular value that it is to raise."""

    variable: str
    time: float
    weight: float
    before: float
    after: float

    @property
    def helps(self) -> bool:
        return self.after > HELPFUL * self.before


def advise(
    run: Trajectory, map_: ParameterMap, data: Observations, spectrum: Spectrum, rank: int
) -> NextObservation | None:
    """The observation that raises the smallest singular value of relative changes most; None if there is none.

    Of several that are 0 the first is meant, as one observation can raise only one of them from 0.
    """
    names, weights, rows = candidates(run, map_, data)
    m = spectrum.s.size
    target = min(rank, m - 1)
    z = rows.reshape(-1, m) @ spectrum.v.T
    # By Courant and Fischer a row cannot raise the square of that singular value by more than this.
    bound = np.hypot(spectrum.s[target], column_lengths(z[:, target:].T))
    order = np.argsort(-bound, kind="stable")
    order = order[np.isfinite(bound[order])]
    best, before = -1, float(spectrum.s[target]) if rank == m else 0.0
    after = before + RANK * float(spectrum.s[0])
    for start in range(0, order.size, CHUNK):
        chunk = order[start : start + CHUNK]
        if bound[chunk[0]] <= after:
            break
        raised = updated(spectrum.s, z[chunk])[:, target]
        if raised.max() > after:
            best, after = int(chunk[raised.argmax()]), float(raised.max())
    if best < 0:
        return None
    at, which = divmod(best, len(names))
    return NextObservation(names[which], float(run.times[at]), float(weights[which]), before, after)


def updated(s: Array, z: Array) -> Array:
    """Singular values after one row is added: for each row of z, given in the right singular vectors, (n, m)."""
    stacked = np.zeros((len(z), s.size + 1, s.size))
    stacked[:, : s.size] = np.diag(s)
    stacked[:, s.size] = z
    return singular_values(stacked)


def candidates(run: Trajectory, map_: ParameterMap, data: Observations) -> tuple[tuple[str, ...], Array, Array]:
    """All variables, the weight of an observation of each, and its row by relative changes, (n_times, n_names, m).

    What was observed keeps its typical weight; what was not is weighted as the others are next to their sizes.
    """
    assert run.s is not None
    assert run.aux_s is not None
    names = (*run.model.states, *(name for name, _ in run.model.aux))
    values = np.concatenate((run.y, run.aux), axis=1)
    largest = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    sizes = np.where(largest > 0.0, largest, 1.0)
    typical = {name: float(np.median(w[w > 0])) for name, w in zip(data.names, data.weights.T, strict=True) if w.any()}
    known = [typical[name] * size for name, size in zip(names, sizes, strict=True) if name in typical]
    precision = float(np.median(known)) if known else 1.0
    weights = np.array([typical.get(name, precision / size) for name, size in zip(names, sizes, strict=True)])
    errors = {sd_name(base_of(name)) for name in names}  # whose sizes nobody can observe
    weights[[base_of(name) in errors for name in names]] = 0.0
    rows = np.concatenate((run.s, run.aux_s), axis=1) * map_.units * weights[:, np.newaxis]
    return names, weights, rows
