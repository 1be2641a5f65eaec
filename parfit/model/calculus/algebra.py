"""Sums, products and powers on a graph, with like terms and like factors collected.

x*y/x is y here, and sqrt(x)^2 is x, so that derivatives have values wherever they should. Nodes of a graph are not
taken apart again unless they were made here, and not if they have a name of their own (`whole`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from parfit.model.calculus.graph import Graph

# Longer products are made of products this long, so that work grows with their length and not with its square.
LONG = 8


# A number, and the powers of nodes that it is multiplied with; exponents are doubled: half powers are roots. Plain
# tuples, because very many are made.
Monomial = tuple[float, dict[int, int]]

ONE: Monomial = (1.0, {})


class Algebra:
    """What is known of the nodes of a graph that are sums and products."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self.products: dict[int, Monomial] = {}
        self.sums: dict[int, tuple[Monomial, ...]] = {}  # without constants
        self.whole: set[int] = set()
        self._made: dict[tuple[float, frozenset[tuple[int, int]]], int] = {}

    def copied(self, graph: Graph) -> Algebra:
        """The same for a copy of the graph."""
        new = Algebra(graph)
        new.products, new.sums, new.whole = dict(self.products), dict(self.sums), set(self.whole)
        new._made = dict(self._made)
        return new

    def monomial(self, node: int) -> Monomial:
        """A node as a product."""
        op, a, _, _ = self.graph.nodes[node]
        if op == "constant":
            return float(a), {}
        product = None if node in self.whole else self.products.get(node)
        return (1.0, {node: 2}) if product is None else product

    def bound(self, node: int) -> Monomial:
        """The same, but the node stays whole, as something that is computed once and used often."""
        self.whole.add(node)
        return self.monomial(node)

    def times(self, first: Monomial, *others: Monomial) -> Monomial:
        factor, powers = first
        powers = dict(powers)
        for number, more in others:
            factor *= number
            for base, exponent in more.items():
                total = powers.get(base, 0) + exponent
                if total:
                    powers[base] = total
                else:
                    del powers[base]
        return factor, powers

    def scaled(self, number: float, monomial: Monomial) -> Monomial:
        factor, powers = monomial
        return number * factor, powers

    def raised(self, base: Monomial, exponent: int) -> Monomial:
        """To a power, whose exponent is doubled."""
        factor, powers = base
        if exponent % 2 == 0:
            n = exponent // 2
            return number_power(factor, n), {each: e * n for each, e in powers.items() if n}
        if factor != 1.0 or list(powers.values()) != [2]:
            powers = {self.product(base): 2}
        return 1.0, dict.fromkeys(powers, exponent)

    def quotient(self, a: Monomial, b: Monomial) -> Monomial:
        return self.times(a, self.raised(b, -2))

    def short(self, monomial: Monomial) -> Monomial:
        """The same, as one node if it has many factors."""
        factor, powers = monomial
        return monomial if len(powers) <= LONG else self.scaled(factor, self.bound(self.product((1.0, powers))))

    # ---- nodes

    def product(self, monomial: Monomial) -> int:
        """The node of a monomial."""
        factor, powers = monomial
        if factor == 1.0 and list(powers.values()) == [2]:
            return next(iter(powers))
        key = factor, frozenset(powers.items())
        node = self._made.get(key)
        if node is None:
            node = self._made[key] = self._product(monomial)
        return node

    def _product(self, monomial: Monomial) -> int:
        factor, powers = self._joined(monomial)
        powers = self._grouped(powers)
        if factor == 0.0 or not powers:
            return self.graph.constant(factor)
        if factor != 1.0:
            core = self.product((1.0, powers))
            node = self.graph.multiply(core, self.graph.constant(factor))
        else:
            node = self.graph.product(sorted((self._power(*each) for each in powers.items()), key=self._variation))
        if powers != {node: 2}:
            self.products.setdefault(node, (factor, powers))
        return node

    def _power(self, base: int, exponent: int) -> int:
        if exponent % 2:
            return self.graph.power(self.graph.node("sqrt", base), exponent)
        return self.graph.power(base, exponent // 2)

    def _variation(self, node: int) -> tuple[bool, int]:
        """Factors that vary most come first, parameters last: such products are shared most often."""
        first = 1 + self.graph.n_states
        return first <= node < first + self.graph.n_params, node

    def _joined(self, monomial: Monomial) -> Monomial:
        """exp(a) * exp(b) and 1 / exp(a) as one exponential, of which no part can be too large for a number."""
        nodes, (factor, powers) = self.graph.nodes, monomial
        found = {each: e for each, e in powers.items() if nodes[each][0] == "exp" and each not in self.whole}
        if not found or list(found.values()) == [2]:
            return monomial
        rest = {each: e for each, e in powers.items() if each not in found}
        terms = [self.scaled(0.5 * e, self.monomial(nodes[each][1])) for each, e in found.items()]
        exponent = self.sum(terms)
        value = self.graph.value(exponent)
        if value is not None:
            return factor * number_exp(value), rest
        return factor, rest | {self.graph.node("exp", exponent): 2}

    def _grouped(self, powers: dict[int, int]) -> dict[int, int]:
        """With groups of factors as one each, if there are many."""
        while len(powers) > LONG:
            items = sorted(powers.items())
            groups = [dict(items[k : k + LONG]) for k in range(0, len(items), LONG)]
            nodes = [self.product((1.0, group)) for group in groups]
            self.whole.update(nodes)
            _, powers = self.times(*((1.0, {node: 2}) for node in nodes))
        return powers

    def sum(self, terms: Iterable[Monomial]) -> int:
        """The node of a sum."""
        constant = 0.0
        factors: dict[int, float] = {}
        for factor, powers in terms:
            core = self.product((1.0, powers))
            value = self.graph.value(core)
            if value is None:
                factors[core] = factors.get(core, 0.0) + factor
            else:
                constant += factor * value
        found = [self.scaled(f, self.monomial(core)) for core, f in sorted(factors.items()) if f != 0.0]
        if not found:
            return self.graph.constant(constant)
        if len(found) == 1 and constant == 0.0:
            return self.product(found[0])
        node = self._added(found if constant == 0.0 else [*found, (constant, {})])
        self.sums.setdefault(node, tuple(found))
        return node

    def _added(self, terms: list[Monomial]) -> int:
        """Terms with a plus sign first, then the others subtracted."""
        plus = [self.product((factor, powers)) for factor, powers in terms if factor > 0.0]
        minus = [self.product((-factor, powers)) for factor, powers in terms if not factor > 0.0]
        total = plus.pop(0) if plus else self.graph.negate(minus.pop(0))
        for node in plus:
            total = self.graph.add(total, node)
        for node in minus:
            total = self.graph.subtract(total, node)
        return total


def number_power(number: float, n: int) -> float:
    try:
        return float(number**n)
    except (ZeroDivisionError, OverflowError):
        return math.inf


def number_exp(number: float) -> float:
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf
