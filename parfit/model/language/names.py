"""Names to what they mean: constants to numbers, functions to their bodies, the rest to names as defined."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from operator import is_
from typing import NoReturn

from parfit.errors import ModelError
from parfit.model.curves import Curve
from parfit.model.language import slips
from parfit.model.language.expression import (
    Call,
    Expression,
    Name,
    Number,
    names_in,
    nodes,
    value,
)
from parfit.model.language.operations import FUNCTIONS, OPERATORS, SYNONYMS
from parfit.model.language.statements import Statement

MAX_NODES = 1_000_000  # with functions written out: functions of functions can double without end
MAX_DEPTH = 200  # of one expression: walks over expressions recurse, and Python stops at 1000 frames

TIME = Name("t")
REFUSED = {
    **dict.fromkeys(("delay", "delay_", "delshft", "del_shft"), "delays"),
    **dict.fromkeys(("ran", "normal", "poisson", "rndom", "wiener"), "random numbers"),
    **dict.fromkeys(("shift", "ishift", "sum", "of"), "arrays and loops"),
    **dict.fromkeys(("besselj", "bessely", "besseli"), "Bessel functions"),
    **dict.fromkeys(("int", "volterra"), "integral equations"),
}


Sized = tuple[Expression, int, int]  # an expression, its number of nodes, and its depth as a tree
Bound = Mapping[str, Sized]


def says_same(first: Statement, second: Statement) -> bool:
    """Whether two statements say the same, which costs no remark."""
    return repr(first.body).lower() == repr(second.body).lower()


def exposes(aux: Statement) -> bool:
    """Whether an aux only repeats what has its name."""
    return isinstance(aux.body, Name) and aux.body.name.lower() == aux.key


def used_keys(statement: Statement) -> set[str]:
    """What a definition refers to by name or by call, in lower case, without its own arguments."""
    parts = nodes(statement.body)
    found = {node.function for node in parts if isinstance(node, Call)}
    names = {node.name.lower() for node in parts if isinstance(node, Name)}
    if statement.kind == "function":
        names -= {argument.lower() for argument in statement.arguments}
    return found | names


def definition_order(definitions: Mapping[str, Statement]) -> list[Statement]:
    """Constants, functions, quantities and tables, each behind those it uses."""
    kinds = ("constant", "function", "quantity", "derived quantity", "table")
    own = {key: item for key, item in definitions.items() if item.kind in kinds}
    graph = {key: sorted(used_keys(item) & own.keys()) for key, item in own.items()}
    try:
        return [own[key] for key in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        cycle = [own[key] for key in reversed(error.args[1])]
        path = " -> ".join(item.name for item in cycle)
        raise ModelError(
            f"circular definition: {path}; expected quantities that do not depend on themselves",
            None,
            cycle[0].line,
        ) from None


class Resolver:
    """Resolves bodies of statements, given all definitions by their lower-case names."""

    def __init__(self, definitions: Mapping[str, Statement], curves: Mapping[str, Curve]):
        self.definitions = definitions
        self.curves = curves
        self.constants: dict[str, Number] = {}  # filled in the order of definition_order
        self.time: Expression = TIME
        self.visits = self.nodes = 0

    def resolve(self, statement: Statement, time: Expression = TIME) -> Expression:
        """The body of a statement with every name as defined; `time` stands for `t`."""
        self.time = time
        bound = {}
        if statement.kind == "function":
            bound = {argument.lower(): (Name(argument), 1, 1) for argument in statement.arguments}
        try:
            node, size, _ = self._resolve(statement.body, bound, 0)
        except ModelError as error:
            raise ModelError(error.message, None, statement.line) from None
        self.nodes += size
        if self.nodes > MAX_NODES:
            _too_large(statement.line)
        return node

    def number(self, statement: Statement) -> float:
        """The value of a body that must be a number."""
        node = self.resolve(statement)
        names = sorted(names_in(node))
        if names:
            kind = f"the {statement.kind} `{statement.name}`"
            hint = f"; write !{statement.name}=... for a value that follows others"
            raise ModelError(
                f"{kind} uses `{names[0]}`: expected a number{hint if statement.kind != 'option' else ''}",
                None,
                statement.line,
            )
        result = value(node, {})
        if not math.isfinite(result):
            raise ModelError(f"the value of `{statement.name}` is {result}", None, statement.line)
        return result

    def _resolve(self, node: Expression, bound: Bound, nesting: int) -> Sized:
        self.visits += 1  # can grow without the result growing, if arguments are not used
        if nesting > MAX_DEPTH or self.visits > MAX_NODES:
            _too_large()
        if isinstance(node, Name):
            return self._name(node, bound, nesting)
        if not isinstance(node, Call):
            return node, 1, 1
        arguments = []
        for argument in node.arguments:  # no comprehension: each would cost a frame of recursion
            arguments.append(self._resolve(argument, bound, nesting + 1))  # noqa: PERF401
        if node.function in OPERATORS or node.function == "if":
            return _built(node.function, arguments, None if bound else node)
        return self._call(node.function, arguments, nesting)

    def _name(self, node: Name, bound: Bound, nesting: int) -> Sized:
        name, key = node.name, node.name.lower()
        if key in bound:
            return bound[key]
        if key == "t":
            return self.time, 1, 1
        item = self.definitions.get(key)
        if item is None:
            return (Number(math.pi), 1, 1) if key == "pi" else self._unknown(name)
        if item.kind == "constant":
            return self.constants[key], 1, 1
        if item.kind == "table":
            return self._look_up(item, (self.time, 1, 1))
        if item.kind == "function":
            if [argument.lower() for argument in item.arguments] == ["t"]:
                return self._call(key, [(self.time, 1, 1)], nesting)
            raise ModelError(f"`{name}` is a function; expected {_signature(item)}")
        return node if name == item.name else Name(item.name), 1, 1

    def _call(self, function: str, arguments: list[Sized], nesting: int) -> Sized:
        item = self.definitions.get(function)
        if item is not None and item.kind == "function":
            _check_arity(function, _signature(item), len(item.arguments), len(arguments))
            bound = {name.lower(): given for name, given in zip(item.arguments, arguments, strict=True)}
            return self._resolve(item.body, bound, nesting + 1)
        if item is not None and item.kind == "table":
            _check_arity(function, f"{item.name}(t)", 1, len(arguments))
            return self._look_up(item, arguments[0])
        function = SYNONYMS.get(function, function)
        if function in FUNCTIONS:
            wanted = FUNCTIONS[function].n_arguments
            _check_arity(function, f"{function}({','.join('abc'[:wanted])})", wanted, len(arguments))
            return _built(function, arguments)
        if item is not None:
            raise ModelError(f"`{item.name}(` calls a {item.kind}; expected an operator before the parenthesis")
        return self._unknown(function, called=True)

    def _look_up(self, table: Statement, argument: Sized) -> Sized:
        node, _, _ = argument
        if isinstance(node, Number):
            return Number(float(self.curves[table.key](node.value))), 1, 1
        return _built(table.name, [argument])

    def _unknown(self, name: str, called: bool = False) -> NoReturn:
        key = name.lower()
        if key in REFUSED:
            raise ModelError(f"`{name}` ({REFUSED[key]}) is not supported; expected a deterministic ODE model")
        known = {key: item.name for key, item in self.definitions.items()} | {"t": "t", "pi": "pi"}
        if called:
            functions = [*FUNCTIONS, *SYNONYMS]
            known = dict(zip(functions, functions, strict=True)) | known
        near = [known[each] for each in difflib.get_close_matches(key, known)]
        example = f"{name}(x)=..." if called else f"{name}=... or par {name}=1"
        kind = "function" if called else "name"
        if key in slips.NAMES:
            raise ModelError(f"unknown {kind} `{name}`; {slips.NAMES[key]}, or define it")
        remedy = f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else f"define it: {example}"
        raise ModelError(f"unknown {kind} `{name}`; {remedy}")


def _built(function: str, arguments: list[Sized], written: Call | None = None) -> Sized:
    """A call of what was resolved: the one that was written, if nothing in it has changed.

    What is written in a function is new wherever the function is called, as if it stood there.
    """
    size, depth = 1, 0
    for _, its_size, its_depth in arguments:
        size += its_size
        depth = max(depth, its_depth)
    if size > MAX_NODES or depth >= MAX_DEPTH:
        _too_large()
    nodes = tuple([node for node, _, _ in arguments])
    if written is None or not all(map(is_, nodes, written.arguments)):
        written = Call(function, nodes)
    return written, size, depth + 1


def _check_arity(name: str, signature: str, wanted: int, given: int) -> None:
    if wanted != given:
        noun = "argument" if given == 1 else "arguments"
        raise ModelError(f"`{name}` is called with {given} {noun}; expected {signature}")


def _signature(function: Statement) -> str:
    return f"{function.name}({','.join(function.arguments)})"


def _too_large(line: int | None = None) -> NoReturn:
    raise ModelError(
        "with its functions written out this expression is too large or too deep; "
        "expected intermediate quantities (name=...) for its parts",
        None,
        line,
    )


def article(kind: str) -> str:
    """A kind of statement with its article."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
