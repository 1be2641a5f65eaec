"""The kinds of arrays that everything here is computed with, and arrays that nobody can change."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def read_only(array: ArrayLike) -> Array:
    """A copy that nobody can change."""
    result = np.array(array, dtype=np.float64)
    result.flags.writeable = False
    return result
