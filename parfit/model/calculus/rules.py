"""The rules of the operations, which are written in the language itself, as expressions and on a graph."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from parfit.errors import ModelError
from parfit.model.calculus.algebra import Algebra, Monomial
from parfit.model.language.expression import Call, Expression, Name, Number, nodes, value
from parfit.model.language.operations import DIFFERENTIATED_TOO_OFTEN, OPERATIONS
from parfit.model.language.syntax import parse

CONSTANTS = {"pi": math.pi}


@cache
def slopes_of(name: str) -> tuple[Expression, ...]:
    """The derivatives of an operation by its arguments a, b, c; none of a step."""
    texts = OPERATIONS[name].slopes if name in OPERATIONS else ()
    if DIFFERENTIATED_TOO_OFTEN in texts:
        raise ModelError(f"a model needs the derivative of {name}, which is not known")
    return tuple(map(parse, texts))


@cache
def made_of(name: str) -> Expression | None:
    """What an operation is made of, or the choice that it stands for."""
    text = OPERATIONS[name].same_as if name in OPERATIONS else ""
    return parse(text) if text else None


def is_choice(name: str) -> bool:
    """Whether one of two branches gives the value: if, min and max."""
    rule = made_of(name)
    return isinstance(rule, Call) and rule.function == "if"


def on_graph(algebra: Algebra, rule: Expression, names: Mapping[str, int]) -> Monomial:
    """A rule at nodes of a graph: those of its arguments a, b, c and of its value f."""
    if isinstance(rule, Name) and rule.name in names:
        return algebra.monomial(names[rule.name])
    if not any(isinstance(each, Name) and each.name not in CONSTANTS for each in nodes(rule)):
        return value(rule, CONSTANTS), {}
    assert isinstance(rule, Call)
    parts = [on_graph(algebra, each, names) for each in rule.arguments]
    function, first, last = rule.function, parts[0], parts[-1]
    if function == "+":
        return algebra.monomial(algebra.sum(parts))
    if function == "-":
        return algebra.scaled(-1.0, first)
    if function == "*":
        return algebra.times(*parts)
    if function == "/":
        return algebra.quotient(first, last)
    if function == "sqrt":
        return algebra.raised(first, 1)
    if function == "^":  # of a rule, always to a whole power
        return algebra.raised(first, int(2 * last[0]))
    return _called(algebra, function, [algebra.product(part) for part in parts])


def _called(algebra: Algebra, function: str, arguments: list[int]) -> Monomial:
    numbers = [algebra.graph.value(k) for k in arguments]
    if all(number is not None for number in numbers):
        constants = tuple(Number(number) for number in numbers if number is not None)
        found = value(Call(function, constants), {})
        if math.isfinite(found):
            return found, {}
    return algebra.monomial(algebra.graph.node(function, *arguments))
