"""The kinds of arrays that everything here is computed with, and arrays that nobody can change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Unchanging:
    """A value whose arrays nobody can change; those of a copy, which may come from another process, neither."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        for each in state.values():
            for array in each.values() if isinstance(each, dict) else (each,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False
        self.__dict__.update(state)


def distinct(values: Array) -> Array:
    """Each value once, in order. (np.unique imports masked arrays, for which a first answer would wait.)"""
    ordered: Array = np.sort(values)
    is_new: Mask = np.append(True, ordered[1:] != ordered[:-1])
    return ordered[is_new[: ordered.size]]


def read_only(array: ArrayLike) -> Array:
    """A copy that nobody can change."""
    result = np.array(array, dtype=np.float64)
    result.flags.writeable = False
    return result
