"""Whether the linear theory holds over the confidence region: F on its boundary (Bard, in the thesis, section 1.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.diagnosis.statistics import Statistics

# By what factor the rise of F may differ from the linear theory's; the distance to the boundary goes with its square
# root, so that intervals are then wrong by less than about a fifth.
TOLERATED = 1.5


@dataclass(frozen=True, eq=False)
class BoundaryPoint:
    """A point of the boundary: at the end of a principal axis, or where a parameter is largest or smallest."""

    kind: str  # "axis" or "parameter"
    number: int  # of the axis or the active parameter, from 0
    sign: int
    change: Array  # from the estimate, scaled, (n_active,)
    rise: float  # of F by the linear theory
    actual: float  # rise of F; infinite where the equations cannot be integrated

    @property
    def failed(self) -> bool:
        return not np.isfinite(self.actual)

    @property
    def factor(self) -> float:
        """By how much F rises more than it should; below 1 if it rises less."""
        return self.actual / self.rise

    @property
    def is_doubtful(self) -> bool:
        return not 1.0 / TOLERATED <= self.factor <= TOLERATED


def check_linearity(
    cost: Callable[[Array], float],
    start: Array,
    gradient: Array,
    found: Statistics,
    progress: Callable[[float], None] = lambda part: None,
) -> tuple[BoundaryPoint, ...]:
    """F on the boundary of the region; `cost` gives it at scaled parameters, infinite where it cannot be had.

    `progress` hears what part is done.

    The linear theory has F(p + d) = F + 2 d'J'f + d'J'Jd, where `gradient` is J'f. (The thesis prints .5 for the last
    term, as for a Hessian matrix 2 J'J.)
    """
    if found.intervals is None:
        return ()
    radius = found.intervals.radius
    points, changes = list[BoundaryPoint](), list(_changes(found))
    for k, (kind, number, change) in enumerate(changes):
        progress(k / len(changes))
        for sign in (1, -1):
            rise = radius**2 + 2.0 * sign * float(change @ gradient)
            with np.errstate(all="ignore"):
                actual = cost(start + sign * change) - found.sum_of_squares
            points.append(BoundaryPoint(kind, number, sign, sign * change, rise, actual))
    return tuple(points)


def _changes(found: Statistics) -> Iterator[tuple[str, int, Array]]:
    """From the centre to the boundary."""
    assert found.intervals is not None
    parts = found.intervals
    for k, (axis, length) in enumerate(zip(parts.axes, parts.lengths, strict=True)):
        yield "axis", k, length * axis
    if found.n_active == 1:
        return  # the axis is the parameter
    known = found.determination
    for k in np.flatnonzero(known.determined).tolist():
        inverse = known.unit_inverse[k]
        yield "parameter", k, parts.radius * inverse / np.sqrt(inverse[k]) / known.lengths
