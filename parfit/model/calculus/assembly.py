"""From the derivation of a model to what the kernel integrates, for a choice of active parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.kernel.system import System
from parfit.kernel.tape import Tape
from parfit.model.calculus.elimination import Plan, plan
from parfit.model.calculus.graph import Graph, lower, needed
from parfit.model.collecting import without_collecting
from parfit.model.model import Model

if TYPE_CHECKING:
    from parfit.model.calculus.derivation import Derivation

Entries = dict[tuple[int, int], int]  # (row, column) -> node of the graph

Integers = NDArray[np.intc]
# Sensitivities are advanced in pieces of about so many numbers, all derivatives of a piece together, in the cache.
SEGMENT = 256
GAP = 4  # zeros between two pieces that are computed with them, because to begin another piece takes longer
Pattern = tuple[Integers, Integers]  # start of each row among the entries, column of each entry


@dataclass(frozen=True, eq=False)
class Compiled:
    """A model for a choice of active parameters, ready to be integrated; columns of derivatives are in their order."""

    system: System
    outputs: Tape | None  # h, h_y, h_p of the aux quantities, in the model's order of states
    output_patterns: tuple[Pattern, Pattern]
    active: tuple[int, ...]


@without_collecting()
def assemble(model: Model, derivation: Derivation, active: Sequence[int]) -> Compiled:
    """Lower a derivation to tapes; parameters that are not active cost nothing."""
    system = system_of(model, derivation, active, full=model.rest is not None)
    columns = {k: j for j, k in enumerate(active)}
    h_y, h_p = derivation.outputs.by_state, active_entries(derivation.outputs.by_parameter, columns)
    sections = [derivation.outputs.values, by_rows(h_y), by_rows(h_p)]
    key, tape = ("outputs", tuple(active)), lambda: lower(derivation.graph, sections, _curves(model))
    outputs = derivation.own.once(key, tape) if model.aux else None
    patterns = pattern(h_y, len(model.aux)), pattern(h_p, len(model.aux))
    return Compiled(system, outputs, patterns, tuple(active))


def system_of(model: Model, derivation: Derivation, active: Sequence[int], full: bool = False) -> System:
    """The equations for the kernel; `full`: every state may come to depend on every active parameter."""
    key = "system", tuple(active), full
    return derivation.own.once(key, lambda: _system(model, derivation, active, full))


def _system(model: Model, derivation: Derivation, active: Sequence[int], full: bool) -> System:
    curves = _curves(model)
    n, columns = len(model.states), {k: j for j, k in enumerate(active)}
    solving = planned(n, derivation)
    order, place = solving.order, np.argsort(solving.order).tolist()
    graph = reordered(derivation.graph, place)

    g_y = {(place[i], place[j]): k for (i, j), k in derivation.dynamics.by_state.items()}
    g_p = {(place[i], j): k for (i, j), k in active_entries(derivation.dynamics.by_parameter, columns).items()}
    y0_p = {(place[i], j): k for (i, j), k in active_entries(derivation.initial.by_parameter, columns).items()}
    values = [derivation.dynamics.values[i] for i in order]
    key = "dynamics", tuple(active)
    dynamics = derivation.made.once(key, lambda: lower(graph, [values, by_rows(g_y), by_rows(g_p)], curves))
    initial = lower(graph, [[derivation.initial.values[i] for i in order], by_rows(y0_p)], curves)
    every = ((i, j) for i in range(n) for j in range(len(active)))
    ranges = _ranges(n, len(active), g_y, every if full else (*g_p, *y0_p))
    return System(
        dynamics,
        initial,
        [pattern(entries, n) for entries in (g_y, g_p, y0_p)],
        order,
        (max((i - j for i, j in g_y if i > j), default=0), max((j - i for i, j in g_y if j > i), default=0)),
        len(active),
        ranges,
        _segments(len(active), *ranges),
        autonomous=0 not in needed(graph, [*values, *by_rows(g_y), *by_rows(g_p)]),
        fill=solving.fill,
        outline=solving.outline,
    )


def planned(n: int, derivation: Derivation) -> Plan:
    """How to solve linear systems of the equations."""
    return derivation.made.once("plan", lambda: plan(n, derivation.dynamics.by_state))


def _curves(model: Model) -> list[tuple[Array, Array]]:
    return [(curve.breaks, curve.coefs) for _, curve in model.tables]


def active_entries(entries: Entries, columns: dict[int, int]) -> Entries:
    """Entries of the active parameters, in their columns."""
    return {(i, columns[j]): k for (i, j), k in entries.items() if j in columns}


def by_rows(entries: Entries) -> list[int]:
    """The nodes of a sparse matrix, row by row."""
    return [entries[key] for key in sorted(entries)]


def pattern(entries: Iterable[tuple[int, int]], n_rows: int) -> Pattern:
    """Where the entries of a sparse matrix stand, row by row."""
    rows = sorted(entries)
    counts = np.bincount(np.array([i for i, _ in rows], dtype=np.intp), minlength=n_rows)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.intc)
    return start, np.array([j for _, j in rows], dtype=np.intc)


def reordered(graph: Graph, place: Sequence[int] | NDArray[Any]) -> Graph:
    """The graph with the states read from their places in the kernel's order."""
    reordered = Graph(graph.n_states, graph.n_params)
    reordered.nodes = list(graph.nodes)
    for i, k in enumerate(place):
        reordered.nodes[1 + i] = ("input", 1 + int(k), -1, -1)
    return reordered


def _ranges(
    n: int, m: int, g_y: Iterable[tuple[int, int]], direct: Iterable[tuple[int, int]]
) -> tuple[Integers, Integers]:
    """For each state the columns low <= j < high of dy/dp that can differ from zero.

    State i depends on what its equation or initial value shows, and on all that the states in its equation do.
    """
    low, high = [m] * n, [0] * n
    for i, j in direct:
        low[i], high[i] = min(low[i], j), max(high[i], j + 1)
    users: dict[int, list[int]] = {}
    for i, j in g_y:
        users.setdefault(j, []).append(i)
    stack = [i for i in range(n) if low[i] < high[i]]
    while stack:
        j = stack.pop()
        for i in users.get(j, ()):
            if low[j] < low[i] or high[j] > high[i]:
                low[i], high[i] = min(low[i], low[j]), max(high[i], high[j])
                stack.append(i)
    return np.minimum(low, high).astype(np.intc), np.array(high, dtype=np.intc)


def _segments(m: int, low: Integers, high: Integers) -> tuple[list[int], list[int]]:
    """Pieces first <= k < last of an n x m array stored by rows that cover low <= column < high of each row.

    What they cover beside that is zero, and stays so.
    """
    first: list[int] = []
    last: list[int] = []
    for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if a == b:
            continue
        if last and i * m + a - last[-1] <= GAP and i * m + b - first[-1] <= SEGMENT:
            last[-1] = i * m + b
        else:
            first.append(i * m + a)
            last.append(i * m + b)
    return first, last
