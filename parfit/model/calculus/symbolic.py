"""The functions of the model language in sympy's terms, and derivatives there: for what people read.

What is computed is differentiated on the graph (`differentiation`).
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Integer

from parfit.model.calculus.operations import FLAT, SMOOTH, If, Maximum, Minimum, Power
from parfit.model.language.expression import Call, Number, value


def partials(expr: Expr) -> dict[Expr, Expr]:
    """Derivatives by the symbols in an expression; a long sum is taken term by term, each by its own symbols.

    `_eval_derivative` is what sympy's `diff` calls after many questions that take longer than the work itself.
    """
    parts: dict[Expr, list[Expr]] = {}
    for term in sympy.Add.make_args(expr):
        for symbol in sorted(term.free_symbols, key=str):
            parts.setdefault(symbol, []).append(term._eval_derivative(symbol))
    return {symbol: sympy.Add(*derivatives) for symbol, derivatives in parts.items()}


def _number(number: float) -> Expr:
    """Small whole numbers stay exact; everything else is a double."""
    return Integer(int(number)) if abs(number) <= 1e6 and number == int(number) else sympy.Float(number)


def _power(base: Expr, exponent: Expr) -> Expr:
    if exponent.is_Number and (2 * exponent) == int(2 * exponent) and abs(exponent) <= 32:
        return sympy.Pow(base, sympy.Rational(int(2 * exponent), 2))
    return Power(base, exponent)


def apply(function: str, arguments: list[Expr]) -> Expr:
    """An operator or function of the model language, in sympy's terms."""
    if all(a.is_Number for a in arguments):  # as doubles: sympy would work out 9^(9^9) exactly
        return _number(value(Call(function, tuple(Number(float(a)) for a in arguments)), {}))
    a: Any = arguments[0]
    if function == "+":
        return sympy.Add(*arguments)
    if function == "*":
        return sympy.Mul(*arguments)
    if function == "-":
        return -a
    if function == "sqrt":
        return sympy.sqrt(a)
    b: Any = arguments[-1]
    if function == "/":
        return a / b
    if function == "^":
        return _power(a, b)
    if function in (">", ">="):
        return FLAT["<" + function[1:]](b, a)
    if function == "mod":
        return a - b * FLAT["floor"](a / b)
    if function == "if":
        return If(*arguments)
    if function == "min":
        return Minimum(a, b)
    if function == "max":
        return Maximum(a, b)
    return (FLAT.get(function) or SMOOTH[function])(*arguments)
