"""What many searches have found, gathered: sums of squares that are the same are one minimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from parfit.arrays import Array

SAME = 1e-3  # relative difference of sums of squares at one minimum


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


def gathered(found: Sequence[Ended]) -> tuple[Minimum, ...]:
    """The minima, the best first."""
    groups: list[list[Ended]] = []
    for each in sorted(found, key=lambda each: each.total):
        if groups and each.total <= (1.0 + SAME) * groups[-1][0].total:
            groups[-1].append(each)
        else:
            groups.append([each])
    return tuple(Minimum(group[0].total, tuple(sorted(group, key=found.index))) for group in groups)
