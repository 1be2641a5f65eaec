"""PEtab's formulas to expressions: powers from the right, `&& || !`, numbers for truth, piecewise(v, if, ...)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from parfit.errors import ModelError
from parfit.formats.sbml.formulas import MADE, NAMED, TIME, call, operation
from parfit.model.language.expression import Expression, Name, Number
from parfit.model.language.syntax import short

DEEPEST = 60  # parentheses in each other: each takes some frames of recursion
CONSTANTS = {"true": 1.0, "false": 0.0, "inf": math.inf, "nan": math.nan}
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+) (?:[eE][+-]?[0-9]+)? )
    | (?P<name> [A-Za-z_]\w* )
    | (?P<sign> \*\*|&&|\|\||<=|>=|==|!=|[-+*/^<>!(),] )
    )""",
    re.VERBOSE | re.ASCII,
)
# From the loosest to the tightest; those of one row are read from the left.
LEVELS = (("&&", "||"), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/"))
SIGNS = {"&&": "&", "||": "|"}
PLAIN = {"sqrt": "sqrt", "log10": "log10", "ln": "log", "sign": "sign", "exp": "exp", "abs": "abs"}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def parse(text: str) -> Expression:
    """The expression that a formula stands for; what is wrong with it is a `ModelError` without a place."""
    reader = _Reader(text)
    found = reader.operations(0)
    if reader.next.kind != "end":
        reader.fail("an operator or the end")
    return found


class _Reader:
    def __init__(self, text: str):
        self.text, self.position, self.depth = text, 0, 0
        self.tokens = list(_tokens(text))

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1].text

    def sees(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def fail(self, expected: str) -> NoReturn:
        found = f"instead of `{self.next.text}`" if self.next.kind != "end" else "at the end"
        raise ModelError(f"`{short(self.text)}`: expected {expected} {found}")

    def expect(self, sign: str) -> None:
        if not self.sees(sign):
            self.fail(f"`{sign}`")
        self.take()

    def operations(self, level: int) -> Expression:
        """Operations of at least this level."""
        if level == len(LEVELS):
            return self.signed()
        found = self.operations(level + 1)
        while self.sees(*LEVELS[level]):
            sign = self.take()
            other = self.operations(level + 1)
            found = _joined(sign, found, other)
        return found

    def signed(self) -> Expression:
        """A power with signs before it: -2^4 is -(2^4)."""
        signs = []
        while self.sees("+", "-", "!"):
            signs.append(self.take())
        found = self.power()
        for sign in reversed(signs):
            found = -found if sign == "-" else call("not", found) if sign == "!" else found
        return found

    def power(self) -> Expression:
        """2^2^3 is 2^(2^3), and an exponent may have a sign."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ModelError(f"`{short(self.text)}` is nested too deeply")
        base = self.atom()
        if self.sees("^", "**"):  # the second as files of version 1 have it
            self.take()
            base = base ** self.signed()
        self.depth -= 1
        return base

    def atom(self) -> Expression:
        token = self.next
        if token.kind == "number":
            return Number(float(self.take()))
        if token.kind == "name":
            name = self.take()
            return self.function(name) if self.sees("(") else _named(name)
        if not self.sees("("):
            self.fail("a number, a name or `(`")
        return self.group()[0]

    def group(self) -> list[Expression]:
        self.expect("(")
        found = [self.operations(0)]
        while self.sees(","):
            self.take()
            found.append(self.operations(0))
        self.expect(")")
        return found

    def function(self, name: str) -> Expression:
        arguments = self.group()
        found = _called(name, arguments)
        if found is None:
            raise ModelError(f"`{short(self.text)}`: there is no function {name} with {len(arguments)} arguments")
        return found


def _tokens(text: str) -> Sequence[_Token]:
    found, position, stop = [], 0, len(text.rstrip())
    while position < stop:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ModelError(f"`{short(text)}`: unexpected `{text[position:].lstrip()[0]}`")
        found.append(_Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        position = match.end()
    return [*found, _Token("end", "", stop)]


def _named(name: str) -> Expression:
    if name == "time":
        return Name(TIME)
    return Number(CONSTANTS[name]) if name in CONSTANTS else Name(name)


def _joined(sign: str, a: Expression, b: Expression) -> Expression:
    if sign in "+-*/":
        return a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b
    return call(SIGNS.get(sign, sign), a, b)


def _called(name: str, arguments: list[Expression]) -> Expression | None:
    n = len(arguments)
    if name == "piecewise" and n % 2 == 1:
        found = arguments[-1]
        for value, condition in reversed(list(zip(arguments[:-1:2], arguments[1::2], strict=True))):
            found = call("if", condition, value, found)
        return found
    if name in ("pow", "min", "max") and n == 2:
        return arguments[0] ** arguments[1] if name == "pow" else call(name, *arguments)
    if name == "log" and n in (1, 2):
        return call("log", arguments[0]) if n == 1 else call("log", arguments[0]) / call("log", arguments[1])
    if name == "log2" and n == 1:
        return call("log", arguments[0]) / call("log", Number(2.0))
    if name in PLAIN and n == 1:
        return call(PLAIN[name], arguments[0])
    known = (name in NAMED or name in MADE) and name not in ("not", "floor", "ceiling", "factorial")
    return operation(name, arguments) if known and n == 1 else None
