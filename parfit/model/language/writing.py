"""Expressions to text, with as few parentheses as the parser needs to make the same expression of it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from parfit.dataclass import dataclass
from parfit.errors import ModelError
from parfit.model.jumps import Jump
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.model import Model

MAX_SIZE = 100_000  # nodes of an expression when it is written out; traced functions share parts

# Precedence as in the parser; a sign binds tighter than a product and looser than a power.
_OR, _AND, _COMPARISON, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(8)
_LEVELS = {"|": _OR, "&": _AND, "+": _SUM, "*": _PRODUCT, "/": _PRODUCT, "-": _SIGN, "^": _POWER}
_LEVELS |= dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), _COMPARISON)
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Style:
    """How operators look. What EXACT and READABLE write can be parsed again."""

    space: str = ""  # around sums and comparisons
    times: str = "*"
    signs: tuple[tuple[str, str], ...] = ()
    superscripts: bool = False
    digits: int = 17
    pi: str = ""  # for the number, if it has a name


EXACT = Style()
READABLE = Style(space=" ", digits=15, pi="pi")
UNICODE = Style(" ", "·", (("<=", "≤"), (">=", "≥"), ("!=", "≠")), superscripts=True, digits=15, pi="π")


def expression_text(node: Expression, style: Style = EXACT) -> str:
    """An expression as text."""
    if _tree_size(node, {}) > MAX_SIZE:
        raise ModelError("an expression is too large to be written out; expected one that is built in smaller parts")
    try:
        return _Writer(style).text(node)
    except RecursionError:
        raise ModelError("an expression is nested too deeply to be written out") from None


def number_text(number: float, style: Style = EXACT) -> str:
    """A number in its shortest form: 3, 0.5, 1e-5."""
    if math.isnan(number):
        return "(0/0)"
    if math.isinf(number):
        return "(1/0)" if number > 0 else "-(1/0)"
    if style.pi and number == math.pi:
        return style.pi
    text = repr(number) if style.digits >= 17 else f"{number:.{style.digits}g}"
    return re.sub(r"e([+-])0*", lambda match: "e" + match[1].strip("+"), text.removesuffix(".0"))


class _Writer:
    def __init__(self, style: Style):
        self.style = style
        self.signs = dict(style.signs)
        self.in_condition = False

    def text(self, node: Expression, lowest: int = 0, first: bool = True) -> str:
        """An expression in a place for operations of at least this level; signs need no parentheses at its start."""
        text, level, signed = self._written(node)
        return f"({text})" if level < lowest or (signed and not first) else text

    def _written(self, node: Expression) -> tuple[str, int, bool]:
        """Text, level, and whether it starts with a sign."""
        if isinstance(node, Number):
            text = number_text(node.value, self.style)
            return (text, _SIGN, True) if text.startswith("-") else (text, _ATOM, False)
        if isinstance(node, Name):
            return node.name, _ATOM, False
        assert isinstance(node, Call)
        level = _LEVELS.get(node.function, _ATOM)
        text = self._call(node, level)
        return text, level, level != _ATOM and text.startswith("-")

    def _call(self, node: Call, level: int) -> str:
        if level == _SUM:
            return self._sum(node.arguments)
        if level == _PRODUCT:
            return self._product(node)
        if level == _SIGN:
            return "-" + self.text(node.arguments[0], _POWER, first=False)
        if level == _POWER:
            return self._power(*node.arguments)
        if level != _ATOM:
            return self._relation(node, level)
        if node.function == "if":
            return self._choice(node.arguments)
        return f"{node.function}({(',' + self.style.space).join(self.text(each) for each in node.arguments)})"

    def _sum(self, terms: Sequence[Expression]) -> str:
        space = self.style.space
        text = self.text(terms[0], _PRODUCT)
        for term in terms[1:]:
            sign = "+"
            if isinstance(term, Call) and term.function == "-":
                sign, term = "-", term.arguments[0]
            text += f"{space}{sign}{space}{self.text(term, _PRODUCT, first=False)}"
        return text

    def _product(self, node: Call) -> str:
        head, *rest = node.arguments
        # What is divided may stand before further factors, and a product before a division: a*b/c*d.
        opens = isinstance(head, Call) and (head.function == "/" or (head.function == "*" and node.function == "/"))
        text = self.text(head, _PRODUCT if opens else _SIGN)
        times = "/" if node.function == "/" else self.style.times
        return times.join([text, *(self.text(each, _POWER, first=False) for each in rest)])

    def _power(self, base: Expression, exponent: Expression) -> str:
        text = self.text(base, _ATOM)
        if self.style.superscripts and isinstance(exponent, Number) and exponent.value in range(2, 10):
            return text + number_text(exponent.value).translate(_SUPERSCRIPTS)
        return f"{text}^{self.text(exponent, _ATOM)}"

    def _relation(self, node: Call, level: int) -> str:
        # XPPAUT compares only the nearest terms, unless there are parentheses or it is the condition of a choice.
        lowest = _SIGN if level == _COMPARISON and not self.in_condition else level + 1
        left, right = (self.text(each, lowest) for each in node.arguments)
        sign = self.signs.get(node.function, node.function)
        return f"{left}{self.style.space}{sign}{self.style.space}{right}"

    def _choice(self, parts: Sequence[Expression]) -> str:
        outer, self.in_condition = self.in_condition, True
        condition = self.text(parts[0])
        self.in_condition = outer
        gap = self.style.space
        return f"if({condition}){gap}then({self.text(parts[1])}){gap}else({self.text(parts[2])})"


def _tree_size(node: Expression, known: dict[int, int]) -> int:
    """The number of nodes of an expression in which shared parts count as often as they occur."""
    stack = [node]
    while stack:
        last = stack[-1]
        parts = last.arguments if isinstance(last, Call) else ()
        missing = [part for part in parts if id(part) not in known]
        if missing:
            stack += missing
        else:
            known[id(last)] = 1 + sum(known[id(part)] for part in parts)
            stack.pop()
    return known[id(node)]


# ---- whole models


def model_text(model: Model) -> str:
    """A model as `.ode` text, from its expressions."""
    if model.tables:
        raise ModelError(f"{model.name} has tables that are in no file, so it cannot be written as text")
    lines = [f"# {model.name}"]
    if model.parameters:
        pairs = zip(model.parameters, model.values.tolist(), strict=True)
        lines.append("par " + ", ".join(f"{name}={number_text(value)}" for name, value in pairs))
    lines += [f"{name}={_flat_text(node)}" for name, node in model.quantities]
    lines += [f"{name}'={_flat_text(node)}" for name, node in zip(model.states, model.equations, strict=True)]
    lines += [f"{name}(0)={_flat_text(node)}" for name, node in zip(model.states, model.initial, strict=True)]
    lines += [f"aux {name}={_flat_text(node)}" for name, node in model.aux]
    lines += [jump_text(jump) for jump in model.jumps]
    options = [f"{name}={number_text(value)}" for name, value in (("t0", model.t0), ("total", model.total)) if value]
    return "\n".join([*lines, *(["@ " + ", ".join(options)] if options else []), "done", ""])


def jump_text(jump: Jump) -> str:
    """The statement for a jump."""
    pairs = [f"{each.state}={_flat_text(each.value)}" for each in jump.assignments]
    if jump.condition is not None:
        return f"global {jump.direction} {{{_flat_text(jump.condition)}}} {{{'; '.join(pairs)}}}"
    word = "dose" if jump.assignments[0].adds else "set"
    return f"{word} {'; '.join(pairs)} at {', '.join(_flat_text(each) for each in jump.times)}"


def _flat_text(node: Expression) -> str:
    if _tree_size(node, {}) > MAX_SIZE:
        expression_text(node)  # says so
    return expression_text(flattened(node))


def flattened(node: Expression) -> Expression:
    """((a+b)+c)+d, which Python's operators make, as the one sum a+b+c+d; products alike."""
    if not isinstance(node, Call):
        return node
    function, (head, *rest) = node.function, node.arguments or (node,)
    if function not in ("+", "*"):
        return Call(function, tuple(flattened(each) for each in node.arguments))
    parts: list[Expression] = [*reversed(rest)]
    while isinstance(head, Call) and head.function == function:
        parts += reversed(head.arguments[1:])
        head = head.arguments[0]
    parts.append(head)
    return Call(function, tuple(flattened(part) for part in reversed(parts)))
