"""A quantity that somebody asks for, such as `ke*V`, in the names of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Name, names_in
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
    asked, own = _plainly(text, [*(item.name for item in known.values()), *(name for name, _ in model.aux)])
    try:
        node = _with(parse(asked), {plain: Name(name) for plain, name in own.items()})
    except ModelError as error:
        raise ModelError(re.sub("|".join(own) or "(?!)", lambda match: own[match[0]], error.message)) from None
    for name in sorted(names_in(node)):
        if name.lower() not in {*known, *aux, "t", "pi"}:
            raise ModelError(f"unknown name `{name}`")
    return Resolver(known, curves).resolve(Statement("aux", 0, text, _with(node, aux)))


def _plainly(text: str, names: Iterable[str]) -> tuple[str, dict[str, str]]:
    """A text in which k[low], which the language cannot read, is called own_0_, and what each of these stands for."""
    labelled = sorted((name for name in names if "[" in name), key=len, reverse=True)
    own = {f"own_{k}_": name for k, name in enumerate(labelled)}
    plain = {name.lower(): word for word, name in own.items()}
    pattern = "|".join(map(re.escape, labelled)) or "(?!)"
    return re.sub(pattern, lambda match: plain[match[0].lower()], text, flags=re.IGNORECASE), own


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
        if names_in(body) & solved:
            solved.add(name)
    return bool(names_in(asked) & solved)
