"""Jumps: what states become at certain times, or where a condition crosses zero."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from parfit.dataclass import dataclass
from parfit.model.language.expression import Call, Expression, Name, Number, names_in

if TYPE_CHECKING:
    from parfit.model.model import Model


@dataclass(frozen=True, eq=False)
class Assignment:
    """What a state becomes, from the states before; or what is added to it."""

    state: str
    value: Expression
    adds: bool = False


@dataclass(frozen=True, eq=False)
class Jump:
    """Assignments that happen at once: at times of parameters only, or where a condition crosses zero."""

    assignments: tuple[Assignment, ...]
    times: tuple[Expression, ...] = ()
    condition: Expression | None = None
    direction: int = 1  # 1 from - to +, -1 from + to -, 0 both


def jump_parts(model: Model, states: Collection[str] | None = None) -> list[Expression]:
    """All that stands in the jumps of a model, or in those of them that assign to certain states."""
    chosen = [jump for jump in model.jumps if states is None or any(each.state in states for each in jump.assignments)]
    found = [part for jump in chosen for part in (*jump.times, *(each.value for each in jump.assignments))]
    return found + [jump.condition for jump in chosen if jump.condition is not None]


def time_of(condition: Expression, steady: frozenset[str]) -> tuple[Expression, int] | None:
    """The time at which t-... or ...-t crosses zero, and the direction; None if that is not known beforehand."""
    terms = list(_terms(condition, 1))
    with_t = [(term, sign) for term, sign in terms if any(name == "t" for name in names_in(term))]
    if len(with_t) != 1 or not isinstance(with_t[0][0], Name):
        return None
    direction = with_t[0][1]
    rest = [(term, sign) for term, sign in terms if term is not with_t[0][0]]
    if not all(names_in(term) <= steady for term, _ in rest):
        return None
    signed = tuple(term if sign * direction < 0 else Call("-", (term,)) for term, sign in rest)
    return Call("+", signed) if len(signed) > 1 else signed[0] if signed else Number(0.0), direction


def _terms(node: Expression, sign: int) -> list[tuple[Expression, int]]:
    """The terms of a sum with their signs."""
    if isinstance(node, Call) and node.function == "+":
        return [each for term in node.arguments for each in _terms(term, sign)]
    if isinstance(node, Call) and node.function == "-":
        return _terms(node.arguments[0], -sign)
    return [(node, sign)]
