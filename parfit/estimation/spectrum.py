"""The singular values of a Jacobian, and the units in which its columns are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parfit.estimation.parameters import ParameterMap

Array = NDArray[np.float64]

NEGLIGIBLE = 1e-10  # of the largest: far above rounding, which leaves 1e-16 where columns depend on each other


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Singular values, descending, (n_active,), and the right singular vectors in the rows of v."""

    s: Array
    v: Array

    @property
    def condition(self) -> float:
        """The largest by the smallest; infinite where the smallest is 0 to rounding."""
        if not self.s.size or self.s[-1] <= self.s[0] * self.s.size * np.finfo(float).eps:
            return np.inf
        return float(self.s[0] / self.s[-1])


def decompose(jac: Array) -> Spectrum:
    """Singular values and right vectors of a Jacobian, as many as it has columns."""
    missing = max(jac.shape[1] - jac.shape[0], 0)
    _, s, v = np.linalg.svd(np.pad(jac, ((0, missing), (0, 0))), full_matrices=False)
    return Spectrum(s, v)


def units(map_: ParameterMap) -> Array:
    """What a relative change is a part of: the parameter's size, or 1 where it is 0, (n_active,)."""
    size = np.abs(map_.full[list(map_.active)])
    return np.where(size > 0, size, 1.0)


def column_lengths(columns: Array) -> Array:
    """Of the columns, however large or small their numbers are."""
    largest = np.abs(columns).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    lengths: Array = safe * np.sqrt(((columns / safe) ** 2).sum(axis=0))
    return lengths
