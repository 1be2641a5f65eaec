"""Switches of a model out in the open: each becomes a mode, a number that changes where a condition crosses zero.

Between two such times the equations are smooth, so that an integrator steps from one to the next and nothing is
smeared; and the derivatives of the solution by what stands in a condition are exact (see kernel/jumping.pyx).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit.dataclass import dataclass
from parfit.model.jumps import time_of
from parfit.model.language.expression import Call, Expression, Name, Number, names_in, nodes
from parfit.model.language.writing import expression_text, flattened
from parfit.model.model import Model

SWITCH, ABOVE, BELOW = 1, 2, 3  # the kernel's kinds of conditions (kernel/jumps.pxd)
ONE = Number(1.0)
_OTHER = {">": ">=", ">=": ">"}  # where one holds of a, the other does not of -a


@dataclass(frozen=True)
class Timed:
    """A mode that changes at a time that is known beforehand."""

    time: Expression
    mode: int
    before: float
    after: float


@dataclass(frozen=True)
class Condition:
    """A mode that changes where a condition crosses zero."""

    condition: Expression
    kind: int
    mode: int
    at_zero: int = 0  # of a switch: 1 if it is on while the condition rests at 0, -1 if it is off


@dataclass(frozen=True, eq=False)
class Switched:
    """A model whose switches read modes, which are parameters behind its own, and what changes them."""

    model: Model
    timed: tuple[Timed, ...]
    conditions: tuple[Condition, ...]
    n_modes: int


def switched(model: Model, on_times_only: bool, steady: frozenset[str]) -> Switched:
    """The model with its switches as modes; `on_times_only`: those whose time is known beforehand."""
    if not _may_switch(model):
        return Switched(model, (), (), 0)
    work = _Work(on_times_only, steady)
    wanted = _wanted(model)
    quantities = tuple((name, work.rewritten(node) if name in wanted else node) for name, node in model.quantities)
    equations = tuple(work.rewritten(node) for node in model.equations)
    if not work.n_modes:
        return Switched(model, (), (), 0)
    modes = tuple(_name(k) for k in range(work.n_modes))
    values = np.concatenate((model.values, np.zeros(len(modes))))
    changed = replace(
        model, parameters=(*model.parameters, *modes), values=values, quantities=quantities, equations=equations
    )
    return Switched(changed, tuple(work.timed), tuple(work.conditions), work.n_modes)


def _may_switch(model: Model) -> bool:
    """Whether there is a function that switches anywhere: most models have none, however large they are."""
    roots = (*model.equations, *(node for _, node in model.quantities))
    return any(isinstance(each, Call) and each.function in _RULES for root in roots for each in nodes(root))


def _name(mode: int) -> str:
    return f"mode {mode}"  # no name of a model has a blank


def _wanted(model: Model) -> set[str]:
    """The quantities that the equations use, through each other too."""
    definitions = dict(model.quantities)
    found: set[str] = set()
    stack = list(model.equations)
    while stack:
        names = names_in(stack.pop())
        new = (names & definitions.keys()) - found
        found |= new
        stack += [definitions[name] for name in new]
    return found


class _Work:
    """The modes so far, and what was rewritten."""

    def __init__(self, on_times_only: bool, steady: frozenset[str]):
        self.on_times_only, self.steady = on_times_only, steady
        self.timed: list[Timed] = []
        self.conditions: list[Condition] = []
        self.n_modes = 0
        self.known: dict[tuple[str, str], Expression] = {}  # kinds and conditions as text -> what stands for them
        self.done: dict[
            int, tuple[Expression, Expression]
        ] = {}  # id -> (the expression, which so lives on, and the new)

    def rewritten(self, node: Expression) -> Expression:
        """An expression with modes in place of its switches."""
        if not isinstance(node, Call):
            return node
        if id(node) not in self.done:
            parts = tuple(self.rewritten(each) for each in node.arguments)
            rule = _RULES.get(node.function)
            new = rule(self, *parts) if rule else None
            if new is None:
                same = all(a is b for a, b in zip(parts, node.arguments, strict=True))
                new = node if same else Call(node.function, parts)
            self.done[id(node)] = node, new
        return self.done[id(node)][1]

    def truth(self, a: Expression, relation: str) -> Expression | None:
        """The mode that is 1 where a > 0 or a >= 0 holds, and 0 elsewhere; None if it must stay as it is."""
        if not any(isinstance(each, Name) and each.name not in self.steady for each in nodes(a)):
            return None  # it never changes on the way
        text, opposite = (expression_text(flattened(each)) for each in (a, _negative(a)))
        if (relation, text) not in self.known:
            time = time_of(a, self.steady)
            if time is None and self.on_times_only:
                return None
            mode = self._new_truth(a, relation, time)
            for each in _OTHER if time is not None else (relation,):  # time never rests
                self.known[each, text], self.known[_OTHER[each], opposite] = mode, ONE - mode
        return self.known[relation, text]

    def _new_truth(self, a: Expression, relation: str, time: tuple[Expression, int] | None) -> Expression:
        if time is not None:
            rises = time[1] > 0
            self.timed.append(Timed(time[0], self.n_modes, float(not rises), float(rises)))
        else:
            self.conditions.append(Condition(a, SWITCH, self.n_modes, 1 if relation == ">=" else -1))
        return self._mode()

    def sign(self, a: Expression) -> Expression | None:
        """1 above 0, 0 at 0, -1 below."""
        above, not_below = self.truth(a, ">"), self.truth(a, ">=")
        return None if above is None or not_below is None else above + not_below - ONE

    def floor(self, a: Expression) -> Expression | None:
        """The mode that is the next whole number below a."""
        if self.on_times_only or not any(isinstance(each, Name) and each.name not in self.steady for each in nodes(a)):
            return None
        key = "floor", expression_text(flattened(a))
        if key not in self.known:
            mode, number = Name(_name(self.n_modes)), self.n_modes
            self.conditions += [Condition(a - mode - ONE, ABOVE, number), Condition(a - mode, BELOW, number)]
            self.known[key] = self._mode()
        return self.known[key]

    def _mode(self) -> Expression:
        self.n_modes += 1
        return Name(_name(self.n_modes - 1))


def _negative(a: Expression) -> Expression:
    """-a, with the signs of the terms of a sum turned."""
    if isinstance(a, Call) and a.function == "+":
        return Call("+", tuple(_negative(each) for each in reversed(a.arguments)))
    return a.arguments[0] if isinstance(a, Call) and a.function == "-" else Call("-", (a,))


def _mapped(found: Expression | None, then: Callable[[Expression], Expression]) -> Expression | None:
    return None if found is None else then(found)


def _choice(condition: Expression, a: Expression, b: Expression) -> Expression:
    return Call("if", (condition, a, b))


_RULES: dict[str, Callable[..., Expression | None]] = {
    "heav": lambda work, a: work.truth(a, ">="),
    "sign": lambda work, a: work.sign(a),
    "abs": lambda work, a: _mapped(work.truth(a, ">="), lambda mode: _choice(mode, a, -a)),
    "<": lambda work, a, b: work.truth(b - a, ">"),
    "<=": lambda work, a, b: work.truth(b - a, ">="),
    ">": lambda work, a, b: work.truth(a - b, ">"),
    ">=": lambda work, a, b: work.truth(a - b, ">="),
    "min": lambda work, a, b: _mapped(work.truth(b - a, ">="), lambda mode: _choice(mode, a, b)),
    "max": lambda work, a, b: _mapped(work.truth(a - b, ">="), lambda mode: _choice(mode, a, b)),
    "floor": lambda work, a: work.floor(a),
    "ceil": lambda work, a: _mapped(work.floor(-a), lambda mode: -mode),
    "mod": lambda work, a, b: _mapped(work.floor(a / b), lambda mode: a - b * mode),
}
