"""Mathematical functions for models written as Python functions; of plain numbers they give plain numbers."""

from __future__ import annotations

from collections.abc import Callable

from parfit.model.language.expression import Call, Expression, Number, expression, value

Operand = Expression | float


def _function(name: str) -> Callable[..., Expression | float]:
    def apply(*arguments: Operand) -> Expression | float:
        nodes = tuple(expression(argument) for argument in arguments)
        call = Call(name, nodes)
        return value(call, {}) if all(isinstance(node, Number) for node in nodes) else call

    apply.__name__ = name
    apply.__doc__ = f"{name} of expressions or numbers."
    return apply


sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh = map(
    _function, ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh")
)
exp, log, log10, sqrt, erf, erfc = map(_function, ("exp", "log", "log10", "sqrt", "erf", "erfc"))
absolute, sign, heav, floor, ceil, mod = map(_function, ("abs", "sign", "heav", "floor", "ceil", "mod"))
minimum, maximum, where = map(_function, ("min", "max", "if"))
