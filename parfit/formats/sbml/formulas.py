"""MathML to expressions, however deeply it is nested.

Names are those of the file; `@time` is the time, and a function of the file is called by its name behind an @.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise

from parfit.errors import ModelError
from parfit.formats.sbml.tree import Element, refused
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.textfile import real

TIME = "@time"
OWN = "@"  # before the name of a function that the file defines
AVOGADRO = 6.02214179e23  # as SBML defines it
CONSTANTS = {
    "pi": math.pi,
    "exponentiale": math.e,
    "true": 1.0,
    "false": 0.0,
    "infinity": math.inf,
    "notanumber": math.nan,
}
RELATIONS = {"lt": "<", "leq": "<=", "gt": ">", "geq": ">=", "eq": "==", "neq": "!="}
NAMED = {
    **{name: name for name in ("exp", "abs", "floor", "sin", "cos", "tan", "sinh", "cosh", "tanh", "not")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh")},
    "ln": "log",
    "ceiling": "ceil",
}
UNSUPPORTED = {
    "delay": "a delay, which is not supported",
    "rateOf": "the rate of a quantity, which is not supported",
}
ONE, TWO = Number(1.0), Number(2.0)


def call(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def _reciprocal(function: str) -> Callable[[Expression], Expression]:
    return lambda a: 1.0 / call(function, a)


def _inverse(function: str) -> Callable[[Expression], Expression]:
    return lambda a: call(function, 1.0 / a)


# What is made of others: reciprocals, their inverses, and what the language has no function for.
MADE: dict[str, Callable[[Expression], Expression]] = {
    **{new: _reciprocal(old) for new, old in (("sec", "cos"), ("csc", "sin"), ("cot", "tan"))},
    **{new: _reciprocal(old) for new, old in (("sech", "cosh"), ("csch", "sinh"), ("coth", "tanh"))},
    **{new: _inverse(old) for new, old in (("arcsec", "acos"), ("arccsc", "asin"), ("arccot", "atan"))},
    "arccsch": _inverse("asinh"),
    "arccosh": lambda a: call("log", a + call("sqrt", a * a - 1.0)),
    "arctanh": lambda a: 0.5 * call("log", (1.0 + a) / (1.0 - a)),
    "arccoth": lambda a: 0.5 * call("log", (a + 1.0) / (a - 1.0)),
    "arcsech": lambda a: call("log", (1.0 + call("sqrt", 1.0 - a * a)) / a),
    "factorial": lambda a: call("exp", call("lgamma", a + 1.0)),
}
FOLDED = {"max": "max", "min": "min", "and": "&", "or": "|", "xor": "!="}
EMPTY = {"plus": 0.0, "times": 1.0, "and": 1.0, "or": 0.0, "xor": 0.0}  # of nothing at all


def formula(element: Element) -> Expression:
    """What stands in an element <math>; parts first, without recursion."""
    done: list[Expression] = []
    waiting: list[tuple[Element, list[Element] | None]] = [(element, None)]
    while waiting:
        each, parts = waiting.pop()
        if parts is None:
            parts = _operands(each)
            waiting.append((each, parts))
            waiting += [(part, None) for part in reversed(parts)]
            continue
        arguments = done[len(done) - len(parts) :]
        del done[len(done) - len(parts) :]
        done.append(_built(each, arguments))
    return done[0]


def math_of(element: Element, of: Element | None = None) -> Expression:
    """The formula of an element that must have one."""
    found = element.first("math")
    if found is None or not found.parts:
        raise refused(of or element, "has no formula")
    return formula(found)


def lambda_of(element: Element) -> tuple[tuple[str, ...], Expression]:
    """The arguments and the body of a function."""
    found = element.first("math")
    body = None if found is None else found.first("lambda")
    if body is None and found is not None and (inner := found.first("semantics")) is not None:
        body = inner.first("lambda")
    if body is None or not body.parts or body.parts[-1].tag == "bvar":
        raise refused(element, "has no formula")
    return tuple(part.parts[0].text for part in body.parts if part.tag == "bvar" and part.parts), formula(
        body.parts[-1]
    )


def _operands(element: Element) -> list[Element]:
    """The parts of an element that are formulas."""
    if element.tag == "apply":
        if not element.parts:
            raise refused(element, "applies nothing")
        return [_qualifier(part) if part.tag in ("degree", "logbase") else part for part in element.parts[1:]]
    if element.tag == "piecewise":
        return [each for piece in element.parts for each in piece.parts]
    if element.tag in ("math", "semantics"):
        return element.parts[:1]
    return []


def _qualifier(element: Element) -> Element:
    if not element.parts:
        raise refused(element, "is empty")
    return element.parts[0]


def _built(element: Element, arguments: Sequence[Expression]) -> Expression:
    tag = element.tag
    if tag in ("math", "semantics") and arguments:
        return arguments[0]
    if tag == "ci":
        return Name(element.text)
    if tag == "cn":
        return _number(element)
    if tag in CONSTANTS:
        return Number(CONSTANTS[tag])
    if tag == "csymbol":
        return _symbol(element)
    if tag == "piecewise":
        return _choice(element, arguments)
    if tag == "apply":
        return _applied(element, arguments)
    raise refused(element, "is not supported in a formula")


def _symbol(element: Element) -> Expression:
    what = (element.get("definitionURL") or "").rpartition("/")[2]
    if what == "time":
        return Name(TIME)
    if what == "avogadro":
        return Number(AVOGADRO)
    raise refused(element, f"means {UNSUPPORTED.get(what) or (what or 'nothing') + ', which is not supported'}")


def _number(element: Element) -> Expression:
    kind = element.get("type") or "real"
    texts = [piece.strip() for piece in element.pieces]
    parts = [real(text) for text in texts]
    if kind in ("integer", "real") and len(parts) == 1 and parts[0] is not None:
        return Number(parts[0])
    if kind == "real" and texts in (["INF"], ["-INF"], ["NaN"]):
        return Number(float(texts[0]))
    if kind in ("e-notation", "rational") and len(parts) == 2 and parts[0] is not None and parts[1] is not None:
        if kind == "rational":
            return Number(parts[0]) / Number(parts[1])
        value = real(f"{texts[0]}e{texts[1]}")
        if value is not None:
            return Number(value)
    raise refused(element, f"is no number: {' '.join(texts)[:40]!r}")


def _choice(element: Element, arguments: Sequence[Expression]) -> Expression:
    """The first piece whose condition holds.

    Where none does and nothing is said of it, SBML knows no value; the last piece may as well have the last word.
    """
    rest = list(arguments)
    found: Expression | None = None
    for piece in reversed(element.parts):
        if piece.tag == "otherwise" and len(piece.parts) == 1:
            found = rest.pop()
        elif piece.tag == "piece" and len(piece.parts) == 2:
            condition, value = rest.pop(), rest.pop()
            found = value if found is None else call("if", condition, value, found)
        else:
            raise refused(
                piece, "is no part of <piecewise>; expected <piece> with two formulas, or <otherwise> with one"
            )
    if found is None:
        raise refused(element, "is empty")
    return found


def _applied(element: Element, arguments: Sequence[Expression]) -> Expression:
    operator = element.parts[0]
    if operator.tag == "ci":
        return Call(OWN + operator.text, tuple(arguments))
    if operator.tag == "csymbol":
        _symbol(operator)
        raise refused(operator, "cannot be applied")
    try:
        return operation(operator.tag, list(arguments), _qualified(element))
    except ModelError as error:
        raise refused(operator, error.message) from None


def _qualified(element: Element) -> bool:
    """Whether the first argument is the base of a logarithm or the degree of a root."""
    return len(element.parts) > 1 and element.parts[1].tag in ("degree", "logbase")


def operation(tag: str, arguments: list[Expression], qualified: bool = False) -> Expression:
    """An operation of MathML on its arguments, of which the first may be a base or a degree."""
    n = len(arguments)
    if tag in ("plus", "times"):
        sign = "+" if tag == "plus" else "*"
        return Number(EMPTY[tag]) if n == 0 else arguments[0] if n == 1 else Call(sign, tuple(arguments))
    if tag in FOLDED:
        return reduce(lambda a, b: call(FOLDED[tag], a, b), arguments) if n else Number(EMPTY.get(tag, math.nan))
    if tag in RELATIONS and n >= 2:
        pairs = [call(RELATIONS[tag], a, b) for a, b in pairwise(arguments)]
        return reduce(lambda a, b: call("&", a, b), pairs)
    if tag == "minus" and n in (1, 2):
        return -arguments[0] if n == 1 else arguments[0] - arguments[1]
    if tag in ("divide", "power", "implies") and n == 2:
        a, b = arguments
        return a / b if tag == "divide" else a**b if tag == "power" else call("|", call("not", a), b)
    if tag == "root" and n == 1 + qualified:
        return arguments[1] ** (1.0 / arguments[0]) if qualified else call("sqrt", arguments[0])
    if tag == "log" and n == 1 + qualified:
        return call("log", arguments[1]) / call("log", arguments[0]) if qualified else call("log10", arguments[0])
    if (tag in NAMED or tag in MADE) and n == 1:
        return call(NAMED[tag], arguments[0]) if tag in NAMED else MADE[tag](arguments[0])
    known = tag in {*NAMED, *MADE, *RELATIONS, "minus", "divide", "power", "implies", "root", "log"}
    raise ModelError(f"has {n} arguments, which is not the right number" if known else "is not supported in a formula")
