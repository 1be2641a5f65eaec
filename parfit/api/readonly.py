"""What is told by name: values to look at, of which a problem with others is made by its methods."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from parfit.errors import ParfitError

V = TypeVar("V")


class ReadOnly(dict[str, V]):
    """A dictionary, as printed, compared and written, in which nothing can be set; a copy of it is as any other."""

    def __init__(self, items: Any, remedy: str):
        super().__init__(items)
        self._remedy = remedy

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ParfitError(f"this cannot be changed in place; {self._remedy}")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def copy(self) -> dict[str, V]:
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
