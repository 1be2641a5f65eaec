"""Expressions as PEtab's formulas, in parentheses wherever one could wonder."""

from __future__ import annotations

from collections.abc import Mapping

from parfit.errors import ModelError
from parfit.formats.sbml.mathml import MADE
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.language.writing import number_text

SIGNS = {"&": "&&", "|": "||", "pow": "^"}
BETWEEN = ("+", "*", "/", "^", "pow")
COMPARED = ("<", "<=", ">", ">=", "==", "!=")
PLAIN = ("exp", "abs", "sign", "sqrt", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max")
OTHERS = {f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh")}


def petab_formula(node: Expression, ids: Mapping[str, str]) -> str:
    """An expression in other names as text that PEtab reads, where a number is wanted."""
    if isinstance(node, Number):
        return f"({number_text(node.value)})" if node.value < 0.0 else number_text(node.value)
    if isinstance(node, Name):
        return "time" if node.name == "t" else ids[node.name]
    assert isinstance(node, Call)
    name = node.function
    if name in MADE and name != "sign":
        return petab_formula(MADE[name](*node.arguments), ids)
    if name == "if":
        condition, value, other = node.arguments
        return f"piecewise({petab_formula(value, ids)}, {_truth(condition, ids)}, {petab_formula(other, ids)})"
    if name in (*COMPARED, "&", "|", "not"):
        return f"piecewise(1, {_truth(node, ids)}, 0)"
    parts = [petab_formula(each, ids) for each in node.arguments]
    if name == "-":
        return f"(-{parts[0]})"
    if name in BETWEEN:
        return f"({f' {SIGNS.get(name, name)} '.join(parts)})"
    if name in PLAIN or name in OTHERS:
        return f"{OTHERS.get(name, name)}({', '.join(parts)})"
    raise ModelError(f"{name}(...) cannot be written as a formula of PEtab, which has no such function or table")


def _truth(node: Expression, ids: Mapping[str, str]) -> str:
    """The same where a condition is wanted; a number holds unless it is 0."""
    name = node.function if isinstance(node, Call) else ""
    if isinstance(node, Call) and name in COMPARED:
        return f"({f' {name} '.join(petab_formula(each, ids) for each in node.arguments)})"
    if isinstance(node, Call) and name in ("&", "|"):
        return f"({f' {SIGNS[name]} '.join(_truth(each, ids) for each in node.arguments)})"
    if isinstance(node, Call) and name == "not":
        return f"!({_truth(node.arguments[0], ids)})"
    return f"({petab_formula(node, ids)} != 0)"


def outer(text: str) -> str:
    """A formula without parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1]
