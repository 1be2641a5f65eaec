"""Values that take time, and that not everybody asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Awaited(Generic[T]):
    """What is computed when somebody first asks for it, from what never changes; a copy takes the value with it."""

    def __init__(self, compute: Callable[[], T]):
        self._compute: Callable[[], T] | None = compute

    def __call__(self) -> T:
        compute = self._compute
        if compute is not None:  # another thread may do the same, and finds the same
            self._value = compute()
            self._compute = None
        return self._value

    def __reduce__(self) -> tuple[Callable[[T], Awaited[T]], tuple[T]]:
        return known, (self(),)


def known(value: T) -> Awaited[T]:
    """A value that nobody has to wait for."""
    return Awaited(lambda: value)
