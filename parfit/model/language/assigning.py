"""What jumps need of the other definitions: states for their targets, equations for infusions, and a beginning.

And what `rest` makes of them: the statements of the model that comes to rest before this one begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

from parfit.errors import ModelError
from parfit.model.jumps import Jump
from parfit.model.language.expression import Call, Expression, Name, Number, nodes
from parfit.model.language.statements import AFTER, ZERO, Statement


def with_held_constants(statements: Sequence[Statement]) -> tuple[list[Statement], tuple[str, ...]]:
    """Statements in which a constant that something is assigned to is a state that only jumps, and the names of these.

    Such states stand behind all others.
    """
    assigned = {name.lower() for item in statements if item.jump is not None for name, _ in item.jump.assignments}
    held = [item for item in statements if item.kind in ("constant", "derived quantity") and item.key in assigned]
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


def check_set_once(statements: Iterable[Statement]) -> None:
    """Refuse two values for one state at one time: all are computed from what was before, and only one can count."""
    lines: dict[tuple[str, str], int] = {}
    for item in statements:
        if item.jump is None or item.jump.word != "set":
            continue
        for name, time in product(dict(item.jump.assignments), item.jump.times):
            before = lines.setdefault((name.lower(), repr(time)), item.line)
            if before != item.line:
                when = f"t = {time.value:g}" if isinstance(time, Number) else "the same time"
                raise ModelError(
                    f"`{item.name}`: `{name}` is set at {when} in line {before}, too; expected one value for one time",
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


def first_time(jumps: Iterable[Jump], infused: Iterable[Expression]) -> float:
    """The first time at which something jumps, or an infusion begins, for certain."""
    times = [*infused, *(each for jump in jumps for each in jump.times)]
    numbers = [each.value for each in times if isinstance(each, Number)]
    return min(numbers, default=math.inf)


def at_rest(statements: Sequence[Statement]) -> list[Statement] | None:
    """The statements that hold while the equations come to rest; None where nothing says that they do.

    Nothing is given then, but events wait for states as ever; an initial value that holds afterwards is none there.
    What `rest` sets takes the place of what was, of several the last.
    """
    settings = [item for rest in statements if rest.kind == "rest" for item in rest.inner]
    if not any(item.kind == "rest" for item in statements):
        return None
    found = [item for item in statements if item.kind != "rest" and AFTER not in item.arguments]
    found = [item for item in found if item.kind != "jump" or _is_event(item)]
    for item in settings:
        found = [*found, item] if item.kind == "initial value" else _set(found, item)
    return found


def _is_event(item: Statement) -> bool:
    return item.jump is not None and item.jump.condition is not None


def _set(statements: Sequence[Statement], new: Statement) -> list[Statement]:
    """A parameter or constant at another value, which may be an expression of others."""
    if not any(
        item.key == new.key and item.kind in ("parameter", "constant", "quantity", "derived quantity")
        for item in statements
    ):
        raise ModelError(
            f"`rest {new.name}=...`: `{new.name}` is neither a parameter nor a constant (`number`) of the model; "
            f"expected one of these, or {new.name}(0)=... for an initial value",
            None,
            new.line,
        )
    fixed = not any(isinstance(node, Name) for node in nodes(new.body))
    changed = replace(new, kind="constant" if fixed else "quantity")
    return [replace(changed, name=item.name) if item.key == new.key else item for item in statements]


def own_starts(statements: Sequence[Statement], held: Sequence[str]) -> frozenset[str]:
    """The states, in lower case, that begin at values of their own, wherever the others have come to rest.

    Constants do, but for those that an event changes at rest as ever, and that `rest` sets to nothing else.
    """
    events = [item.jump for item in statements if item.kind == "jump" and _is_event(item)]
    moved = {name.lower() for jump in events if jump is not None for name, _ in jump.assignments}
    moved -= {item.key for rest in statements if rest.kind == "rest" for item in rest.inner}
    return frozenset(
        [item.key for item in statements if item.kind == "initial value" and AFTER in item.arguments]
        + [name.lower() for name in held if name.lower() not in moved]
    )


def kept_sets(
    sets: Iterable[Statement], parameters: Iterable[Statement]
) -> tuple[tuple[str, tuple[tuple[str, float], ...]], ...]:
    """Values that belong together under a name; of what is no parameter nothing is kept."""
    spelled = {item.key: item.name for item in parameters}
    found = []
    for item in sets:
        pairs = zip(item.arguments[::2], map(float, item.arguments[1::2]), strict=True)
        values = tuple((spelled[name.lower()], value) for name, value in pairs if name.lower() in spelled)
        if values:
            found.append((item.name, values))
    return tuple(found)
