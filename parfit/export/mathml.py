"""Equations as MathML, which browsers typeset: fractions, powers, subscripts."""

from __future__ import annotations

import re
from html import escape

from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.writing import READABLE, number_text

# What binds tighter has a higher level; a fraction, a name and a function stand for themselves.
_CONDITION, _SUM, _PRODUCT, _POWER, _ATOM = range(5)
_SIGNS = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠", "&": "∧", "|": "∨"}
_SUBSCRIPT = re.compile(r"(.*?[^\W\d])_?(\d+)", re.DOTALL)
OPENING, CLOSING, TIMES, MINUS = "<mo>(</mo>", "<mo>)</mo>", '<mo lspace="0.1em" rspace="0.1em">⋅</mo>', "<mo>−</mo>"


def equation(left: str, right: Expression) -> str:
    """A line `left` = `right`; a dash after a name means its derivative, (0) after one its initial value."""
    name, dash, _ = left.partition("'")
    before, bracket, inside = name.partition("(")
    head = f"<mrow>{symbol(before)}{'<mo>′</mo>' if dash else ''}{_plain(bracket + inside)}</mrow>"
    return f'<math display="block"><mrow>{head}<mo>=</mo>{_row(right, 0)}</mrow></math>'


def symbol(name: str) -> str:
    """A name, of which the number at its end is a subscript."""
    match = _SUBSCRIPT.fullmatch(name)
    return f"<msub><mi>{escape(match[1])}</mi><mn>{match[2]}</mn></msub>" if match else f"<mi>{escape(name)}</mi>"


def _plain(text: str) -> str:
    return f"<mtext>{escape(text)}</mtext>" if text else ""


def _row(node: Expression, lowest: int) -> str:
    """An expression in a place for what binds at least so tightly."""
    text, level = _written(node)
    return f"<mrow>{OPENING}{text}{CLOSING}</mrow>" if level < lowest else f"<mrow>{text}</mrow>"


def _written(node: Expression) -> tuple[str, int]:
    if isinstance(node, Number):
        text = number_text(node.value, READABLE)
        return (
            (f"{MINUS}<mn>{escape(text[1:])}</mn>", _SUM)
            if text.startswith("-")
            else (f"<mn>{escape(text)}</mn>", _ATOM)
        )
    if isinstance(node, Name):
        return symbol(node.name), _ATOM
    assert isinstance(node, Call)
    parts = node.arguments
    if node.function == "+":
        return _sum(parts), _SUM
    if node.function == "*":
        return _product(parts)
    if node.function == "/":
        return f"<mfrac>{_row(parts[0], 0)}{_row(parts[1], 0)}</mfrac>", _PRODUCT
    if node.function == "^":
        return f"<msup>{_row(parts[0], _ATOM)}{_row(parts[1], 0)}</msup>", _POWER
    if node.function == "-" and len(parts) == 1:
        return f"{MINUS}{_row(parts[0], _PRODUCT)}", _SUM
    if node.function in _SIGNS and len(parts) == 2:
        sign = f"<mo>{escape(_SIGNS[node.function])}</mo>"
        return sign.join(_row(each, _SUM) for each in parts), _CONDITION
    inside = "<mo>,</mo>".join(_row(each, 0) for each in parts)
    return f"<mi>{escape(node.function)}</mi>{OPENING}{inside}{CLOSING}", _ATOM


def _product(parts: tuple[Expression, ...]) -> tuple[str, int]:
    """Factors; a sign before the first is one before them all."""
    first, *others = parts
    is_negative = isinstance(first, Call) and first.function == "-" and len(first.arguments) == 1
    begin = first.arguments[0] if is_negative and isinstance(first, Call) else first
    text = TIMES.join([_row(begin, _PRODUCT), *(_row(each, _PRODUCT) for each in others)])
    return (MINUS + text, _SUM) if is_negative else (text, _PRODUCT)


def _sum(parts: tuple[Expression, ...]) -> str:
    """Terms, of which a negative one is subtracted."""
    written = ""
    for each in parts:
        is_negative = isinstance(each, Call) and each.function == "-" and len(each.arguments) == 1
        term = each.arguments[0] if is_negative and isinstance(each, Call) else each
        sign = MINUS if is_negative else "<mo>+</mo>" if written else ""
        written += sign + _row(term, _PRODUCT if is_negative else _SUM)
    return written
