"""From the jumps and switches of a model to what the kernel integrates, for a choice of active parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from parfit.dataclass import dataclass
from parfit.kernel.jumps import Jumps, Rows
from parfit.kernel.system import System
from parfit.model.calculus.assembly import active_entries, by_rows, pattern, planned, reordered, system_of
from parfit.model.calculus.derivation import Equations
from parfit.model.calculus.differentiation import derive_rows
from parfit.model.calculus.graph import Graph, lower
from parfit.model.calculus.switching import Switched, switched
from parfit.model.jumps import Assignment, Jump, time_of
from parfit.model.language.expression import Expression, Name, nodes
from parfit.model.language.writing import expression_text, flattened
from parfit.model.model import Model

EVENT = 0  # the kernel's kind of a condition with an action (kernel/jumps.pxd)
NONE = -1


@dataclass(frozen=True, eq=False)
class Jumping:
    """A model with what happens on the way, ready to be integrated."""

    system: System
    jumps: Jumps
    locates: bool  # whether switches wait for states
    autonomous: bool  # whether nothing depends on time but by what is known beforehand


@dataclass(frozen=True)
class _Timed:
    """Something at a time that is known beforehand: an action, or a mode with its values before and after.

    An `event` happens when all that is given at its time has been done, for it may be what sets it off. What is
    `given` must not lie before the beginning, where nobody would notice that it is not.
    """

    time: Expression
    action: int = NONE
    mode: int = NONE
    before: float = 0.0
    after: float = 0.0
    event: bool = False
    given: bool = False


def assemble_jumps(model: Model, active: Sequence[int], on_times_only: bool) -> Jumping | None:
    """None if nothing happens; `on_times_only` leaves switches that depend on states as they are."""
    found = switched(model, on_times_only, steady_names(model))
    if not model.jumps and not found.n_modes:
        return None
    timed, events = _sorted(model, on_times_only)
    infused = {_written(each) for each in model.infused}
    timed += [
        _Timed(each.time, NONE, each.mode, each.before, each.after, given=_written(each.time) in infused)
        for each in found.timed
    ]
    timed.sort(key=lambda each: each.event)
    system = system_of(found.model, found.model.derivation, active, full=True)
    assignments = [each for jump in model.jumps for each in jump.assignments]
    graph, (times, conditions, values) = derive_rows(
        found.model,
        (
            [("the time of a jump", each.time) for each in timed],
            [("a condition", jump.condition) for jump, _ in events if jump.condition is not None]
            + [("a switch", each.condition) for each in found.conditions],
            [(f"what {each.state} becomes", each.value) for each in assignments],
        ),
    )
    places = np.argsort(planned(len(model.states), found.model.derivation).order)
    rows = [_rows(model, graph, places, each, active) for each in (times, conditions, values)]
    crossing, actions = _crossing(events, found), _actions(model, places, assignments)
    jumps = Jumps(rows[0], _timed(timed), rows[1], crossing, rows[2], actions, len(active), found.n_modes)
    return Jumping(system, jumps, bool(found.conditions), system.autonomous and not conditions.by_time)


def waits(model: Model) -> bool:
    """Whether a jump waits for a condition whose time is not known beforehand."""
    return bool(_sorted(model, on_times_only=False)[1])


def _sorted(model: Model, on_times_only: bool) -> tuple[list[_Timed], list[tuple[Jump, int]]]:
    """The jumps at known times, and those that wait for a condition, each with the number of its action."""
    timed: list[_Timed] = []
    events: list[tuple[Jump, int]] = []
    steady = steady_names(model)
    for action, jump in enumerate(model.jumps):
        timed += [_Timed(time, action, given=True) for time in jump.times]
        known = None if jump.condition is None else time_of(jump.condition, steady)
        if known is not None:
            timed += [_Timed(known[0], action, event=True)] if jump.direction in (0, known[1]) else []
        elif jump.condition is not None and not on_times_only:
            events.append((jump, action))
    return timed, events


def switch_parts(model: Model, on_times_only: bool) -> list[Expression]:
    """The times and conditions of the switches in the equations that are located on the way."""
    found = switched(model, on_times_only, steady_names(model))
    return [*(each.time for each in found.timed), *(each.condition for each in found.conditions)]


def steady_names(model: Model) -> frozenset[str]:
    """Parameters, and quantities that depend on nothing else."""
    steady = set(model.parameters)
    for name, node in model.quantities:
        if all(each.name in steady for each in nodes(node) if isinstance(each, Name)):
            steady.add(name)
    return frozenset(steady)


def _written(time: Expression) -> str:
    """A time by which others are known to be the same."""
    return expression_text(flattened(time))


def _timed(timed: Sequence[_Timed]) -> tuple[list[int], list[int], list[float], list[float], list[int], list[int]]:
    """What happens at the same written time, or at times that are numbers, is of one group; events have their own."""
    groups: dict[tuple[bool, str], int] = {}
    found = []
    for each in timed:
        fixed = not any(isinstance(node, Name) for node in nodes(each.time))
        key = "" if fixed else _written(each.time)
        found.append(groups.setdefault((each.event, key), len(groups)))
    return (
        [each.action for each in timed],
        [each.mode for each in timed],
        [each.before for each in timed],
        [each.after for each in timed],
        found,
        [int(each.given) for each in timed],
    )


def _crossing(
    events: Iterable[tuple[Jump, int]], found: Switched
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Kinds, directions, actions and modes of all conditions: those of events, then those of switches."""
    listed = [(EVENT, jump.direction, action, NONE) for jump, action in events]
    listed += [(each.kind, each.at_zero, NONE, each.mode) for each in found.conditions]
    kinds, directions, actions, modes = zip(*listed, strict=True) if listed else ((), (), (), ())
    return list(kinds), list(directions), list(actions), list(modes)


def _actions(
    model: Model, places: NDArray[np.intp], assignments: Sequence[Assignment]
) -> tuple[list[int], list[int], list[int]]:
    """Where the rows of each action begin, the states that they are for, and whether they add to these."""
    counts = [len(jump.assignments) for jump in model.jumps]
    return (
        [0, *np.cumsum(counts, dtype=int).tolist()],
        [int(places[model.states.index(each.state)]) for each in assignments],
        [int(each.adds) for each in assignments],
    )


def _rows(model: Model, graph: Graph, places: NDArray[np.intp], equations: Equations, active: Sequence[int]) -> Rows:
    """A vector function as the kernel has it, with the states in its order."""
    zero = graph.constant(0.0)
    n_rows = len(equations.values)
    y = {(i, int(places[j])): node for (i, j), node in equations.by_state.items()}
    p = active_entries(equations.by_parameter, {k: j for j, k in enumerate(active)})
    by_time = [equations.by_time.get(i, zero) for i in range(n_rows)]
    curves = [(curve.breaks, curve.coefs) for _, curve in model.tables]
    sections = [list(equations.values), [*by_time, *by_rows(y), *by_rows(p)]]
    return Rows(lower(reordered(graph, places), sections, curves), pattern(y, n_rows), pattern(p, n_rows), len(active))
