"""A model with all its derivatives, as plain data: what `differentiation` makes and `assembly` lowers."""

from __future__ import annotations

from dataclasses import dataclass, field

from parfit.model.calculus.graph import Graph

Entries = dict[tuple[int, int], int]  # (row, column) -> node


@dataclass(frozen=True)
class Equations:
    """Nodes of one vector function and of its derivatives, without structural zeros."""

    values: tuple[int, ...]
    by_state: Entries
    by_parameter: Entries
    by_time: dict[int, int] = field(default_factory=dict)  # row -> node; only where somebody needs it


@dataclass(frozen=True)
class Derivation:
    """Everything the kernel computes from a model, as nodes of one graph."""

    graph: Graph
    dynamics: Equations  # g
    initial: Equations  # y0
    outputs: Equations  # the aux quantities
