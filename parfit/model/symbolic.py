"""Exact derivatives by sympy: from the expressions of a model to the graph of all that is computed from it.

Quantities stay symbols while the equations are differentiated, and the chain rule joins them again, so that work
and size grow with the text of the model and not with what it would be when written out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol

from parfit.errors import ModelError
from parfit.model.derivation import Derivation, Equations
from parfit.model.expression import Call, Expression, Name, Number, value
from parfit.model.graph import Graph
from parfit.model.model import Model
from parfit.model.operations import FLAT, SMOOTH, Curve, If, Maximum, Minimum, Power


def derive(model: Model) -> Derivation:
    """Differentiate a model."""
    try:
        return _derive(model)
    except RecursionError:
        raise ModelError(
            f"{model.name}: an expression is nested too deeply; give its parts names (name=...)"
        ) from None


def _derive(model: Model) -> Derivation:
    work = _Work(model)
    for name, node in model.quantities:
        work.define(name, node)
    labels = [f"the equation of {name}" for name in model.states]
    dynamics = work.equations(zip(labels, model.equations, strict=True))
    labels = [f"the initial value of {name}" for name in model.states]
    initial = work.equations(zip(labels, model.initial, strict=True))
    outputs = work.equations((f"the aux quantity {name}", node) for name, node in model.aux)
    return Derivation(work.graph, dynamics, initial, outputs)


class _Work:
    """Symbols, their nodes, and the total derivatives of the quantities so far."""

    def __init__(self, model: Model):
        self.graph = Graph(len(model.states), len(model.parameters))
        self.tables = {name: k for k, (name, _) in enumerate(model.tables)}
        self.symbols = {name: Symbol(name) for name in ("t", *model.states, *model.parameters)}
        inputs = list(self.symbols.values())
        self.nodes: dict[Expr, int] = {symbol: k for k, symbol in enumerate(inputs)}
        # Symbol -> position among states, then parameters; t is never differentiated by.
        self.position = {symbol: k for k, symbol in enumerate(inputs[1:])}
        self.totals: dict[Expr, dict[Expr, Expr]] = {}  # quantity -> input -> derivative
        self.converted: dict[int, Expr] = {}

    def define(self, name: str, node: Expression) -> None:
        """A quantity: a symbol of its own, with a node and total derivatives."""
        expr = self.convert(node, f"the quantity {name}")
        symbol = self.symbols[name] = Symbol(name)
        self.nodes[symbol] = self.lower(expr)
        self.totals[symbol] = {x: self.bind(d) for x, d in self.total(expr).items()}

    def equations(self, rows: Iterable[tuple[str, Expression]]) -> Equations:
        n_states = self.graph.n_states
        values, by_state, by_parameter = [], {}, {}
        for i, (label, node) in enumerate(rows):
            expr = self.convert(node, label)
            values.append(self.lower(expr))
            for symbol, derivative in self.total(expr).items():
                j = self.position[symbol]
                if j < n_states:
                    by_state[i, j] = self.lower(derivative)
                else:
                    by_parameter[i, j - n_states] = self.lower(derivative)
        return Equations(tuple(values), by_state, by_parameter)

    def total(self, expr: Expr) -> dict[Expr, Expr]:
        """Derivatives by all states and parameters on which the expression depends, through quantities too."""
        terms: dict[Expr, list[Expr]] = {}
        for symbol, partial in partials(expr).items():
            if symbol in self.position:
                terms.setdefault(symbol, []).append(partial)
            elif self.totals.get(symbol):
                factor = self.bind(partial)
                for x, derivative in self.totals[symbol].items():
                    terms.setdefault(x, []).append(factor * derivative)
        sums = {x: sympy.Add(*parts) for x, parts in terms.items()}
        return {x: d for x, d in sums.items() if d != 0}

    def bind(self, expr: Expr) -> Expr:
        """A symbol that stands for a derivative, so that products with it stay small."""
        if expr.is_Atom:
            return expr
        symbol = sympy.Dummy("d")
        self.nodes[symbol] = self.lower(expr)
        return symbol

    # ---- expressions of the model -> sympy

    def convert(self, node: Expression, label: str) -> Expr:
        expr = self._convert(node)
        if expr.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I):
            raise ModelError(f"{label} divides by zero or has another undefined constant in it")
        return expr

    def _convert(self, node: Expression) -> Expr:
        known = self.converted.get(id(node))
        if known is None:
            known = self.converted[id(node)] = self._convert_new(node)
        return known

    def _convert_new(self, node: Expression) -> Expr:
        if isinstance(node, Number):
            return _number(node.value)
        if isinstance(node, Name):
            return self.symbols[node.name]
        assert isinstance(node, Call)
        arguments = [self._convert(argument) for argument in node.arguments]
        if node.function in self.tables:
            return Curve(Integer(self.tables[node.function]), *arguments)
        return apply(node.function, arguments)

    # ---- sympy -> graph

    def lower(self, expr: Expr) -> int:
        """The node that computes an expression."""
        node = self.nodes.get(expr)
        if node is None:
            node = self.nodes[expr] = self._lower(expr)
        return node

    def _lower(self, expr: Expr) -> int:
        graph = self.graph
        if expr.is_Number or expr.is_NumberSymbol:
            return graph.constant(float(expr))
        if expr.is_Add:
            return self._lower_sum(expr)
        if expr.is_Mul:
            return self._lower_product(expr)
        if expr.is_Pow:
            return self._lower_power(*expr.as_base_exp())
        arguments = [self.lower(argument) for argument in expr.args]
        opcode = getattr(expr.func, "opcode", expr.func.__name__)
        if opcode in ("curve", "slope"):
            return graph.node(opcode, arguments[1], int(expr.args[0]))
        return graph.node(opcode, *arguments)

    def _lower_sum(self, expr: Expr) -> int:
        terms = [term.as_coeff_Mul() for term in expr.args]
        plus = [self.lower(term) for term, (c, _) in zip(expr.args, terms, strict=True) if not c.is_negative]
        minus = [self.lower(-term) for term, (c, _) in zip(expr.args, terms, strict=True) if c.is_negative]
        total = plus.pop(0) if plus else self.graph.negate(minus.pop(0))
        for node in plus:
            total = self.graph.add(total, node)
        for node in minus:
            total = self.graph.subtract(total, node)
        return total

    def _lower_product(self, expr: Expr) -> int:
        """Factors that vary most come first, parameters and constants last: such products are shared most often."""
        return self.graph.product(sorted((self.lower(factor) for factor in expr.args), key=self._variation))

    def _variation(self, node: int) -> tuple[int, int]:
        if self.graph.nodes[node][0] == "constant":
            return 2, node
        return int(1 + self.graph.n_states <= node < 1 + self.graph.n_states + self.graph.n_params), node

    def _lower_power(self, base: Expr, exponent: Expr) -> int:
        node = self.lower(base)
        if exponent.is_Integer and abs(int(exponent)) <= 64:
            return self.graph.power(node, int(exponent))
        if (2 * exponent).is_Integer and abs(int(2 * exponent)) <= 64:
            return self.graph.power(self.graph.node("sqrt", node), int(2 * exponent))
        return self.graph.node("pow", node, self.lower(exponent))


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
