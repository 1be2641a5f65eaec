"""Equations in which time stands still: as they are before all that is to happen, or when all of it is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from parfit.errors import ParfitError
from parfit.model.calculus.jumping import steady_names
from parfit.model.calculus.switching import switched
from parfit.model.jumps import Jump, time_of
from parfit.model.language.expression import Call, Expression, Name, Number, names_in
from parfit.model.model import Model


def standing_still(model: Model, late: bool = False) -> Model:
    """The model before its beginning, or (`late`) at the end of time, without `t` and without jumps at times.

    Switches in time are as they were, or will be, for good, and a table has its first, or its last, value. What else
    depends on time never comes to rest, and is refused. Events that wait for a state are part of the equations.
    """
    found = switched(model, True, steady_names(model))
    modes = found.model.parameters[len(model.parameters) :]
    values = {modes[each.mode]: each.after if late else each.before for each in found.timed}
    ends = {name: float(curve(curve.breaks[-1 if late else 0])) for name, curve in model.tables}
    work = _Standing(values, ends)
    quantities = tuple((name, work(node)) for name, node in found.model.quantities)
    equations = tuple(map(work, found.model.equations))
    _refuse_time(model, quantities, equations)
    jumps = tuple(_waiting(model, late))
    return replace(
        model,
        quantities=quantities,
        equations=equations,
        aux=(),
        jumps=jumps,
        infused=(),
        rest=None,
        parts=(),
        t0=0.0,
        source="",
    )


def _waiting(model: Model, late: bool) -> Iterator[Jump]:
    """The events that wait for a state; before the beginning time is no number that others could wait for."""
    steady, definitions = steady_names(model), dict(model.quantities)
    for jump in model.jumps:
        if jump.condition is None or time_of(jump.condition, steady) is not None:
            continue
        parts = [jump.condition, *(each.value for each in jump.assignments)]
        if "t" not in _all_names(parts, definitions):
            yield jump
        elif late:
            raise ParfitError(
                "the model has an event that waits for a state and depends on time, after which nothing comes to rest "
                "for certain; leave out observations at inf"
            )


def _all_names(parts: Iterable[Expression], definitions: Mapping[str, Expression]) -> set[str]:
    """The names in expressions, and in what these are defined by."""
    waiting, found = list(parts), set[str]()
    while waiting:
        names = names_in(waiting.pop()) - found
        found |= names
        waiting += [definitions[name] for name in names if name in definitions]
    return found


def _refuse_time(
    model: Model, quantities: tuple[tuple[str, Expression], ...], equations: tuple[Expression, ...]
) -> None:
    definitions = dict(quantities)
    stack, seen = list(zip(model.states, equations, strict=True)), set[str]()
    for state, node in stack:
        names = names_in(node) - seen
        if "t" in names:
            raise ParfitError(
                f"the equation of {state} depends on time by more than switches and tables, so that it cannot come to "
                "rest; leave out `rest`, and observations at inf"
            )
        seen |= names
        stack += [(state, definitions[name]) for name in names if name in definitions]


class _Standing:
    """Expressions with numbers in place of modes and of tables that follow time."""

    def __init__(self, values: dict[str, float], tables: dict[str, float]):
        self._values, self._tables = values, tables
        self._done: dict[int, tuple[Expression, Expression]] = {}

    def __call__(self, node: Expression) -> Expression:
        if isinstance(node, Name):
            return Number(self._values[node.name]) if node.name in self._values else node
        if not isinstance(node, Call):
            return node
        if id(node) not in self._done:
            self._done[id(node)] = node, self._replaced(node)
        return self._done[id(node)][1]

    def _replaced(self, node: Call) -> Expression:
        first = node.arguments[0] if node.arguments else None
        if node.function in self._tables and isinstance(first, Name) and first.name == "t":
            return Number(self._tables[node.function])
        return Call(node.function, tuple(map(self, node.arguments)))
