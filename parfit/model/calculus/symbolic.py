"""The operations of the model language in sympy's terms, and derivatives there: for what people read.

What is computed is differentiated on the graph (`differentiation`). sympy writes d(x^n)/dx as n x^n / x, which is NaN
at x = 0; the derivative of a choice as a sum over both branches, which is NaN when the branch not taken is; and `Abs`,
`Max`, `Piecewise` ask questions about assumptions that take long. Operations of ours follow the rules that the graph
follows; where sympy has an elementary function of the same name, it is taken.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy
from sympy import Expr, Function, Integer

from parfit.model.calculus.rules import is_choice, made_of, slopes_of
from parfit.model.language.expression import Call, Expression, Name, Number, value
from parfit.model.language.operations import OPERATIONS


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
    return sympy_function("pow")(base, exponent)


def apply(function: str, arguments: list[Expr]) -> Expr:
    """An operator or function of the model language, in sympy's terms."""
    if all(a.is_Number for a in arguments):  # as doubles: sympy would work out 9^(9^9) exactly
        return _number(value(Call(function, tuple(Number(float(a)) for a in arguments)), {}))
    return _applied(function, arguments)


def _applied(function: str, arguments: list[Expr]) -> Expr:
    a: Any = arguments[0]
    b: Any = arguments[-1]
    if function == "+":
        return sympy.Add(*arguments)
    if function == "*":
        return sympy.Mul(*arguments)
    if function == "-":
        return -a
    if function == "sqrt":
        return sympy.sqrt(a)
    if function == "/":
        return a / b
    if function == "^":
        return _power(a, b)
    rule = made_of(function)
    if rule is not None and not is_choice(function):
        return _ruled(rule, dict(zip("abc", arguments, strict=False)))
    return sympy_function(function)(*arguments)


def _ruled(rule: Expression, names: dict[str, Expr]) -> Expr:
    """A rule of an operation, with its arguments a, b, c and its value f."""
    if isinstance(rule, Number):
        return _number(rule.value)
    if isinstance(rule, Name):
        return sympy.pi if rule.name == "pi" else names[rule.name]
    assert isinstance(rule, Call)
    return _applied(rule.function, [_ruled(each, names) for each in rule.arguments])


@cache
def sympy_function(name: str) -> Any:
    """sympy's own function of this name, or one that follows the rules of the operation."""
    row = OPERATIONS[name]
    if row.is_function and len(row.slopes) == 1 and hasattr(sympy, name):
        return getattr(sympy, name)

    def fdiff(self: Any, argindex: int = 1) -> Expr:
        if row.is_step:
            return Integer(0)
        return _ruled(slopes_of(name)[argindex - 1], dict(zip("fabc", (self, *self.args), strict=False)))

    def chosen(self: Any, symbol: Expr) -> Expr:
        rule = made_of(name)
        assert isinstance(rule, Call)
        names = dict(zip("abc", self.args, strict=False))
        condition, first, second = (_ruled(each, names) for each in rule.arguments)
        first, second = first.diff(symbol), second.diff(symbol)
        return first if first == second else sympy_function("if")(condition, first, second)

    members = {"_eval_derivative": chosen} if is_choice(name) else {"fdiff": fdiff}
    return type(name, (Function,), {"nargs": row.n_arguments, "opcode": name, **members})


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
