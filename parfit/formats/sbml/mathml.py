"""Expressions to MathML as SBML has it: what is a condition there and what is a number are two things."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NoReturn

from parfit.errors import ModelError
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.textfile import exact

SPACE = "http://www.w3.org/1998/Math/MathML"
TIME = '<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time"> t </csymbol>'
OPERATORS = {"+": "plus", "*": "times", "/": "divide", "^": "power", "pow": "power"}
FUNCTIONS = {
    **{name: name for name in ("exp", "abs", "floor", "sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max")},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh")},
    "ceil": "ceiling",
    "log": "ln",
    "sqrt": "root",
}
RELATIONS = {"<": "lt", "<=": "leq", ">": "gt", ">=": "geq", "==": "eq", "!=": "neq"}
LOGIC = {"&": "and", "|": "or", "not": "not"}
ZERO, ONE = Number(0.0), Number(1.0)


def _call(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


# What SBML has no function for, in others.
MADE: dict[str, Callable[..., Expression]] = {
    "heav": lambda a: _call("if", _call(">=", a, ZERO), ONE, ZERO),
    "sign": lambda a: _call("if", _call(">", a, ZERO), ONE, _call("if", _call("<", a, ZERO), Number(-1.0), ZERO)),
    "mod": lambda a, b: a - b * _call("floor", a / b),
    "atan2": lambda a, b: 2.0 * _call("atan", a / (_call("sqrt", a * a + b * b) + b)),
}


def formula(node: Expression, ids: Mapping[str, str]) -> str:
    """An element <math> with an expression in other names."""
    return _enclosed(_Writer(ids).number, node)


def condition(node: Expression, ids: Mapping[str, str]) -> str:
    """The same of what holds or does not."""
    return _enclosed(_Writer(ids).truth, node)


def _enclosed(write: Callable[[Expression], str], node: Expression) -> str:
    try:
        return f'<math xmlns="{SPACE}">{write(node)}</math>'
    except RecursionError:
        raise ModelError("an expression is nested too deeply to be written as SBML") from None


class _Writer:
    def __init__(self, ids: Mapping[str, str]):
        self.ids = ids

    def number(self, node: Expression) -> str:
        """An expression where a number is wanted."""
        if isinstance(node, Number):
            return _number(node.value)
        if isinstance(node, Name):
            return TIME if node.name == "t" else f"<ci> {self.ids[node.name]} </ci>"
        assert isinstance(node, Call)
        name, parts = node.function, node.arguments
        if name in RELATIONS or name in LOGIC:
            return self.number(_call("if", node, ONE, ZERO))
        if name == "if":
            value, holds, other = self.number(parts[1]), self.truth(parts[0]), self.number(parts[2])
            return f"<piecewise><piece>{value}{holds}</piece><otherwise>{other}</otherwise></piecewise>"
        if name in MADE:
            return self.number(MADE[name](*parts))
        if name == "-":
            return f"<apply><minus/>{self.number(parts[0])}</apply>"
        if name == "log10":
            return f"<apply><log/><logbase><cn> 10 </cn></logbase>{self.number(parts[0])}</apply>"
        operator = OPERATORS.get(name) or FUNCTIONS.get(name) or _refuse(name)
        return f"<apply><{operator}/>{''.join(map(self.number, parts))}</apply>"

    def truth(self, node: Expression) -> str:
        """An expression where a condition is wanted; a number holds unless it is 0."""
        if isinstance(node, Call) and node.function in RELATIONS:
            return f"<apply><{RELATIONS[node.function]}/>{''.join(map(self.number, node.arguments))}</apply>"
        if isinstance(node, Call) and node.function in LOGIC:
            return f"<apply><{LOGIC[node.function]}/>{''.join(map(self.truth, node.arguments))}</apply>"
        return self.truth(_call("!=", node, ZERO))


def _number(value: float) -> str:
    if math.isnan(value):
        return "<notanumber/>"
    if math.isinf(value):
        return "<infinity/>" if value > 0.0 else "<apply><minus/><infinity/></apply>"
    mantissa, e, exponent = exact(value).partition("e")
    if not e:
        return f"<cn> {mantissa} </cn>"
    return f'<cn type="e-notation"> {mantissa} <sep/> {int(exponent)} </cn>'


def _refuse(name: str) -> NoReturn:
    raise ModelError(f"{name}(...) cannot be written as SBML, which has no such function or table")
