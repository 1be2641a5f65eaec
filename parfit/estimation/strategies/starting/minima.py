"""What many searches have found, gathered: sums of squares that are the same are one minimum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass

SAME = 1e-3  # relative difference of sums of squares at one minimum
CLOSE = 3.0  # of F's distribution, above its percentile 95 but for few data: minima that chance may have exchanged
ALONE = 0.25  # of the searches that explain the data: if so many end where no other does, other minima are left
# Of the searches that explain the data: if fewer end about as low as the best, it is one of many.
ABOUT, MET = 0.01, 0.25


class Ended(Protocol):
    """A search that has come to its end."""

    @property
    def label(self) -> str: ...
    @property
    def total(self) -> float: ...
    @property
    def values(self) -> Array: ...


@dataclass(frozen=True, eq=False)
class Minimum:
    """One sum of squares, and the searches that have ended there, in their order."""

    total: float
    searches: tuple[Ended, ...]

    @property
    def n(self) -> int:
        return len(self.searches)

    @property
    def is_one_point(self) -> bool:
        """Whether all have ended at the same parameters."""
        all_values = np.array([each.values for each in self.searches])
        size = np.abs(all_values).max(axis=0)
        return bool((np.ptp(all_values, axis=0) <= 0.05 * size).all())


def are_left(minima: Sequence[Minimum], n_free: int, n_active: int) -> bool:
    """Whether there may be minima that no search has met yet, about as good as the best, or better.

    The next search ends at a new one as probably as one of those before has ended where no other did (I. J. Good 1953,
    Biometrika 40, 237). Where there are many side by side, and the best is met no more often than others, one that is
    rarer may be better.
    """
    if n_free <= 0:
        return False
    most = minima[0].total * (1.0 + CLOSE * n_active / n_free)
    near = [each.n for each in minima if each.total <= most]
    met = sum(each.n for each in minima if each.total <= (1.0 + ABOUT) * minima[0].total)
    return near.count(1) > ALONE * sum(near) or met < MET * sum(near)


def agreeing(found: Iterable[Ended], best: Ended) -> int:
    """How many searches have ended where the best did, or by chance a little lower."""
    return sum(each.total <= (1.0 + SAME) * best.total for each in found)


def gathered(found: Sequence[Ended]) -> tuple[Minimum, ...]:
    """The minima, the best first."""
    groups: list[list[Ended]] = []
    for each in sorted(found, key=lambda each: each.total):
        if groups and each.total <= (1.0 + SAME) * groups[-1][0].total:
            groups[-1].append(each)
        else:
            groups.append([each])
    return tuple(Minimum(group[0].total, tuple(sorted(group, key=found.index))) for group in groups)
