"""Rests to which several experiments come: the same equations, the same parameters, found once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from parfit.arrays import Array
from parfit.errors import ModelError
from parfit.model.language.writing import model_text
from parfit.model.model import Rest

T = TypeVar("T")


class Once(Generic[T]):
    """What is found for parameters, with or without derivatives, and is asked for again and again with the same."""

    def __init__(self, find: Callable[[Array, bool], T]):
        self._find = find
        self._last: tuple[tuple[bytes, bool], T] | None = None

    def __call__(self, p: Array, sensitivities: bool) -> T:
        asked, last = (p.tobytes(), sensitivities), self._last  # which other threads may replace
        if last is None or last[0] != asked:
            self._last = last = asked, self._find(p, sensitivities)
        return last[1]


def kind_of(rest: Rest, places: Sequence[int]) -> Hashable | None:
    """What those have in common that come to the same rest, with the places of their parameters among all.

    None where that cannot be told, because the equations cannot be written down.
    """
    try:
        return model_text(rest.model), rest.regimen, tuple(places)
    except ModelError:
        return None
