"""What the data cannot tell apart: parameters that can change together, found in null vectors and then tried."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.data.observations import Observations
from parfit.dataclass import dataclass
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems import trajectory_fit
from parfit.simulation.trajectory import Trajectory
from parfit.spectrum import directions, eliminated

ABSENT = 1e-6  # part of a null vector, in columns of length 1, that is rounding and not a parameter's share
EXACT = 1e-7  # relative change of predictions that is none
NOISE = 20.0  # times the precision of derivatives, how well predictions agree that should: errors add up on the way
LOUDEST = 1e-4  # of which it cannot be said any more whether they agree
WHOLE = 1e-5  # how near exponents and coefficients are to whole numbers that are meant
MOST = 6  # the largest whole number that is looked for


class Form(Enum):
    """How parameters make up for each other: by factors, or by differences."""

    PRODUCT = "product"
    SUM = "sum"


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Parameters that can change together without any change of the residuals, to first order at least."""

    members: tuple[int, ...]  # subscripts from 0
    coefficients: Array  # exponents of a common factor, or multiples of a common difference
    form: Form
    change: float  # of the predictions, relative to the largest, when tried; NaN if it could not be
    tried: Array | None  # all parameters as they were tried
    noise: float  # by which predictions differ that should agree, relative to the largest

    @property
    def exact(self) -> bool:
        return self.change <= max(EXACT, self.noise)


def null_vectors(columns: Array, precision: float = 0.0) -> list[Array]:
    """A basis, with as many zeros as elimination gives, of the changes that columns of length 1 do not see."""
    if not columns.shape[1]:
        return []
    found = directions(columns, precision)
    least = max(ABSENT, found.tilt)
    return [np.where(np.abs(row) > least * np.abs(row).max(), row, 0.0) for row in eliminated(found.null)]


def trade_off(
    run: Trajectory, map_: ParameterMap, data: Observations, predictions: Array, seen: NDArray[np.intp], row: Array
) -> TradeOff:
    """What a null vector of relative changes means: as factors if that holds when tried, otherwise as differences."""
    present = np.flatnonzero(row)
    places = seen[present]
    members = np.array(map_.active)[places]
    p = map_.full[members]
    differences = row[present] * map_.units[places]
    found = []
    if (p != 0.0).all():
        powers = _plain(differences / p)
        found.append(_tried(run, data, predictions, members, powers, Form.PRODUCT))
    if not found or not found[0].exact:
        found.append(_tried(run, data, predictions, members, _plain(differences), Form.SUM))
    return min(found, key=lambda each: (np.isnan(each.change), each.change))


def _plain(vector: Array) -> Array:
    """A vector as small whole numbers if it is a multiple of such; otherwise with a first entry of 1."""
    vector = vector * np.sign(vector[0])
    for q in range(1, MOST + 1):
        scaled = vector * (q / np.abs(vector).max())
        whole: Array = np.round(scaled)
        if (np.abs(scaled - whole) < WHOLE).all() and (whole != 0.0).all():
            return whole
    plain: Array = vector / vector[0]
    return plain


def _tried(
    run: Trajectory, data: Observations, predictions: Array, members: NDArray[np.intp], by: Array, form: Form
) -> TradeOff:
    """A trade-off after an integration at other values: by a factor of 2, or by less where that one fails."""
    change, tried = np.nan, None
    for size in (1.0, -1.0, 0.1, -0.1):
        full = run.parameters.copy()
        full[members] = _moved(full[members], by, form, size)
        other = run.simulator(full)
        after = trajectory_fit.residuals(other, data)
        if other.status and np.isfinite(after).all():
            difference = np.abs(after - trajectory_fit.residuals(run, data)).max()
            change, tried = float(difference / (np.abs(predictions).max() or 1.0)), full
            break
    noise = min(NOISE * run.simulator.method.precision, LOUDEST)
    return TradeOff(tuple(map(int, members)), by, form, change, tried, noise)


def _moved(p: Array, by: Array, form: Form, size: float) -> Array:
    """Parameters moved along a trade-off; of size 1, one of them doubles, halves, or changes by half of itself."""
    moved: Array
    if form is Form.PRODUCT:
        moved = p * 2.0 ** (size * by / np.abs(by).max())
    else:
        nonzero = p != 0.0
        step = 0.5 / np.abs(by[nonzero] / p[nonzero]).max() if nonzero.any() else 1.0 / np.abs(by).max()
        moved = p + size * step * by
    return moved
