"""A graph of operations in which equal subexpressions are one node, and its lowering to a tape.

Nodes are (op, a, b, c) with the names of `kernel.tape.OPCODES` and earlier nodes as arguments; a node that stands
for an input or a constant has the op "input" or "constant". A graph is plain data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any

import numpy as np

from parfit.dataclass import dataclass
from parfit.kernel.tape import OPCODES, Tape

Node = tuple[str, Any, int, int]  # a is a node, too, but of a constant its value and of an input its place
UNUSED = -1


@dataclass
class Graph:
    """Nodes in an order in which arguments come first; the first are t, the states and the parameters."""

    n_states: int
    n_params: int
    nodes: list[Node] = field(default_factory=list)
    known: dict[Node, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for k in range(1 + self.n_states + self.n_params):
            self.node("input", k)

    def copied(self) -> Graph:
        return Graph(self.n_states, self.n_params, list(self.nodes), dict(self.known))

    def node(self, op: str, a: int | float, b: int = UNUSED, c: int = UNUSED) -> int:
        """The node for an operation, made if there is none yet."""
        key = (op, a, b, c)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def constant(self, value: float) -> int:
        return self.node("constant", value)

    def value(self, node: int) -> float | None:
        """The value of a constant, None of anything else."""
        op, a, _, _ = self.nodes[node]
        return float(a) if op == "constant" else None

    def add(self, a: int, b: int) -> int:
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.constant(x + y)
        if x == 0.0:
            return b
        if y == 0.0:
            return a
        return self.node("add", *sorted((a, b)))

    def subtract(self, a: int, b: int) -> int:
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.constant(x - y)
        if y == 0.0:
            return a
        return self.negate(b) if x == 0.0 else self.node("sub", a, b)

    def negate(self, a: int) -> int:
        x = self.value(a)
        return self.node("neg", a) if x is None else self.constant(-x)

    def multiply(self, a: int, b: int) -> int:
        x, y = self.value(a), self.value(b)
        if x is not None and y is not None:
            return self.constant(x * y)
        if x is not None or y is not None:
            factor, other = (x, b) if y is None else (y, a)
            if factor == 1.0:
                return other
            if factor == -1.0:
                return self.negate(other)
        return self.node("mul", *((a, b) if a <= b else (b, a)))

    def product(self, factors: Sequence[int]) -> int:
        """All factors multiplied, by way of products that are there already."""
        remaining = list(factors)
        while len(remaining) > 2:
            pairs = combinations(range(len(remaining)), 2)
            i, j = next((ij for ij in pairs if self._has_product(*(remaining[k] for k in ij))), (0, 1))
            second, first = remaining.pop(j), remaining.pop(i)
            remaining.insert(0, self.multiply(first, second))
        return remaining[0] if len(remaining) == 1 else self.multiply(*remaining)

    def _has_product(self, a: int, b: int) -> bool:
        return ("mul", min(a, b), max(a, b), UNUSED) in self.known

    def reciprocal(self, a: int) -> int:
        x = self.value(a)
        return self.constant(1.0 / x) if x else self.node("div", self.constant(1.0), a)

    def power(self, a: int, n: int) -> int:
        """a to a whole power, by squaring."""
        if n < 0:
            return self.power(self.reciprocal(a), -n)
        if n == 0:
            return self.constant(1.0)
        if n == 1:
            return a
        half = self.power(a, n // 2)
        square = self.multiply(half, half)
        return self.multiply(square, a) if n % 2 else square


def arguments(node: Node) -> tuple[int, ...]:
    """The nodes that a node depends on."""
    op, a, b, c = node
    if op in ("input", "constant"):
        return ()
    if b == UNUSED or op in ("curve", "slope"):
        return (a,)
    return (a, b) if c == UNUSED else (a, b, c)


def lower(graph: Graph, sections: Sequence[Sequence[int]], curves: Sequence[object] = ()) -> Tape:
    """The tape that computes the nodes of each section, without what no section needs."""
    nodes = _fuse(graph.nodes, sections)
    section_of = _first_use(nodes, sections)
    used = sorted(section_of)
    moving = _depends_on_point(nodes, used, graph.n_states)
    for k in used:
        if not moving[k]:
            section_of[k] = 0
    n_inputs = 1 + graph.n_states + graph.n_params
    constants = [k for k in used if nodes[k][0] == "constant"]
    depth = _depths(nodes)
    operations = sorted(
        (k for k in used if nodes[k][0] not in ("input", "constant")),
        key=lambda k: (section_of[k], depth[k], OPCODES[nodes[k][0]], k),
    )
    register = {k: int(nodes[k][1]) for k in range(n_inputs)}
    register |= {k: n_inputs + i for i, k in enumerate((*constants, *operations))}
    image = np.zeros(n_inputs + len(constants) + len(operations))
    for k in constants:
        image[register[k]] = nodes[k][1]
    code = np.array([_encode(nodes[k], register[k], register) for k in operations], dtype=np.intc).reshape(-1, 5)
    counts = Counter(section_of[k] for k in operations)
    marks = np.cumsum([counts[s] for s in range(len(sections) + 1)])
    outputs = [np.array([register[k] for k in section], dtype=np.intc) for section in sections]
    return Tape(graph.n_states, graph.n_params, code, image, marks, outputs, curves)


def _depths(nodes: Sequence[Node]) -> list[int]:
    """How many operations have to come before each: those of one depth can be done in any order."""
    depths: list[int] = []
    for node in nodes:
        depths.append(1 + max((depths[k] for k in arguments(node)), default=0))
    return depths


def _encode(node: Node, out: int, register: dict[int, int]) -> tuple[int, int, int, int, int]:
    op, a, b, c = node
    if op in ("curve", "slope"):
        return OPCODES[op], out, register[a], b, 0
    y, z = (register[k] if k != UNUSED else 0 for k in (b, c))
    return OPCODES[op], out, register[a], y, z


def _uses(nodes: Sequence[Node], wanted: Iterable[int]) -> list[int]:
    """How often each needed node is used, results counting as uses."""
    uses = [0] * len(nodes)
    for k in wanted:
        uses[k] += 1
    for k in range(len(nodes) - 1, -1, -1):
        if uses[k]:
            for argument in arguments(nodes[k]):
                uses[argument] += 1
    return uses


def _fuse(nodes: Sequence[Node], sections: Sequence[Sequence[int]]) -> list[Node]:
    """Merge a product that is used once into the sum that uses it, a reciprocal into the product that uses it."""
    uses = _uses(nodes, (k for section in sections for k in section))
    fused = list(nodes)
    for k, (op, a, b, _) in enumerate(nodes):
        if not uses[k] or op not in ("add", "sub", "mul"):
            continue
        if op == "mul":
            for x, y in ((a, b), (b, a)):
                if fused[x][0] == "div" and uses[x] == 1 and _is_one(fused, fused[x][1]):
                    fused[k] = ("div", y, fused[x][2], UNUSED)
                    break
            continue
        for x, y, merged in ((b, a, "nmuladd" if op == "sub" else "muladd"), (a, b, "muladd")):
            if fused[x][0] == "mul" and uses[x] == 1 and not (op == "sub" and x == a):
                fused[k] = (merged, fused[x][1], fused[x][2], y)
                break
    return fused


def _is_one(nodes: Sequence[Node], k: int) -> bool:
    return nodes[k][:2] == ("constant", 1.0)


def needed(graph: Graph, results: Sequence[int]) -> set[int]:
    """The nodes on which results depend, inputs among them."""
    return set(_first_use(graph.nodes, [results]))


def _first_use(nodes: Sequence[Node], sections: Sequence[Sequence[int]]) -> dict[int, int]:
    """For every node that is needed, the first section (from 1) that needs it."""
    first: dict[int, int] = {}
    for number, section in enumerate(sections, start=1):
        stack = list(section)
        while stack:
            k = stack.pop()
            if k not in first:
                first[k] = number
                stack.extend(arguments(nodes[k]))
    return first


def _depends_on_point(nodes: Sequence[Node], used: Iterable[int], n_states: int) -> dict[int, bool]:
    """Whether each node that is used, given in their order, depends on t or y, and not on parameters alone."""
    moving: dict[int, bool] = {}
    for k in used:
        op, a, _, _ = nodes[k]
        moving[k] = a <= n_states if op == "input" else any(map(moving.__getitem__, arguments(nodes[k])))
    return moving
