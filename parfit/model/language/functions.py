"""Mathematical functions for models written as Python functions; of plain numbers they give plain numbers.

They are those of model files: sin, cos, exp, log and so on, and absolute, minimum, maximum and where.
"""

from __future__ import annotations

from collections.abc import Callable

from parfit.model.language.expression import Call, Expression, Number, expression, value
from parfit.model.language.operations import FUNCTIONS

Operand = Expression | float
Function = Callable[..., Expression | float]

_NAMES = {row.python or row.name: row.name for row in FUNCTIONS.values() if row.name != "not"}  # a word of Python


def __getattr__(name: str) -> Function:
    if name not in _NAMES:
        raise AttributeError(f"there is no function {name}; there are {', '.join(sorted(_NAMES))}")

    def apply(*arguments: Operand) -> Expression | float:
        nodes = tuple(expression(argument) for argument in arguments)
        call = Call(_NAMES[name], nodes)
        return value(call, {}) if all(isinstance(node, Number) for node in nodes) else call

    apply.__name__ = name
    apply.__doc__ = f"{name} of expressions or numbers."
    globals()[name] = apply
    return apply


def __dir__() -> list[str]:
    return sorted(_NAMES)
