"""A model with all its derivatives, as plain data: what `differentiation` makes and `assembly` lowers."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TypeVar

from parfit.dataclass import dataclass
from parfit.model.calculus.graph import Graph

Entries = dict[tuple[int, int], int]  # (row, column) -> node

T = TypeVar("T")


class Made:
    """What was made of equations once, by what it is; nothing of it is copied or pickled."""

    def __init__(self) -> None:
        self._found: dict[Hashable, object] = {}

    def __reduce__(self) -> tuple[type[Made], tuple[()]]:
        return Made, ()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        if key not in self._found:
            self._found[key] = make()
        return self._found[key]  # type: ignore[return-value]


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
    made: Made = field(default_factory=Made)  # of the dynamics, for all who have the same
    own: Made = field(default_factory=Made)  # of all of it
