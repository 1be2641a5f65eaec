"""Data classes whose methods are written when they are first called.

`dataclasses.dataclass` writes and compiles up to six methods for each class as it is defined. A session defines more
than a hundred classes until its first answer and makes objects of a third of them: that took a quarter of the whole
start. Here a class has its fields at once, and has the standard library write a method when it is first called.
`field`, `fields` and `replace` are those of the standard library; for slots, order and InitVar its decorator is there.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

from parfit.interrupts import held

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **how):
        """As of the standard library, with its arguments eq, frozen, kw_only and repr."""
        return _made(cls, **how) if cls is not None else lambda cls: _made(cls, **how)


def _made(cls: type, *, frozen: bool = False, eq: bool = True, kw_only: bool = False, repr: bool = True) -> type:
    own = set(cls.__dict__)
    if "__eq__" in own and cls.__dict__.get("__hash__") is None:  # Python's, because of that __eq__: nobody wrote it
        own.discard("__hash__")
    if cls.__doc__ is None:  # which the standard library would make of a signature, at some length
        cls.__doc__ = cls.__name__
    inherits_frozen = any(_is_frozen(base) for base in cls.__mro__[1:])
    # To refuse changes is written at once; only where the standard library insists on it, it is asked to.
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, frozen=frozen and inherits_frozen)(cls)
    params = cls.__dataclass_params__  # type: ignore[attr-defined]
    params.init, params.repr, params.eq, params.frozen = True, repr, eq, frozen
    methods: dict[str, Any] = {"__init__": _later(cls, "__init__"), "__signature__": _Signature()}
    if repr:
        methods["__repr__"] = _repr
    if eq:
        methods["__eq__"] = _later(cls, "__eq__")
        methods["__hash__"] = _later(cls, "__hash__") if frozen else None
    if frozen and not inherits_frozen:
        methods["__setattr__"], methods["__delattr__"] = _refuse_assignment, _refuse_deletion
    for name, method in methods.items():
        if name not in own:
            setattr(cls, name, method)
    return cls


def _is_frozen(cls: type) -> bool:
    return "__dataclass_params__" in cls.__dict__ and bool(cls.__dict__["__dataclass_params__"].frozen)


def _later(cls: type, name: str) -> Callable[..., Any]:
    """A method that has the one written that takes its place, and calls it."""
    written: Any = None

    def method(self: Any, /, *arguments: Any, **named: Any) -> Any:
        return write()(self, *arguments, **named)

    def write() -> Any:
        nonlocal written
        if written is None:
            with held():  # of a Ctrl-C in there Python makes another error
                written = _written(cls, name)
        if cls.__dict__.get(name) is method:  # else somebody has put it into another
            setattr(cls, name, written)
        return written

    method.write = write  # type: ignore[attr-defined]
    method.__name__, method.__qualname__, method.__module__ = name, f"{cls.__qualname__}.{name}", cls.__module__
    return method


def _written(cls: type, name: str) -> Any:
    """A method as the standard library writes it, for a class of the same name with the same fields and no bases."""
    fields = dataclasses.fields(cls)
    namespace: dict[str, Any] = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__name__,
        "__annotations__": {each.name: each.type for each in fields},
        **{each.name: each for each in fields},
    }
    if hasattr(cls, "__post_init__"):
        namespace["__post_init__"] = None  # that there is one
    is_init, frozen = name == "__init__", _is_frozen(cls)
    decorate = dataclasses.dataclass(init=is_init, eq=not is_init, repr=False, frozen=frozen)
    return getattr(decorate(type(cls.__name__, (), namespace)), name)


class _Signature:
    """What `help` tells of the arguments: those of an __init__ that need not have been written yet."""

    def __get__(self, instance: object, cls: type) -> inspect.Signature:
        if instance is not None:  # which may be called itself
            raise AttributeError("__signature__")
        init = next(base.__dict__["__init__"] for base in cls.__mro__ if "__init__" in base.__dict__)
        written = inspect.signature(getattr(init, "write", lambda: init)())
        return written.replace(parameters=list(written.parameters.values())[1:])


@recursive_repr()
def _repr(self: Any) -> str:
    values = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{self.__class__.__qualname__}({values})"


def _refuse_assignment(self: Any, name: str, value: object) -> None:
    if _is_refused(self, name):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_deletion(self: Any, name: str) -> None:
    if _is_refused(self, name):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _is_refused(self: Any, name: str) -> bool:
    """Everything is, of the class itself, and of classes derived by hand what are fields."""
    return "__dataclass_params__" in type(self).__dict__ or name in self.__dataclass_fields__
