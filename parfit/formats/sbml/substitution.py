"""Walks over expressions of any depth: other names in them, functions written out, parts taken out of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter

from parfit.errors import ModelError
from parfit.formats.sbml.components import Function
from parfit.formats.sbml.formulas import OWN
from parfit.model.language.expression import Call, Expression, Name, nodes

MOST_NODES = 300_000  # of one expression with its functions written out
DEEPEST = 40  # of an expression that is written as text, which the language reads with room to spare
Rebuild = Callable[[Call, tuple[Expression, ...]], Expression]


def rebuilt(node: Expression, name: Callable[[str], Expression], build: Rebuild) -> Expression:
    """An expression with something in the place of its names and calls; parts first, without recursion."""
    done: list[Expression] = []
    waiting: list[tuple[Expression, bool]] = [(node, False)]
    while waiting:
        each, is_ready = waiting.pop()
        if isinstance(each, Name):
            done.append(name(each.name))
        elif not isinstance(each, Call):
            done.append(each)
        elif not is_ready:
            waiting.append((each, True))
            waiting += [(part, False) for part in reversed(each.arguments)]
        else:
            first = len(done) - len(each.arguments)
            arguments = tuple(done[first:])
            del done[first:]
            done.append(build(each, arguments))
    return done[0]


def mapped(node: Expression, name: Callable[[str], Expression]) -> Expression:
    """An expression with others in the place of its names."""
    return rebuilt(node, name, lambda call, arguments: Call(call.function, arguments))


def functions_in(node: Expression) -> set[str]:
    """The functions of the file that an expression calls."""
    calls = {each.function for each in nodes(node) if isinstance(each, Call)}
    return {each.removeprefix(OWN) for each in calls if each.startswith(OWN)}


def depth(node: Expression) -> int:
    """How deep an expression is nested, which a walk along its levels tells."""
    level, count = [node], 0
    while level:
        count += 1
        level = [part for each in level if isinstance(each, Call) for part in each.arguments]
    return count


def written_out(node: Expression, functions: Mapping[str, Function], line: int) -> Expression:
    """An expression with these functions replaced by their bodies, which call none of them."""
    count = 0

    def build(call: Call, arguments: tuple[Expression, ...]) -> Expression:
        nonlocal count
        function = functions.get(call.function.removeprefix(OWN)) if call.function.startswith(OWN) else None
        count += 1
        found: Expression = Call(call.function, arguments)
        if function is not None:
            check_arity(function, len(arguments), line)
            given = dict(zip(function.arguments, arguments, strict=True))
            found = mapped(function.body, lambda name: given[name] if name in given else Name(name))
            count += len(nodes(found))
        if count > MOST_NODES:
            raise ModelError("with its functions written out a formula is too large", None, line)
        return found

    return rebuilt(node, Name, build)


def check_arity(function: Function, given: int, line: int) -> None:
    wanted = len(function.arguments)
    if given != wanted:
        raise ModelError(f"`{function.id}` is called with {given} arguments; it has {wanted}", None, line)


def in_order(functions: Mapping[str, Function]) -> list[Function]:
    """Functions, each behind those it calls."""
    graph = {name: sorted(functions_in(each.body) & functions.keys()) for name, each in functions.items()}
    try:
        return [functions[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        path = error.args[1]
        raise ModelError(f"functions call each other: {' -> '.join(path)}", None, functions[path[0]].line) from None


def split(
    node: Expression, take_out: Callable[[Expression], Expression], height: Callable[[str], int] = lambda _: 1
) -> Expression:
    """An expression whose deepest parts are taken out, so that it can be written and read as text.

    `height` is how deep a function is by itself.
    """
    depths: dict[int, int] = {}
    kept: list[Expression] = []  # so that no address is used twice

    def build(call: Call, arguments: tuple[Expression, ...]) -> Expression:
        fitting = tuple(take_out(each) if depths.get(id(each), 1) >= DEEPEST else each for each in arguments)
        found = Call(call.function, fitting)
        kept.append(found)
        depths[id(found)] = height(call.function) + max((depths.get(id(each), 1) for each in fitting), default=0)
        return found

    return rebuilt(flat(node), Name, build)


def flat(node: Expression) -> Expression:
    """Sums of sums as one sum, products of products as one product: they nest by the hundred."""
    done: list[Expression] = []
    waiting: list[tuple[Expression, list[Expression] | None]] = [(node, None)]
    while waiting:
        each, parts = waiting.pop()
        if not isinstance(each, Call):
            done.append(each)
        elif parts is None:
            parts = _chained(each)
            waiting.append((each, parts))
            waiting += [(part, None) for part in reversed(parts)]
        else:
            first = len(done) - len(parts)
            arguments = tuple(done[first:])
            del done[first:]
            done.append(Call(each.function, arguments))
    return done[0]


def _chained(call: Call) -> list[Expression]:
    """The arguments of a call; of a sum those of all sums in it, of a product alike."""
    if call.function not in ("+", "*"):
        return list(call.arguments)
    found: list[Expression] = []
    waiting: list[Expression] = [call]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Call) and each.function == call.function:
            waiting += reversed(each.arguments)
        else:
            found.append(each)
    return found
