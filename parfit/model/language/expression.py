"""Expressions as data: numbers, names and calls, with Python's operators to build them.

The reader of `.ode` files and the tracing of Python functions both make these; `differentiation` turns
them into a graph with all derivatives, and `value` computes them directly.

Nothing in an expression is ever run as Python.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from parfit.errors import ModelError
from parfit.model.language.operations import NUMPY_NAMES, OPERATIONS


class Expression:
    """A node of an expression; arithmetic on nodes makes new nodes."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """numpy's functions of expressions, so that `np.exp(y[0])` can stand in a model function."""
        name = ufunc.__name__ if ufunc.__name__ in _NUMPY_ALONE else NUMPY_NAMES.get(ufunc.__name__)
        if name is None or method != "__call__" or options:
            raise ModelError(f"numpy's {ufunc.__name__} cannot be used in a model function; see parfit.functions")
        build = functools.partial(_build, name)
        if any(getattr(a, "ndim", 0) for a in inputs):
            import numpy as np

            return np.frompyfunc(build, len(inputs), 1)(*inputs)
        return build(*inputs)

    def __add__(self, other: object) -> Expression:
        return Call("+", (self, expression(other)))

    def __radd__(self, other: object) -> Expression:
        return Call("+", (expression(other), self))

    def __sub__(self, other: object) -> Expression:
        return Call("+", (self, Call("-", (expression(other),))))

    def __rsub__(self, other: object) -> Expression:
        return Call("+", (expression(other), Call("-", (self,))))

    def __mul__(self, other: object) -> Expression:
        return Call("*", (self, expression(other)))

    def __rmul__(self, other: object) -> Expression:
        return Call("*", (expression(other), self))

    def __truediv__(self, other: object) -> Expression:
        return Call("/", (self, expression(other)))

    def __rtruediv__(self, other: object) -> Expression:
        return Call("/", (expression(other), self))

    def __pow__(self, other: object) -> Expression:
        return Call("^", (self, expression(other)))

    def __rpow__(self, other: object) -> Expression:
        return Call("^", (expression(other), self))

    def __neg__(self) -> Expression:
        return Call("-", (self,))

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return Call("abs", (self,))

    def __lt__(self, other: object) -> Expression:
        return Call("<", (self, expression(other)))

    def __le__(self, other: object) -> Expression:
        return Call("<=", (self, expression(other)))

    def __gt__(self, other: object) -> Expression:
        return Call(">", (self, expression(other)))

    def __ge__(self, other: object) -> Expression:
        return Call(">=", (self, expression(other)))

    def __eq__(self, other: object) -> Any:
        return Call("==", (self, expression(other)))

    def __ne__(self, other: object) -> Any:
        return Call("!=", (self, expression(other)))

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise ModelError(
            "a model function cannot branch on a traced value with `if`, `and`, `or`, `min` or `max`; "
            "write parfit.where(condition, a, b) instead"
        )

    def __float__(self) -> NoReturn:
        raise ModelError(
            "a model function cannot turn a traced value into a number; use parfit.functions "
            "(exp, log, sin, ...) instead of those of the math module"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Number(Expression):
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Name(Expression):
    """The time `t`, a state, a parameter or a quantity."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    """A function of expressions: one of `operations`, or a table of the model."""

    function: str
    arguments: tuple[Expression, ...]


def nodes(node: Expression) -> list[Expression]:
    """An expression and all its parts."""
    found = [node]
    for each in found:  # grows while it is walked
        if isinstance(each, Call):
            found += each.arguments
    return found


def names_in(node: Expression) -> set[str]:
    """The names that stand in an expression."""
    return {each.name for each in nodes(node) if isinstance(each, Name)}


def expression(value: object) -> Expression:
    """The expression for a plain number, or the expression itself."""
    if isinstance(value, Expression):
        return value
    try:
        return Number(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ModelError(f"a model is made of numbers and expressions, not of {value!r}") from None


# What numpy has and we have not.
_NUMPY_ALONE: dict[str, Callable[..., Expression]] = {
    "subtract": lambda a, b: a - b,
    "square": lambda a: a**2,
    "reciprocal": lambda a: 1 / a,
}


def _build(name: str, *arguments: object) -> Expression:
    """A call by its name here, or one of the operations that numpy alone has."""
    nodes = tuple(expression(a) for a in arguments)
    return _NUMPY_ALONE[name](*nodes) if name in _NUMPY_ALONE else Call(name, nodes)


def value(node: Expression, names: Mapping[str, Any]) -> float:
    """The value of an expression, given the values of its names; used for constants and in tests."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return float(names[node.name])
    assert isinstance(node, Call)
    function: Callable[..., float] = names.get(node.function) or OPERATIONS[node.function].value
    arguments = [value(argument, names) for argument in node.arguments]
    try:
        return float(function(*arguments))
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
