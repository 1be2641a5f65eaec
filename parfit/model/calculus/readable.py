"""Partial derivatives of a model to be read by people: simplified by sympy and turned back into expressions.

Short quantities are written out, because their derivatives then cancel and collect (in predator-prey the satiation
leaves one square); long ones keep their names, and the chain rule shows with their own derivatives listed first.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import sympy
from sympy import Expr, Integer, Symbol

from parfit.model.calculus.symbolic import partials
from parfit.model.calculus.translation import Translator
from parfit.model.language.expression import Expression
from parfit.model.model import Model

# Sizes as sympy counts operations: up to these a quantity is written out, and an expression is factored.
SHORT, FACTORED = 30, 60
EFFORT = 2_500  # operations to rewrite in one model, some seconds; what is left then stays as sympy gives it


class Partial(NamedTuple):
    """One derivative that is not zero; its expression may use quantities, and `label` of quantities before it."""

    of: str  # y1' or y1(0) or the name of a quantity
    by: str
    expression: Expression

    @property
    def label(self) -> str:
        return f"∂{self.of}/∂{self.by}"


class Partials(NamedTuple):
    quantities: list[Partial]  # only of those that the others refer to
    equations: list[Partial]
    initial: list[Partial]
    aux: list[Partial]


def partial_derivatives(model: Model) -> Partials:
    """All derivatives by states and parameters that are not zero."""
    _ = model.derivation  # says what is wrong with a model that cannot be differentiated
    work = _Work(model)
    quantities = [partial for name, node in model.quantities for partial in work.define(name, node)]
    pairs = [(f"{name}'", node) for name, node in zip(model.states, model.equations, strict=True)]
    equations = work.rows(pairs)
    pairs = [(f"{name}(0)", node) for name, node in zip(model.states, model.initial, strict=True)]
    return Partials(quantities, equations, work.rows(pairs), work.rows(model.aux))


class _Work:
    """Symbols for all names, and what is known of the quantities so far."""

    def __init__(self, model: Model):
        self.translator = Translator(model)
        self.inputs = [Symbol(name) for name in (*model.states, *model.parameters)]
        self.opened: dict[Expr, Expr] = {}  # short quantities, written out
        self.totals: dict[Expr, dict[Expr, Expr]] = {}  # long ones, with symbols for their derivatives
        self.nameable: list[tuple[Expr, Expr, set[Expr]]] = []  # those to be named again, with their symbols
        self.effort = EFFORT
        self.simplified: dict[Expr, Expr] = {}

    def define(self, name: str, node: Expression) -> list[Partial]:
        """Take a quantity; gives its derivatives if it keeps its name."""
        symbol, expr = Symbol(name), self.translator.converted(node).xreplace(self.opened)
        if expr.count_ops() <= SHORT:
            self.opened[symbol] = expr
            if expr.count_ops() > 1:
                self.nameable.append((symbol, expr, expr.free_symbols))
            return []
        found = self.row(name, expr)
        self.totals[symbol] = {Symbol(partial.by): Symbol(partial.label) for partial in found}
        return found

    def rows(self, pairs: Iterable[tuple[str, Expression]]) -> list[Partial]:
        return [
            partial
            for of, node in pairs
            for partial in self.row(of, self.translator.converted(node).xreplace(self.opened))
        ]

    def row(self, of: str, expr: Expr) -> list[Partial]:
        """The derivatives of one expression, each the shorter of term by term and all terms together."""
        terms: dict[Expr, list[Expr]] = {}
        for term in sympy.Add.make_args(expr):
            for x, derivative in self.total(term).items():
                terms.setdefault(x, []).append(derivative)
        found = []
        for x in self.inputs:
            parts = terms.get(x, [])
            by_terms = sympy.Add(*map(self.simplest, parts))
            simplest = _shortest([by_terms, self.simplest(by_terms)])
            if simplest != 0:
                with_names = sympy.Add(*(self.simplest(self.named(part)) for part in parts))
                forms = [simplest, self.named(simplest), with_names, self.simplest(with_names)]
                found.append(Partial(of, x.name, self.translator.written(_shortest(forms))))
        return found

    def total(self, expr: Expr) -> dict[Expr, Expr]:
        terms: dict[Expr, list[Expr]] = {}
        for symbol, partial in partials(expr).items():
            for x, factor in self.totals.get(symbol, {symbol: Integer(1)}).items():
                terms.setdefault(x, []).append(partial * factor)
        return {x: sympy.Add(*parts) for x, parts in terms.items()}

    def named(self, expr: Expr) -> Expr:
        """With quantities by their names again where that is shorter, the last ones first."""
        symbols = expr.free_symbols
        for name, opened, needed in reversed(self.nameable):
            if needed <= symbols and self.worth(expr):
                expr = _shortest([expr, expr.subs(opened, name), name * (expr / opened)])
        return expr

    def simplest(self, expr: Expr) -> Expr:
        """The shortest of a few quick rewritings."""
        if expr not in self.simplified:
            forms = [expr]
            if expr.count_ops() > 2 and self.worth(expr):
                forms.append(sympy.factor_terms(expr))
                with suppress(sympy.PolynomialError):  # of what is no polynomial, such as a choice
                    forms.append(sympy.factor(expr))
            self.simplified[expr] = _shortest(forms)
        return self.simplified[expr]

    def worth(self, expr: Expr) -> bool:
        """Whether to spend effort on an expression; counted in operations, so that results do not depend on clocks."""
        size = expr.count_ops()
        if size > FACTORED or size > self.effort:
            return False
        self.effort -= size
        return True


def _shortest(forms: list[Expr]) -> Expr:
    return min(forms, key=lambda form: form.count_ops())
