"""What jumps need of the other definitions: states for their targets, equations for infusions, and a beginning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from parfit.errors import ModelError
from parfit.model.jumps import Jump
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.statements import ZERO, Statement


def with_held_constants(statements: Sequence[Statement]) -> tuple[list[Statement], tuple[str, ...]]:
    """Statements in which a constant that something is assigned to is a state that only jumps, and the names of these.

    Such states stand behind all others.
    """
    assigned = {name.lower() for item in statements if item.jump is not None for name, _ in item.jump.assignments}
    held = [item for item in statements if item.kind == "constant" and item.key in assigned]
    if not held:
        return list(statements), ()
    found = [item for item in statements if item not in held]
    found += [replace(item, kind="state", body=ZERO) for item in held]
    found += [replace(item, kind="initial value") for item in held]
    return found, tuple(item.name for item in held)


def checked_target(definitions: Mapping[str, Statement], name: str, item: Statement) -> str:
    """The state that a jump assigns to, spelled as it was defined."""
    found = definitions.get(name.lower())
    if found is not None and found.kind == "state":
        return found.name
    what = f"a {found.kind}" if found is not None else "not defined"
    states = [each.name for each in definitions.values() if each.kind == "state"]
    expected = ", ".join(states[:8]) + (", ..." if len(states) > 8 else "")
    remedy = f" or, for {name} to jump, number {name}=..." if found is not None and found.kind == "parameter" else ""
    word = "a dose into" if item.jump is not None and item.jump.word == "dose" else "a value for"
    raise ModelError(
        f"`{item.name}`: {word} `{name}`, which is {what}; expected a state ({expected}){remedy}", None, item.line
    )


def check_times(times: Iterable[Expression], item: Statement, t0: float) -> None:
    """Refuse times before the beginning."""
    early = [each.value for each in times if isinstance(each, Number) and each.value < t0]
    if early:
        raise ModelError(
            f"`{item.name}`: t = {early[0]:g} lies before the beginning, t0 = {t0:g}; "
            "expected a later time, or an earlier @ t0=...",
            None,
            item.line,
        )


def infusion(amount: Expression, over: Expression, times: Iterable[Expression]) -> Expression:
    """What an infusion adds to an equation: the same rate from each time on, as long as it takes."""
    pulses: list[Expression] = []
    for time in times:
        pulses.append(Call("heav", (Name("t") - time,)))
        pulses.append(-Call("heav", (Name("t") - (time + over),)))
    return amount / over * Call("+", tuple(pulses))


def first_time(jumps: Iterable[Jump]) -> float:
    """The first time at which something jumps for certain."""
    numbers = [each.value for jump in jumps for each in jump.times if isinstance(each, Number)]
    return min(numbers, default=math.inf)
