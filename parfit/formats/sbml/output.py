"""A model as SBML level 3 version 2: states, parameters and quantities are SBML's parameters, under rules and events.

No compartment and no species is made up: what a state is the file does not have to know.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from xml.sax.saxutils import quoteattr

from parfit.errors import ModelError
from parfit.formats.identifiers import Identifiers
from parfit.formats.sbml.mathml import condition, formula
from parfit.model.jumps import Assignment, Jump
from parfit.model.language.expression import Call, Expression, Name, Number, nodes
from parfit.model.model import Definition, Model
from parfit.model.textfile import exact

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2">
"""
ZERO = Number(0.0)


def sbml_text(
    model: Model, ids: Identifiers, values: Mapping[str, float], begun: Container[str] = (), left: Container[str] = ()
) -> str:
    """The text of the file.

    Quantities of parameters that are `begun` are parameters with an initial assignment, which experiments may change;
    those that are `left` out are written elsewhere.
    """
    if model.tables:
        raise ModelError(f"the table {model.tables[0][0]} cannot be written as SBML")
    name = quoteattr(ids.fresh(model.name))
    defined = [(each, node) for each, node in quantities(model) if each not in left]
    rules = [(each, node) for each, node in defined if each not in begun]
    starts = [(each, node) for each, node in defined if each in begun]
    starts += [pair for pair in zip(model.states, model.initial, strict=True) if not isinstance(pair[1], Number)]
    sections = {
        "listOfParameters": [*_parameters(model, ids, values), *_quantities(defined, begun, ids)],
        "listOfInitialAssignments": [_assigned("initialAssignment symbol", each, node, ids) for each, node in starts],
        "listOfRules": [_assigned("assignmentRule variable", each, node, ids) for each, node in rules]
        + [_assigned("rateRule variable", each, node, ids) for each, node in _rates(model)],
        "listOfEvents": [text for jump in model.jumps for text in _events(jump, ids)],
    }
    body = "".join("\n".join([f"<{tag}>", *lines, f"</{tag}>", ""]) for tag, lines in sections.items() if lines)
    begin = f"<!-- time begins at {exact(model.t0)} -->\n" if model.t0 else ""  # which SBML has no place for
    return f"{HEAD}{begin}<model id={name}>\n{body}</model>\n</sbml>\n"


def quantities(model: Model) -> list[Definition]:
    """What is computed from the states: quantities, and aux quantities that are not among them."""
    known = {name for name, _ in model.quantities}
    return [*model.quantities, *((name, node) for name, node in model.aux if name not in known)]


def _parameter(name: str, value: float | None, constant: bool = True) -> str:
    number = "" if value is None else f' value="{exact(value)}"'
    return f'<parameter id="{name}"{number} constant="{"true" if constant else "false"}"/>'


def _parameters(model: Model, ids: Identifiers, values: Mapping[str, float]) -> Iterator[str]:
    for name, value in zip(model.parameters, model.values.tolist(), strict=True):
        yield _parameter(ids[name], values.get(name, value))
    for name, start in zip(model.states, model.initial, strict=True):
        yield _parameter(ids[name], start.value if isinstance(start, Number) else None, constant=False)


def _quantities(defined: Iterable[Definition], begun: Container[str], ids: Identifiers) -> Iterator[str]:
    for name, _ in defined:
        yield _parameter(ids[name], None, constant=name in begun)


def _rates(model: Model) -> Iterator[Definition]:
    for name, node in zip(model.states, model.equations, strict=True):
        if name not in model.held:
            yield name, node


def _assigned(what: str, name: str, node: Expression, ids: Identifiers) -> str:
    return f'<{what}="{ids[name]}">{formula(node, ids)}</{what.partition(" ")[0]}>'


def _events(jump: Jump, ids: Identifiers) -> Iterator[str]:
    """One event for each time, or for each way in which a condition crosses zero."""
    assigned = "".join(_assignment(each, ids) for each in jump.assignments)
    for trigger, was_true in _triggers(jump):
        yield (
            f'<event useValuesFromTriggerTime="true"><trigger initialValue="{"true" if was_true else "false"}" '
            f'persistent="true">{condition(trigger, ids)}</trigger>'
            f"<listOfEventAssignments>{assigned}</listOfEventAssignments></event>"
        )


def _triggers(jump: Jump) -> Iterator[tuple[Expression, bool]]:
    for time in jump.times:
        yield Call(">=", (Name("t"), time)), False
    if jump.condition is not None:
        depends = any(isinstance(each, Name) and each.name == "t" for each in nodes(jump.condition))
        if jump.direction >= 0:
            yield Call(">" if not depends else ">=", (jump.condition, ZERO)), True
        if jump.direction <= 0:
            yield Call("<" if not depends else "<=", (jump.condition, ZERO)), True


def _assignment(each: Assignment, ids: Identifiers) -> str:
    value = Name(each.state) + each.value if each.adds else each.value
    return f'<eventAssignment variable="{ids[each.state]}">{formula(value, ids)}</eventAssignment>'
