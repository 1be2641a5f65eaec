"""Data classes whose methods are written when they are first called.

`dataclasses.dataclass` writes and compiles up to six methods for each class as it is defined. A session defines more
than a hundred classes until its first answer and makes objects of a third of them: that took a quarter of the whole
start. Here a class has its fields at once, and has the standard library write a method when it is first called.
`field`, `fields` and `replace` are those of the standard library.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **how):
        """As of the standard library, with its arguments eq, frozen, kw_only and repr."""
        return _made(cls, **how) if cls is not None else lambda cls: _made(cls, **how)


def _made(cls: type, *, frozen: bool = False, eq: bool = True, kw_only: bool = False, repr: bool = True) -> type:
    own = set(cls.__dict__)
    if cls.__doc__ is None:  # which the standard library would make of a signature, at some length
        cls.__doc__ = cls.__name__
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    methods: dict[str, Any] = {"__init__": _later(cls, "__init__", frozen), "__signature__": _Signature()}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _later(cls, "__eq__", frozen)
        methods["__hash__"] = _later(cls, "__hash__", frozen) if frozen else None
    if frozen:
        methods["__setattr__"], methods["__delattr__"] = _refuse_assignment, _refuse_deletion
    if "__eq__" in own and cls.__dict__["__hash__"] is None:  # which an __eq__ does, and nobody wrote
        own.remove("__hash__")
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _later(cls: type, name: str, frozen: bool) -> Callable[..., Any]:
    """A method that has the one written that takes its place, and calls it."""

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        return write()(self, *arguments, **named)

    def write() -> Any:
        written = _written(cls, name, frozen)
        setattr(cls, name, written)
        return written

    method.write = write  # type: ignore[attr-defined]
    return method


def _written(cls: type, name: str, frozen: bool) -> Any:
    """A method as the standard library writes it, for a class with the same fields and nothing else."""
    fields = [(each.name, each.type, copy(each)) for each in dataclasses.fields(cls)]
    after = {"__post_init__": None} if hasattr(cls, "__post_init__") else {}
    is_init = name == "__init__"
    namespace = {"__doc__": cls.__name__, "__qualname__": cls.__qualname__, **after}
    twin = dataclasses.make_dataclass(
        cls.__name__, fields, namespace=namespace, init=is_init, eq=not is_init, repr=False, frozen=frozen
    )
    return getattr(twin, name)


class _Signature:
    """What `help` tells of the arguments: those of an __init__ that need not have been written yet."""

    def __get__(self, instance: object, cls: type) -> inspect.Signature:
        if instance is not None or "__signature__" not in cls.__dict__:  # callable itself, or derived by hand
            raise AttributeError("__signature__")
        init = cls.__dict__["__init__"]
        written = inspect.signature(getattr(init, "write", lambda: init)())
        return written.replace(parameters=list(written.parameters.values())[1:])


@recursive_repr()
def _repr(self: Any) -> str:
    values = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({values})"


def _refuse_assignment(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
