"""Expressions to sympy and back, for derivatives that people read.

Numbers that are not whole are symbols to sympy, so that p4/2.6 stays what it is; on the way back the numbers of a
product become one, and terms and factors get the order in which they are usually written.
"""

from __future__ import annotations

from typing import TypeGuard

import sympy
from sympy import Expr, Integer, Rational, Symbol

from parfit.model.calculus.symbolic import Curve, Slope, apply
from parfit.model.language.expression import Call, Expression, Name, Number, value
from parfit.model.model import Model


class Translator:
    """Translates the expressions of one model."""

    def __init__(self, model: Model):
        self.tables = [name for name, _ in model.tables]
        self.numbers: dict[Expr, float] = {}  # symbols that stand for numbers
        # Products are written in this order: numbers, parameters, time, states, quantities, the rest.
        names = (*model.parameters, "t", *model.states, *(name for name, _ in model.quantities))
        self.rank: dict[Expr, int] = {Symbol(name): k for k, name in enumerate(names, 1)}

    # ---- expressions -> sympy

    def converted(self, node: Expression) -> Expr:
        if isinstance(node, Number):
            return self.number(node.value)
        if isinstance(node, Name):
            return Symbol(node.name)
        assert isinstance(node, Call)
        arguments = [self.converted(argument) for argument in node.arguments]
        if node.function in self.tables:
            return Curve(Integer(self.tables.index(node.function)), *arguments)
        if node.function in ("+", "*", "-", "/") and all(each.is_Rational for each in arguments):
            return _exact(node.function, arguments)
        if node.function == "^" and arguments[1] in self.numbers:  # half powers are roots
            doubled = 2 * self.numbers[arguments[1]]
            arguments[1] = Rational(int(doubled), 2) if doubled == int(doubled) else arguments[1]
        result = apply(node.function, arguments)
        return self.number(float(result)) if result.is_Float else result

    def number(self, number: float) -> Expr:
        if number == int(number) and abs(number) <= 1e6:
            return Integer(int(number))
        symbol = Symbol(repr(abs(number)))
        self.numbers[symbol] = abs(number)
        return symbol if number > 0 else -symbol

    # ---- sympy -> expressions

    def written(self, expr: Expr) -> Expression:
        if expr in self.numbers:
            return Number(self.numbers[expr])
        if expr.is_Symbol:
            return Name(expr.name)
        if expr.is_NumberSymbol:
            return Number(float(expr))
        if expr.is_Add:
            return self.sum(expr)
        if expr.is_Mul or expr.is_Pow or expr.is_Number:
            negative, node = self.product(expr)
            return _negated(node) if negative else node
        if isinstance(expr, (Curve, Slope)):
            name = self.tables[int(expr.args[0])] + ("'" if isinstance(expr, Slope) else "")
            return Call(name, (self.written(expr.args[1]),))
        name = getattr(expr.func, "opcode", expr.func.__name__)
        return Call("^" if name == "pow" else name, tuple(self.written(each) for each in expr.args))

    def sum(self, expr: Expr) -> Expression:
        """Terms with a plus sign first, and short ones before long ones."""
        constant = [term for term in expr.args if term.free_symbols <= self.numbers.keys() and self.is_number(term)]
        terms = [self.product(term) for term in expr.args if term not in constant]
        terms.sort(key=lambda term: (term[0], _length(term[1])))
        number = sum(value(self.written(term), {}) for term in constant)
        if number:
            terms.insert(0 if number > 0 else len(terms), (number < 0, Number(abs(number))))
        if not terms:
            return Number(0.0)
        (negative, first), *rest = terms
        items = [
            _negated(first) if negative else first,
            *(Call("-", (node,)) if sign else node for sign, node in rest),
        ]
        return Call("+", tuple(items)) if rest else items[0]

    def is_number(self, expr: Expr) -> bool:
        return all(
            part.is_Number or part.is_Symbol or part.is_Mul or part.is_Pow for part in sympy.preorder_traversal(expr)
        )

    def product(self, expr: Expr) -> tuple[bool, Expression]:
        """Whether a term is negative, and the rest of it as a product over a product."""
        coefficient, rest = expr.as_coeff_Mul()
        if not coefficient.is_Rational:
            coefficient, rest = Integer(1), expr
        sides: tuple[list[Expr], list[Expr]] = ([], [])
        for factor in sympy.Mul.make_args(rest):
            base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, Integer(1))
            below = bool(exponent.is_Rational and exponent.is_negative)
            sides[below].append(sympy.Pow(base, -exponent) if below else factor)
        over = self.factors(sides[0], float(abs(coefficient.p)))
        under = self.factors(sides[1], float(coefficient.q))
        top = over[0] if len(over) == 1 else Call("*", tuple(over)) if over else Number(1.0)
        if not under:
            return bool(coefficient.is_negative), top
        return bool(coefficient.is_negative), Call(
            "/", (top, under[0] if len(under) == 1 else Call("*", tuple(under)))
        )

    def factors(self, items: list[Expr], number: float) -> list[Expression]:
        """The factors in order, all numbers as one."""
        nodes: list[Expression] = []
        for item in sorted(items, key=self.order):
            if item.free_symbols and item.free_symbols <= self.numbers.keys() and self.is_number(item):
                number *= value(self.power(item), {})
            elif item != 1:
                nodes.append(self.power(item))
        return nodes if number == 1.0 else [Number(number), *nodes]

    def power(self, expr: Expr) -> Expression:
        if not expr.is_Pow:
            return self.written(expr)
        base, exponent = expr.as_base_exp()
        if exponent == Rational(1, 2):
            return Call("sqrt", (self.written(base),))
        power = Number(float(exponent)) if exponent.is_Rational else self.written(exponent)
        return Call("^", (self.written(base), power))

    def order(self, expr: Expr) -> tuple[int, int, str]:
        base = expr.as_base_exp()[0] if expr.is_Pow else expr
        return (self.rank.get(base, 10**6) if base not in self.numbers else 0), expr.count_ops(), str(expr)


def _exact(function: str, arguments: list[Expr]) -> Expr:
    if function == "+":
        return sympy.Add(*arguments)
    if function == "*":
        return sympy.Mul(*arguments)
    return -arguments[0] if function == "-" else arguments[0] / arguments[1]


def _negated(node: Expression) -> Expression:
    """-a*b/c with the sign at the first factor, and -a-b for a sum, where it needs no parentheses."""
    if _is(node, "+"):
        first, *rest = node.arguments
        return Call("+", (_negated(first), *(each.arguments[0] if _is(each, "-") else -each for each in rest)))
    if _is(node, "-"):
        return node.arguments[0]
    if _is(node, "*", "/") and not _is(node.arguments[0], "+"):
        return Call(node.function, (_negated(node.arguments[0]), *node.arguments[1:]))
    return Call("-", (node,))


def _is(node: Expression, *functions: str) -> TypeGuard[Call]:
    return isinstance(node, Call) and node.function in functions


def _length(node: Expression) -> int:
    return 1 + sum(_length(each) for each in node.arguments) if isinstance(node, Call) else 1
