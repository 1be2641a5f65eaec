"""Text of an expression to expression nodes: a tokenizer and a parser by precedence.

Names keep their spelling and functions become lower case; what they mean is decided elsewhere, when all
definitions are known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from parfit.errors import ModelError
from parfit.model.language import slips
from parfit.model.language.expression import Call, Expression, Name, Number

# Frames of recursion that parsing may take: some 85 parentheses in each other, or 55 with a sum and a product
# in each. Python stops at 1000 in all.
MAX_FRAMES = 600
_FRAMES_OF_EXPRESSION, _FRAMES_OF_GROUP = 2, 5
MAX_DIVISIONS = 50  # in one product: each is one level deeper

NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(
    rf"""
      (?P<number> (?:[0-9]+\.?[0-9]*|\.[0-9]+) (?:[eE][+-]?[0-9]+)? )
    | (?P<name> {NAME} )
    | (?P<sign> \*\*|<=|>=|==|!=|&&|\|\||[-+*/^<>&|(),=] )
    | (?P<unexpected> \S )
    """,
    re.VERBOSE,
)
OPERATOR = "an operator or the end of the line"  # expected
_SAME = {"**": "^", "&&": "&", "||": "|"}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_COMPARISON, _SUM, _PRODUCT, _POWER = 2, 3, 4, 5
_LEVELS = {"|": 0, "&": 1, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "^": _POWER}
_LEVELS |= dict.fromkeys(_COMPARISONS, _COMPARISON)


class Token(NamedTuple):
    kind: str  # number, name, sign or end
    text: str
    start: int  # where in the text


class Entry(NamedTuple):
    """`name=value` in a list; without a value None."""

    name: str
    value: Expression | None


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, with one of kind `end` behind the last."""
    tokens = []
    for match in _TOKEN.finditer(text):  # which passes over blanks
        kind, word = match.lastgroup or "", match[0]
        if kind == "unexpected":
            wrong = slips.of_character(word) or f"unexpected `{word}`; expected an expression"
            raise ModelError(f"`{short(text)}`: {wrong}")
        if not word.isascii() and (wrong := slips.of_word(word)):
            raise ModelError(f"`{short(text)}`: {wrong}")
        tokens.append(Token(kind, _SAME.get(word, word), match.start()))
    return [*tokens, Token("end", "", len(text.rstrip()))]


def parse(text: str, doubts: list[str] | None = None) -> Expression:
    """The expression a text stands for.

    Into `doubts` go comparisons that other programs read differently.
    """
    parser = _Parser(text)
    result = parser.expression()
    if parser.next.kind != "end":
        parser.fail(OPERATOR)
    if doubts is not None:
        doubts += parser.doubts
    return result


def parse_entries(text: str) -> list[Entry]:
    """The entries of a list such as `a=1, b=2 c`, separated by commas or blanks."""
    parser = _Parser(text)
    entries: list[Entry] = []
    while parser.next.kind != "end":
        if parser.next.kind != "name":
            is_bare = bool(entries) and entries[-1].value is None
            parser.fail(f"`=` behind {entries[-1].name}, or a name," if is_bare else "a name")
        name = parser.take().text
        entries.append(Entry(name, parser.expression() if parser.skip("=") else None))
        parser.skip(",")
    return entries


