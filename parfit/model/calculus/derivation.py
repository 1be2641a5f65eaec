"""A model with all its derivatives, as plain data: what `differentiation` makes and `assembly` lowers."""

from __future__ import annotations

from dataclasses import dataclass

from parfit.model.calculus.graph import Graph

Entries = dict[tuple[int, int], int]  # (row, column) -> node


@dataclass(frozen=True)
class Equations:
    """Nodes of one vector function and of its derivatives, without structural zeros."""

    values: tuple[int, ...]
    by_state: Entries
    by_parameter: Entries


@dataclass(frozen=True)
class Derivation:
    """Everything the kernel computes from a model, as nodes of one graph."""

    graph: Graph
    dynamics: Equations  # g
    initial: Equations  # y0
    outputs: Equations  # the aux quantities
