"""The operations of the model language, one row each.

A new function is a row here and one in `kernel/operations.h`. Derivatives are written in the language itself, of the
arguments a, b, c and the value f; the graph that is computed from and what sympy shows to people both follow them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

DIFFERENTIATED_TOO_OFTEN = "?"  # the derivative of what is itself only a derivative


class Operation(NamedTuple):
    """An operator or a function; heav(0) is 1, mod(-1,3) is 2 and log is ln, as in XPPAUT."""

    name: str
    value: Callable[..., float]
    slopes: tuple[str, ...] = ()  # the derivatives by its arguments; a step has none
    n_arguments: int = 1
    numpy: tuple[str, ...] = ()  # its names there, if others than its own
    synonyms: tuple[str, ...] = ()
    python: str = ""  # its name in `parfit.functions`, if that is another
    same_as: str = ""  # what it is made of, or the choice that it stands for
    is_step: bool = False  # constant wherever it is smooth
    in_messages: str = ""  # what a message calls a switch, if not by its name
    is_function: bool = True  # written name(arguments) in a model


def _operator(name: str, value: Callable[..., float], *numpy: str, same_as: str = "") -> Operation:
    return Operation(name, value, n_arguments=2, numpy=numpy, same_as=same_as, is_function=False)


def _comparison(name: str, value: Callable[..., bool], *numpy: str, same_as: str = "") -> Operation:
    """Truth is 1 or 0."""
    row = _operator(name, lambda a, b: float(value(a, b)), *numpy, same_as=same_as)
    return row._replace(is_step=True, in_messages="a comparison")


def _step(name: str, value: Callable[[float], float], *synonyms: str) -> Operation:
    return Operation(name, value, synonyms=synonyms, is_step=True)


def _derivative(name: str, slope: str) -> Operation:
    """What stands in derivatives only: a model does not use it, and its values are the kernel's."""
    return Operation(name, lambda a: math.nan, (slope,), is_function=False)


def _divide(a: float, b: float) -> float:
    return a / b if b else math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _power(a: float, b: float) -> float:
    try:
        result = a**b
    except (ZeroDivisionError, OverflowError):
        return math.inf
    return result if isinstance(result, float) else math.nan


def _log(a: float) -> float:
    return math.log(a) if a else -math.inf


def _log10(a: float) -> float:
    return math.log10(a) if a else -math.inf


def _sum(*a: float) -> float:
    return math.fsum(a) if all(map(math.isfinite, a)) else sum(a)


POWER_SLOPES = ("b*pow(a,b-1)", "if(a==0)then(0)else(f*log(a))")  # where a is 0 both have a value

ROWS = (
    _operator("+", _sum, "add"),
    _operator("*", lambda *a: math.prod(a), "multiply"),
    _operator("/", _divide, "true_divide", "divide"),
    Operation("-", lambda a: -a, numpy=("negative",), is_function=False),
    _operator("^", _power, "power", "float_power"),
    Operation("pow", _power, POWER_SLOPES, 2, is_function=False),  # what the graph calls a power
    _comparison("<", lambda a, b: a < b, "less"),
    _comparison("<=", lambda a, b: a <= b, "less_equal"),
    _comparison(">", lambda a, b: a > b, "greater", same_as="b<a"),
    _comparison(">=", lambda a, b: a >= b, "greater_equal", same_as="b<=a"),
    _comparison("==", lambda a, b: a == b),
    _comparison("!=", lambda a, b: a != b),
    _comparison("&", lambda a, b: bool(a) and bool(b)),
    _comparison("|", lambda a, b: bool(a) or bool(b)),
    _step("not", lambda a: float(not a))._replace(in_messages="a comparison"),
    Operation("if", lambda a, b, c: b if a else c, (), 3, python="where", same_as="if(a)then(b)else(c)"),
    Operation("min", min, (), 2, ("minimum",), python="minimum", same_as="if(a<=b)then(a)else(b)"),
    Operation("max", max, (), 2, ("maximum",), python="maximum", same_as="if(b<=a)then(a)else(b)"),
    Operation("mod", lambda a, b: a - b * math.floor(a / b), (), 2, ("remainder",), same_as="a-b*floor(a/b)"),
    _step("sign", lambda a: math.copysign(1.0, a) if a else 0.0, "sgn"),
    _step("heav", lambda a: float(a >= 0), "heaviside"),
    _step("floor", lambda a: float(math.floor(a)), "flr"),
    _step("ceil", lambda a: float(math.ceil(a))),
    Operation("abs", abs, ("sign(a)",), numpy=("absolute", "fabs"), python="absolute"),
    Operation("sqrt", math.sqrt, ("1/(2*f)",)),
    Operation("exp", math.exp, ("f",)),
    Operation("log", _log, ("1/a",), synonyms=("ln",)),
    Operation("log10", _log10, ("1/log(10)/a",)),
    Operation("sin", math.sin, ("cos(a)",)),
    Operation("cos", math.cos, ("-sin(a)",)),
    Operation("tan", math.tan, ("1+f^2",)),
    Operation("asin", math.asin, ("1/sqrt(1-a^2)",), numpy=("arcsin",)),
    Operation("acos", math.acos, ("-1/sqrt(1-a^2)",), numpy=("arccos",)),
    Operation("atan", math.atan, ("1/(1+a^2)",), numpy=("arctan",)),
    Operation("atan2", math.atan2, ("b/(b^2+a^2)", "-a/(b^2+a^2)"), 2, ("arctan2",)),
    Operation("sinh", math.sinh, ("cosh(a)",)),
    Operation("cosh", math.cosh, ("sinh(a)",)),
    Operation("tanh", math.tanh, ("1-f^2",)),
    Operation("asinh", math.asinh, ("1/sqrt(1+a^2)",), numpy=("arcsinh",)),
    Operation("erf", math.erf, ("2/sqrt(pi)*exp(-a^2)",)),
    Operation("erfc", math.erfc, ("-2/sqrt(pi)*exp(-a^2)",)),
    Operation("lgamma", math.lgamma, ("digamma(a)",)),
    _derivative("digamma", "trigamma(a)"),
    _derivative("trigamma", DIFFERENTIATED_TOO_OFTEN),
)

OPERATIONS = {row.name: row for row in ROWS}
OPERATORS = frozenset(row.name for row in ROWS if not row.name.isalnum())
FUNCTIONS = {row.name: row for row in ROWS if row.is_function}
SYNONYMS = {synonym: row.name for row in ROWS for synonym in row.synonyms}
NUMPY_NAMES = {name: row.name for row in ROWS for name in (row.numpy or (row.name,) * row.is_function)}
