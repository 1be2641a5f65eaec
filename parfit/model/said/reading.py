"""Statements `noise`, `prior` and `linear` of a model: the quantities they need, and what they say, checked."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Name, Number, nodes, value
from parfit.model.language.operations import OPERATIONS
from parfit.model.language.statements import Statement
from parfit.model.said.lines import NoiseLine, PriorLine

OWN = "its own"  # of errors that only one experiment has


def said_once(statements: list[Statement]) -> list[Statement]:
    """The statements, unless two are about the errors of one variable, or about one parameter, and contradict."""
    first: dict[tuple[str, str], Statement] = {}
    for item in statements:
        if item.kind not in ("noise", "prior", "local"):
            continue
        before = first.setdefault((item.kind, item.key), item)
        said, about = ("local", item.name) if item.kind == "local" else (item.name, item.arguments[0])
        if tuple(map(str.lower, before.arguments)) != tuple(map(str.lower, item.arguments)):
            raise ModelError(
                f"`{said}` says something else in line {before.line}; expected one line for {about}",
                None,
                item.line,
            )
    return statements


def with_sd_quantities(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, with an aux quantity for every size of errors.

    Of several about the same the last counts, which is that of the data, or of an experiment.
    """
    last = {(item.kind, item.key): item for item in statements if item.kind in ("noise", "prior")}
    kept = [item for item in statements if item.kind not in ("noise", "prior")]
    defined = {item.key for item in kept if item.kind not in ("initial value", "option", "set", "ignored")}
    known = {item.key for item in kept if item.kind in ("parameter", "aux")}  # which need no other name
    found: list[Statement] = []
    for item in last.values():
        found.append(item)
        if item.kind != "noise" or not item.arguments[2]:
            continue
        is_name = isinstance(item.body, Name)
        bare = item.body.name.lower() if isinstance(item.body, Name) else ""
        if bare in known or (is_name and bare not in defined):  # itself, or the name of what is shared
            continue
        _refuse_constant(item)
        quantity = sd_name(item.arguments[0], defined)
        found.append(Statement("aux", item.line, quantity, item.body))
        found[-2] = replace(item, body=Name(quantity))
        defined.add(quantity.lower())
    return [*kept, *found]


def _refuse_constant(item: Statement) -> None:
    """Refuse a number that can be no standard deviation."""
    each = item.body
    assert each is not None
    is_number = all(isinstance(part, Number | Call) and not _is_own(part) for part in nodes(each))
    size = value(each, {}) if is_number else 1.0
    if not size > 0.0:
        raise ModelError(
            f"`{item.name} {item.arguments[2]}`: a standard deviation must be positive, and {size:g} is not",
            None,
            item.line,
        )


def _is_own(part: Expression) -> bool:
    """Whether it is a function of the model itself."""
    return isinstance(part, Call) and part.function not in OPERATIONS


def sd_name(variable: str, taken: Collection[str] = ()) -> str:
    """What the size of the errors of a variable is called: sd_a, or sd_a_2 where that is something else."""
    plain = f"sd_{variable}"
    names = itertools.chain([plain], (f"{plain}_{k}" for k in itertools.count(2)))
    return next(name for name in names if name.lower() not in taken)


def noise_lines(statements: Iterable[Statement], observable: Collection[str]) -> tuple[NoiseLine, ...]:
    """What the model says of errors; of what can be observed only."""
    items = list(statements)
    known = {name.lower(): name for name in observable}
    spelled = {item.key: item.name for item in items if item.kind in ("parameter", "aux")}
    found = []
    for item in items:
        if item.kind != "noise":
            continue
        variable, form, words = item.arguments[:3]
        if variable.lower() not in known:
            raise ModelError(
                f"`noise {variable}`: there is no state and no aux quantity {variable}; expected one of "
                f"{', '.join(known.values())}",
                None,
                item.line,
            )
        own = known[variable.lower()]
        bare = item.body.name if words and isinstance(item.body, Name) else ""
        quantity = spelled.get(bare.lower(), "")
        group = bare if bare and not quantity else OWN if OWN in item.arguments else ""
        if form == "GIVEN" and not quantity:
            raise ModelError(
                f"`noise {variable} {words}`: {words} is neither a form of errors nor a quantity of the model",
                None,
                item.line,
            )
        found.append(NoiseLine(own, form, quantity, group, item.line))
    return tuple(found)


def prior_lines(statements: Iterable[Statement]) -> tuple[PriorLine, ...]:
    """What the model says of its parameters."""
    items = list(statements)
    known = {item.key: item.name for item in items if item.kind == "parameter"}
    return tuple(
        PriorLine(_parameter(item, known), item.arguments[1:], item.line) for item in items if item.kind == "prior"
    )


def linear_names(statements: Iterable[Statement]) -> tuple[str, ...]:
    """The parameters that are to be solved for in every evaluation."""
    items = list(statements)
    known = {item.key: item.name for item in items if item.kind == "parameter"}
    return tuple(_parameter(item, known) for item in items if item.kind == "linear")


def _parameter(item: Statement, known: dict[str, str]) -> str:
    name = item.arguments[0]
    if name.lower() not in known:
        raise ModelError(
            f"`{item.kind} {name}`: there is no parameter {name}; expected one of {', '.join(known.values())}",
            None,
            item.line,
        )
    return known[name.lower()]