def short(text: str, length: int = 60) -> str:
    """A text for a message: one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 3] + "..."


class _Parser:
    def __init__(self, text: str):
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0
        self.next = self.tokens[0]
        self.frames = 0
        self.in_condition = False
        self.doubts: list[str] = []

    def take(self) -> Token:
        token = self.next
        self.position += 1
        self.next = self.tokens[self.position]
        return token

    def skip(self, sign: str) -> bool:
        if self.next.text != sign:  # no name and no number is like a sign
            return False
        self.take()
        return True

    def expect(self, text: str) -> None:
        if not self.skip(text):
            self.fail(f"`{text}`")

    def fail(self, expected: str) -> NoReturn:
        if slip := slips.of_tokens(self.tokens, self.position, expected in (OPERATOR, "`)`")):
            raise ModelError(f"`{self.around()}`: {slip}")
        found = f"instead of `{self.next.text}`" if self.next.kind != "end" else "at the end"
        raise ModelError(f"`{self.around()}`: expected {expected} {found}")

    def around(self) -> str:
        """The text up to the next token and a little further, without its beginning if that is long."""
        start = max(0, self.next.start - 40)
        return ("..." if start else "") + short(self.text[start:])

    def expression(self, lowest: int = 0) -> Expression:
        """Operations of at least this level."""
        self.deeper(_FRAMES_OF_EXPRESSION)
        start = self.position
        left = self.with_sign(self.power)  # -2^2 is -(2^2)
        while (level := self.level()) >= lowest:
            left = self.chain(left, level, start)
        self.frames -= _FRAMES_OF_EXPRESSION
        return left

    def deeper(self, frames: int) -> None:
        self.frames += frames
        if self.frames > MAX_FRAMES:
            raise ModelError(f"`{short(self.text)}` is nested too deeply; expected intermediate quantities (name=...)")

    def level(self) -> int:
        return _LEVELS.get(self.next.text, -1)

    def chain(self, left: Expression, level: int, start: int) -> Expression:
        """All operations of one level that follow each other, such as the terms of a sum."""
        if level == _COMPARISON:
            return self.comparison(left, start)
        items = [("", left)]
        while self.level() == level:
            sign = self.take().text
            items.append((sign, self.expression(level + 1)))
        if level == _SUM:
            return Call("+", tuple(Call("-", (item,)) if sign == "-" else item for sign, item in items))
        if level == _PRODUCT:
            return self.product(items)
        return _balanced(items[1][0], [item for _, item in items])

    def product(self, items: list[tuple[str, Expression]]) -> Expression:
        """Factors and divisors from the left: a*b/c*d is ((a*b)/c)*d."""
        factors, divisions = [items[0][1]], 0
        for sign, item in items[1:]:
            if sign == "/":
                factors = [Call("/", (_joined("*", factors), item))]
                divisions += 1
            else:
                factors.append(item)
        if divisions > MAX_DIVISIONS:
            raise ModelError(f"`{short(self.text)}`: more than {MAX_DIVISIONS} divisions; use parentheses")
        return _joined("*", factors)

    def comparison(self, left: Expression, start: int) -> Expression:
        middle = self.position
        sign = self.take().text
        right = self.expression(_COMPARISON + 1)
        if self.level() == _COMPARISON:
            self.fail("parentheses, such as (a<b)&(b<c),")
        if not self.in_condition and (self.sums(start, middle) or self.sums(middle + 1, self.position)):
            whole = self.text[self.tokens[start].start : self.next.start]
            self.doubts.append(short(whole))
        return Call(sign, (left, right))

    def sums(self, start: int, stop: int) -> bool:
        """Whether these tokens have an operator outside of parentheses."""
        depth = 0
        for i in range(start, stop):
            text = self.tokens[i].text
            depth += (text == "(") - (text == ")")
            if not depth and text in "+-*/" and i > start:  # a sign at the start belongs to what follows
                return True
        return False

    def with_sign(self, operand: Callable[[], Expression]) -> Expression:
        negative = False
        while self.next.text in ("+", "-"):
            negative ^= self.take().text == "-"
        node = operand()
        return Call("-", (node,)) if negative else node

    def power(self) -> Expression:
        base = self.atom()
        if not self.skip("^"):
            return base
        exponent = self.with_sign(self.atom)
        if self.level() == _POWER:
            raise ModelError(f"`{self.around()}`: a^b^c is read in two ways; expected parentheses, (a^b)^c or a^(b^c)")
        return Call("^", (base, exponent))

    def atom(self) -> Expression:
        token = self.next
        if token.kind == "number":
            self.take()
            number = float(token.text)
            if math.isinf(number):
                raise ModelError(f"`{token.text}` is too large for a number")
            return Number(number)
        if token.kind == "name":
            self.take()
            if token.text.lower() == "if":
                return self.choice()
            return self.call(token.text) if self.next.text == "(" else Name(token.text)
        if token.text != "(":
            self.fail("a number, a name or `(`")
        return self.group()[0]

    def call(self, name: str) -> Expression:
        return Call(name.lower(), tuple(self.group(several=True)))

    def choice(self) -> Expression:
        """if(a)then(b)else(c), behind the `if`."""
        parts = self.group(condition=True)
        for word in ("then", "else"):
            if self.next.text.lower() != word:
                self.fail(f"`{word}(`, as in if(a)then(b)else(c),")
            self.take()
            parts += self.group()
        return Call("if", tuple(parts))

    def group(self, several: bool = False, condition: bool = False) -> list[Expression]:
        """What stands in parentheses: one expression, or several with commas between them."""
        self.expect("(")
        self.deeper(_FRAMES_OF_GROUP)
        outer = self.in_condition
        self.in_condition = outer or condition
        parts: list[Expression] = []
        if not (several and self.next.text == ")"):
            parts.append(self.expression())
        while several and self.skip(","):
            parts.append(self.expression())
        self.expect(")")
        self.in_condition = outer
        self.frames -= _FRAMES_OF_GROUP
        return parts


def _joined(sign: str, items: list[Expression]) -> Expression:
    return items[0] if len(items) == 1 else Call(sign, tuple(items))


def _balanced(sign: str, items: list[Expression]) -> Expression:
    """a & b & c & d as (a & b) & (c & d), so that long chains do not nest deeply."""
    if len(items) == 1:
        return items[0]
    half = len(items) // 2
    return Call(sign, (_balanced(sign, items[:half]), _balanced(sign, items[half:])))
