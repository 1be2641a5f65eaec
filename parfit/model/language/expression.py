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


class Expression:
    """A node of an expression; arithmetic on nodes makes new nodes."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """numpy's functions of expressions, so that `np.exp(y[0])` can stand in a model function."""
        name = NUMPY_NAMES.get(ufunc.__name__)
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
    """A function of expressions: an operator, one of FUNCTIONS, `if`, or a table of the model."""

    function: str
    arguments: tuple[Expression, ...]


def nodes(node: Expression) -> list[Expression]:
    """An expression and all its parts."""
    found = [node]
    for each in found:  # grows while it is walked
        if isinstance(each, Call):
            found += each.arguments
    return found


def expression(value: object) -> Expression:
    """The expression for a plain number, or the expression itself."""
    if isinstance(value, Expression):
        return value
    try:
        return Number(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ModelError(f"a model is made of numbers and expressions, not of {value!r}") from None


def _build(name: str, *arguments: object) -> Expression:
    """A call by its name here, or one of the operations that numpy has and we do not."""
    nodes = tuple(expression(a) for a in arguments)
    if name == "subtract":
        return nodes[0] - nodes[1]
    if name == "square":
        return nodes[0] ** 2
    if name == "reciprocal":
        return 1 / nodes[0]
    return Call(name, nodes)


def _divide(a: float, b: float) -> float:
    return a / b if b else math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _power(a: float, b: float) -> float:
    try:
        result = a**b
    except ZeroDivisionError:
        return math.inf
    except OverflowError:
        return math.inf
    return result if isinstance(result, float) else math.nan


# Operators: n-ary + and *, unary -, the rest binary; truth is 1 or 0.
OPERATORS: dict[str, Callable[..., float]] = {
    "+": lambda *a: math.fsum(a) if all(map(math.isfinite, a)) else sum(a),
    "*": lambda *a: math.prod(a),
    "-": lambda a: -a,
    "/": _divide,
    "^": _power,
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "&": lambda a, b: float(bool(a) and bool(b)),
    "|": lambda a, b: float(bool(a) or bool(b)),
}

# Functions of a model file, with the meaning XPPAUT gives them: heav(0) is 1, mod(-1,3) is 2, log is ln.
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "abs": abs,
    "sign": lambda a: math.copysign(1.0, a) if a else 0.0,
    "heav": lambda a: float(a >= 0),
    "floor": lambda a: float(math.floor(a)),
    "ceil": lambda a: float(math.ceil(a)),
    "mod": lambda a, b: a - b * math.floor(a / b),
    "min": min,
    "max": max,
    "erf": math.erf,
    "erfc": math.erfc,
    "not": lambda a: float(not a),
    "if": lambda condition, a, b: a if condition else b,
}

# The same in numpy's words.
NUMPY_NAMES = {
    "add": "+", "multiply": "*", "negative": "-", "true_divide": "/", "divide": "/", "power": "^", "less": "<",
    "less_equal": "<=", "greater": ">", "greater_equal": ">=", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "arctan2": "atan2", "absolute": "abs", "fabs": "abs", "minimum": "min", "maximum": "max", "remainder": "mod",
    "float_power": "^", "subtract": "subtract", "square": "square", "reciprocal": "reciprocal",
} | {name: name for name in FUNCTIONS if name not in ("if", "not")}  # fmt: skip

# Other spellings of the same functions.
SYNONYMS = {"ln": "log", "sgn": "sign", "flr": "floor", "heaviside": "heav"}

ARITIES: dict[str, int] = dict.fromkeys(FUNCTIONS, 1) | {
    "atan2": 2,
    "mod": 2,
    "min": 2,
    "max": 2,
    "if": 3,
}


def value(node: Expression, names: Mapping[str, Any]) -> float:
    """The value of an expression, given the values of its names; used for constants and in tests."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return float(names[node.name])
    assert isinstance(node, Call)
    function: Callable[..., float] = (
        names.get(node.function) or OPERATORS.get(node.function) or FUNCTIONS[node.function]
    )
    arguments = [value(argument, names) for argument in node.arguments]
    try:
        return float(function(*arguments))
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
