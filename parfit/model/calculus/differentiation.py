"""Exact derivatives: from the expressions of a model to the graph of all that is computed from it.

Each quantity and each equation is differentiated backwards, by all that stands in it at once, and the chain rule
joins the quantities, so that work and size grow with the text of the model and not with what it would be when written
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import copy
from heapq import heappop, heappush

from parfit.errors import ModelError
from parfit.model.calculus.algebra import ONE, Algebra, Monomial
from parfit.model.calculus.derivation import Derivation, Equations, Made
from parfit.model.calculus.graph import Graph, arguments
from parfit.model.calculus.rules import is_choice, made_of, on_graph, slopes_of
from parfit.model.collecting import without_collecting
from parfit.model.language.expression import Call, Expression, Name, Number, value
from parfit.model.model import Model

Slopes = list[tuple[int, Monomial]]  # arguments of a node, and its derivatives by them
Totals = dict[int, Monomial]  # input -> derivative

LARGEST_EXPONENT = 32  # up to which whole and half powers are products and roots


@without_collecting()
def derive(model: Model) -> Derivation:
    """Differentiate a model."""
    stages = model.stages
    if stages is None:
        return _ended(model, *_begun(model))

    def made() -> Derivation:
        work, dynamics, lowered = stages.begun(model, lambda: _begun(model))
        return _ended(model, work.continued(model), dynamics, lowered)

    return stages.ended(model, made)


def _ended(model: Model, work: _Work, dynamics: Equations, made: Made) -> Derivation:
    """What follows the equations."""
    labels = [f"the initial value of {name}" for name in model.states]
    initial = work.equations(zip(labels, model.initial, strict=True))
    outputs = work.equations((f"the aux quantity {name}", node) for name, node in model.aux)
    return Derivation(work.graph, dynamics, initial, outputs, made)


def _begun(model: Model) -> tuple[_Work, Equations, Made]:
    """All up to the equations, and nothing made of these yet."""
    work = _Work(model)
    for name, node in model.quantities:
        work.define(name, node)
    labels = [f"the equation of {name}" for name in model.states]
    return work, work.equations(zip(labels, model.equations, strict=True)), Made()


def derive_rows(model: Model, functions: Iterable[Iterable[tuple[str, Expression]]]) -> tuple[Graph, list[Equations]]:
    """Vector functions beside those of a model, each given as labels and expressions, with derivatives by time too."""
    work = _Work(model, by_time=True)
    for name, node in model.quantities:
        work.define(name, node)
    return work.graph, [work.equations(rows) for rows in functions]


class _Work:
    """The nodes of all expressions so far, and the total derivatives of the quantities."""

    def __init__(self, model: Model, by_time: bool = False):
        self.graph = Graph(len(model.states), len(model.parameters))
        self.first = 0 if by_time else 1  # the first input that is differentiated by; node 0 is t
        self.algebra = Algebra(self.graph)
        self.lowering = _Lowering(model, self.algebra)
        self.n_inputs = len(self.graph.nodes)
        self.totals: dict[int, Totals] = {}  # of quantities
        self.chosen: dict[int, Slopes] = {}  # of choices, by what stands in their branches
        self.varying = [by_time, *(True for _ in range(self.n_inputs - 1))]

    def continued(self, model: Model) -> _Work:
        """The same to go on with, for a model that is the same so far."""
        new = copy(self)
        new.graph = self.graph.copied()
        new.algebra = self.algebra.copied(new.graph)
        new.lowering = self.lowering.continued(model, new.algebra)
        new.totals, new.chosen, new.varying = dict(self.totals), dict(self.chosen), list(self.varying)
        return new

    def define(self, name: str, expression: Expression) -> None:
        """A quantity, which from now on is one thing, with derivatives of its own."""
        node = self.lowering.names[name] = self.lowering.node(expression, f"the quantity {name}")
        if node < self.n_inputs or node in self.totals or self.graph.value(node) is not None:
            return
        self.totals[node] = {x: self.algebra.bound(d) for x, d in self.total(node).items()}
        self.algebra.whole.add(node)

    def equations(self, rows: Iterable[tuple[str, Expression]]) -> Equations:
        first_parameter = 1 + self.graph.n_states
        values, by_time, by_state, by_parameter = [], {}, {}, {}
        for i, (label, expression) in enumerate(rows):
            node = self.lowering.node(expression, label)
            values.append(node)
            for x, derivative in sorted(self.total(node).items()):
                if x == 0:
                    by_time[i] = derivative
                elif x < first_parameter:
                    by_state[i, x - 1] = derivative
                else:
                    by_parameter[i, x - first_parameter] = derivative
        return Equations(tuple(values), by_state, by_parameter, by_time)

    def total(self, node: int) -> dict[int, int]:
        """Derivatives by all states and parameters on which a node depends, through quantities too."""
        terms: dict[int, list[Monomial]] = {}
        for leaf, parts in self.partials(node).items():
            if leaf < self.n_inputs:
                terms.setdefault(leaf, []).extend(parts)
            else:
                partial = self.algebra.bound(self.algebra.sum(parts))
                for x, derivative in self.totals[leaf].items():
                    terms.setdefault(x, []).append(self.algebra.times(partial, derivative))
        sums = {x: self.algebra.sum(parts) for x, parts in terms.items()}
        return {x: d for x, d in sums.items() if self.graph.value(d) != 0.0}

    def partials(self, root: int) -> dict[int, list[Monomial]]:
        """Terms of the derivatives of a node by the inputs and quantities that it is made of.

        From the node backwards: what it depends on has a smaller number, so that whatever uses a node comes before it.
        """
        algebra = self.algebra
        found: dict[int, list[Monomial]] = {}
        adjoints, waiting = {root: [ONE]}, [-root]
        while waiting:
            node = -heappop(waiting)
            parts = adjoints.pop(node)
            if self.first <= node < self.n_inputs or node in self.totals:
                found[node] = parts
                continue
            adjoint = parts[0] if len(parts) == 1 else algebra.bound(algebra.sum(parts))
            for argument, slope in self.slopes(node) if adjoint[0] != 0.0 and self.varies(node) else ():
                if argument not in adjoints:
                    adjoints[argument] = []
                    heappush(waiting, -argument)
                adjoints[argument].append(algebra.short(algebra.times(adjoint, slope)))
        return found

    def varies(self, node: int) -> bool:
        """Whether a node depends on a state or a parameter."""
        nodes, varying = self.graph.nodes, self.varying
        while len(varying) <= node:
            varying.append(any(map(varying.__getitem__, arguments(nodes[len(varying)]))))
        return varying[node]

    def slopes(self, node: int) -> Slopes:
        """The derivatives of a node by the nodes that it was made of."""
        algebra = self.algebra
        if node in algebra.products:
            product = algebra.products[node]
            found = [(base, algebra.times(product, (0.5 * e, {base: -2}))) for base, e in product[1].items()]
        elif node in algebra.sums:
            found = [(algebra.product((1.0, powers)), (factor, {})) for factor, powers in algebra.sums[node]]
        elif is_choice(self.graph.nodes[node][0]):
            return self.choice(node)
        else:
            found = self.ruled(node)
        return [(argument, slope) for argument, slope in found if self.varies(argument)]

    def ruled(self, node: int) -> Slopes:
        """As the rules of the operation say; that of a curve is its slope."""
        op, a, b, _ = self.graph.nodes[node]
        if op == "curve":
            return [(int(a), self.algebra.monomial(self.graph.node("slope", a, b)))]
        names = self.names_in(node)
        rules = zip(arguments(self.graph.nodes[node]), slopes_of(op), strict=False)  # of a step there are none
        return [(argument, on_graph(self.algebra, rule, names)) for argument, rule in rules]

    def names_in(self, node: int) -> dict[str, int]:
        """What the names in a rule stand for: the value of a node and its arguments."""
        return dict(zip("fabc", (node, *arguments(self.graph.nodes[node])), strict=False))

    def choice(self, node: int) -> Slopes:
        """By what stands in the branches, each derivative a choice too: what is not taken may have no value."""
        if node not in self.chosen:
            graph, algebra, names = self.graph, self.algebra, self.names_in(node)
            rule = made_of(graph.nodes[node][0])
            assert isinstance(rule, Call)
            condition, b, c = (algebra.product(on_graph(algebra, each, names)) for each in rule.arguments)
            first, second = ({x: algebra.sum(parts) for x, parts in self.partials(k).items()} for k in (b, c))
            zero = graph.constant(0.0)
            found = []
            for x in sorted({*first, *second}):
                yes, no = first.get(x, zero), second.get(x, zero)
                found.append((x, algebra.bound(yes if yes == no else graph.node("if", condition, yes, no))))
            self.chosen[node] = found
        return self.chosen[node]


class _Lowering:
    """Expressions of a model to nodes."""

    def __init__(self, model: Model, algebra: Algebra):
        self.algebra, self.graph = algebra, algebra.graph
        self.tables = {name: k for k, (name, _) in enumerate(model.tables)}
        self.names = {name: k for k, name in enumerate(("t", *model.states, *model.parameters))}
        self.known: dict[int, int] = {}  # id of an expression -> node
        self.defined: set[int] = set()  # nodes in which all numbers are finite
        definitions = [node for _, node in (*model.quantities, *model.aux)]
        self.uses = _uses([*model.equations, *model.initial, *definitions])

    def continued(self, model: Model, algebra: Algebra) -> _Lowering:
        new = _Lowering(model, algebra)
        new.names, new.known, new.defined = dict(self.names), dict(self.known), set(self.defined)
        return new

    def node(self, root: Expression, label: str) -> int:
        if not isinstance(root, Call):
            return self.leaf(root, label)
        known, parts = self.known, self.parts(root)
        stack = [(root, parts, reversed(parts))] if id(root) not in known else []
        while stack:  # no recursion: expressions may be nested deeper than Python's calls
            call, parts, waiting = stack[-1]
            for part in waiting:
                if id(part) in known:
                    continue
                if isinstance(part, Call):
                    inner = self.parts(part)
                    stack.append((part, inner, reversed(inner)))
                    break
                known[id(part)] = self.leaf(part, label)
            else:
                stack.pop()
                known[id(call)] = self.checked(self.made(call, [known[id(part)] for part in parts]), label)
        return known[id(root)]

    def leaf(self, expression: Expression, label: str) -> int:
        if isinstance(expression, Name):
            return self.names[expression.name]
        assert isinstance(expression, Number)
        return self.checked(self.graph.constant(expression.value), label)

    def checked(self, node: int, label: str) -> int:
        """The node, unless a number in it is none."""
        if node not in self.defined:
            factor, _ = self.algebra.monomial(node)
            constants = [self.graph.value(k) or 0.0 for k in arguments(self.graph.nodes[node])]
            if not all(map(math.isfinite, (factor, *constants))):
                raise ModelError(f"{label} divides by zero or has another undefined constant in it")
            self.defined.add(node)
        return node

    def parts(self, call: Call) -> tuple[Expression, ...]:
        """What a call is made of."""
        if call.function not in ("+", "-"):
            return call.arguments
        return tuple([term for _, term in self.terms(call)])

    def terms(self, total: Call) -> list[tuple[float, Expression]]:
        """The terms of a sum with their signs, those of sums in it among them.

        A sum that is used elsewhere too stays together.
        """
        found: list[tuple[float, Expression]] = []
        stack: list[tuple[float, Expression]] = [(1.0, total)]
        while stack:
            sign, term = stack.pop()
            if isinstance(term, Call) and term.function == "-":
                stack.append((-sign, term.arguments[0]))
            elif (
                isinstance(term, Call) and term.function == "+" and (term is total or self.uses.get(id(term), 1) == 1)
            ):
                stack += [(sign, each) for each in reversed(term.arguments)]
            else:
                found.append((sign, term))
        return found

    def made(self, call: Call, nodes: list[int]) -> int:
        """The node of a call, given those of its parts."""
        algebra = self.algebra
        if call.function in ("+", "-"):
            terms = zip(self.terms(call), nodes, strict=True)
            return algebra.sum(algebra.scaled(sign, algebra.monomial(k)) for (sign, _), k in terms)
        if call.function in self.tables:
            return self.graph.node("curve", nodes[0], self.tables[call.function])
        return self.call(call.function, nodes)

    def call(self, function: str, nodes: list[int]) -> int:
        algebra, numbers = self.algebra, [self.graph.value(k) for k in nodes]
        if None not in numbers:
            constants = tuple(Number(number) for number in numbers if number is not None)
            return self.graph.constant(value(Call(function, constants), {}))
        a, b = nodes[0], nodes[-1]
        if function == "*":
            return algebra.product(algebra.times(*map(algebra.monomial, nodes)))
        if function == "/":
            return algebra.product(algebra.quotient(algebra.monomial(a), algebra.monomial(b)))
        if function == "sqrt":
            return algebra.product(algebra.raised(algebra.monomial(a), 1))
        if function == "^":
            return self.power(a, b)
        if function == "-":
            return algebra.product(algebra.scaled(-1.0, algebra.monomial(a)))
        rule = made_of(function)
        if rule is not None and not is_choice(function):
            return algebra.product(on_graph(algebra, rule, dict(zip("abc", nodes, strict=False))))
        return self.graph.node(function, *nodes)

    def power(self, a: int, b: int) -> int:
        exponent = self.graph.value(b)
        if exponent is not None and 2 * exponent == int(2 * exponent) and abs(exponent) <= LARGEST_EXPONENT:
            return self.algebra.product(self.algebra.raised(self.algebra.monomial(a), int(2 * exponent)))
        return self.graph.node("pow", a, b)


def _uses(roots: Iterable[Expression]) -> dict[int, int]:
    """How often each call is used, by its id."""
    uses: dict[int, int] = {}
    stack = [each for each in roots if isinstance(each, Call)]
    while stack:
        call = stack.pop()
        uses[id(call)] = uses.get(id(call), 0) + 1
        if uses[id(call)] == 1:
            stack += [each for each in call.arguments if isinstance(each, Call)]
    return uses
