"""A quantity that somebody asks for, such as `ke*V`, in the names of a model."""

from __future__ import annotations

from dataclasses import replace

from parfit.model.language.expression import Call, Expression, Name, nodes
from parfit.model.language.names import Resolver
from parfit.model.language.statements import Statement
from parfit.model.language.syntax import parse
from parfit.model.model import Model


def quantity(model: Model, text: str) -> Expression:
    """The expression that a text stands for, of parameters, states, quantities, aux quantities and the time."""
    named = {"parameter": model.parameters, "state": model.states}
    named |= {"quantity": tuple(name for name, _ in model.quantities)}
    named |= {"table": tuple(name for name, _ in model.tables)}
    known = {name.lower(): Statement(kind, 0, name) for kind, names in named.items() for name in names}
    aux = {name.lower(): body for name, body in model.aux if name.lower() not in known}
    curves = {name.lower(): curve for name, curve in model.tables}
    return Resolver(known, curves).resolve(Statement("aux", 0, text, _with(parse(text), aux)))


def _with(node: Expression, bodies: dict[str, Expression]) -> Expression:
    """An expression with those of some names in their places."""
    if isinstance(node, Name):
        return bodies.get(node.name.lower(), node)
    if isinstance(node, Call):
        return Call(node.function, tuple(_with(each, bodies) for each in node.arguments))
    return node


def with_quantity(model: Model, name: str, asked: Expression) -> Model:
    """The model with one more aux quantity, the last of them."""
    return replace(model, aux=(*model.aux, (name, asked)), source="")


def uses_solution(model: Model, asked: Expression) -> bool:
    """Whether an expression depends on the solution or the time, directly or through quantities."""
    solved = {"t", *model.states}
    for name, body in model.quantities:
        if _names(body) & solved:
            solved.add(name)
    return bool(_names(asked) & solved)


def _names(node: Expression) -> set[str]:
    return {each.name for each in nodes(node) if isinstance(each, Name)}
