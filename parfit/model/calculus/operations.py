"""Functions for sympy whose values and derivatives are safe to compute where sympy's own are not.

sympy writes d(x^n)/dx as n x^n / x, which is NaN at x = 0; the derivative of a choice as a sum over both branches,
which is NaN when the branch not taken is; and `Abs`, `Max`, `Piecewise` ask questions about assumptions that take
long. These say exactly what the tape computes.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Expr, Function, Integer


def _flat(name: str, n_arguments: int) -> Any:
    """A function that is constant wherever it is smooth: a comparison, a step, a rounding."""

    def fdiff(self: Any, argindex: int = 1) -> Expr:
        return Integer(0)

    return type(name, (Function,), {"nargs": n_arguments, "fdiff": fdiff})


FLAT: dict[str, Any] = {
    name: _flat(name, n)
    for name, n in {
        "<": 2, "<=": 2, "==": 2, "!=": 2, "&": 2, "|": 2, "not": 1, "sign": 1, "heav": 1, "floor": 1, "ceil": 1,
    }.items()
}  # fmt: skip


class Power(Function):
    """a^b for an exponent that is not a small whole or half number."""

    opcode = "pow"
    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        a, b = self.args
        if argindex == 1:
            return b * Power(a, b - 1)
        return If(FLAT["=="](a, Integer(0)), Integer(0), self * sympy.log(a))


class If(Function):
    """a if the condition is not 0, else b."""

    opcode = "if"
    nargs = 3

    def _eval_derivative(self, symbol: Expr) -> Expr:
        condition, a, b = self.args
        first, second = a.diff(symbol), b.diff(symbol)
        return first if first == second else If(condition, first, second)


class Minimum(Function):
    opcode = "min"
    nargs = 2

    def _eval_derivative(self, symbol: Expr) -> Expr:
        a, b = self.args
        return If(FLAT["<="](a, b), a, b)._eval_derivative(symbol)


class Maximum(Function):
    opcode = "max"
    nargs = 2

    def _eval_derivative(self, symbol: Expr) -> Expr:
        a, b = self.args
        return If(FLAT["<="](b, a), a, b)._eval_derivative(symbol)


class Curve(Function):
    """Table number k of the model at x."""

    opcode = "curve"
    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        return Slope(*self.args) if argindex == 2 else Integer(0)


class Slope(Function):
    """Its derivative."""

    opcode = "slope"
    nargs = 2


class Absolute(Function):
    opcode = "abs"
    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return FLAT["sign"](self.args[0])


class Log10(Function):
    opcode = "log10"
    nargs = 1

    def fdiff(self, argindex: int = 1) -> Expr:
        return 1 / (self.args[0] * sympy.log(10))


class Arctan2(Function):
    opcode = "atan2"
    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        y, x = self.args
        square = x**2 + y**2
        return x / square if argindex == 1 else -y / square


SMOOTH: dict[str, Any] = {
    name: getattr(sympy, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "erf",
        "erfc",
    )
} | {"abs": Absolute, "log10": Log10, "atan2": Arctan2}
