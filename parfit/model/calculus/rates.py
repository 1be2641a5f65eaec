"""Rates of aux quantities: d/dt h(t, y, p) = h_t + h_y g as a further aux quantity of the model.

Derivative fitting compares equations with slopes of smoothed data; where an aux quantity is observed and not a
state, its equation is this chain rule. The exact derivatives of a rate then come as those of everything else do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from parfit.errors import ParfitError
from parfit.model.curves import Curve
from parfit.model.language.expression import Call, Expression, Name, Number
from parfit.model.model import Definition, Model

PRIME = "'"  # no name of a model contains it


def rate_name(name: str) -> str:
    """What the rate of a quantity is called."""
    return name + PRIME


def with_rates(model: Model, names: Iterable[str]) -> Model:
    """The model with the rates of these aux quantities as further ones; the model itself if there are none."""
    wanted, aux = tuple(names), dict(model.aux)
    unknown = [name for name in wanted if name not in aux]
    if unknown:
        raise ParfitError(f"{', '.join(unknown)}: no aux quantity of {model.name}, so there is no rate of it")
    if not wanted:
        return model
    work = _Work(model)
    rates = tuple((rate_name(name), work.rate(aux[name])) for name in wanted)
    return replace(
        model,
        quantities=(*model.quantities, *work.quantities),
        aux=(*model.aux, *rates),
        tables=(*model.tables, *((rate_name(name), _slope(curve)) for name, curve in model.tables)),
    )


class _Work:
    """Rates of the quantities that were met, each before those that need it."""

    def __init__(self, model: Model):
        from parfit.model.calculus.translation import Translator  # imports sympy

        self._translator = Translator(model)
        self._definitions = dict(model.quantities)
        # What moves, and how fast; parameters and constants do not.
        self._rates: dict[str, Expression] = {"t": Number(1.0)}
        self._rates |= dict(zip(model.states, model.equations, strict=True))
        self.quantities: list[Definition] = []

    def rate(self, node: Expression) -> Expression:
        """The total derivative of an expression by time."""
        from parfit.model.calculus.symbolic import partials

        terms: list[Expression] = []
        for symbol, partial in partials(self._translator.converted(node)).items():
            speed = self._speed(symbol.name)
            if speed is not None and partial != 0:
                terms.append(Call("*", (self._translator.written(partial), speed)))
        if not terms:
            return Number(0.0)
        return terms[0] if len(terms) == 1 else Call("+", tuple(terms))

    def _speed(self, name: str) -> Expression | None:
        """The rate of what a name stands for, None if it is constant; a quantity's becomes a quantity too."""
        if name not in self._rates and name in self._definitions:
            rate = self.rate(self._definitions[name])
            self.quantities.append((rate_name(name), rate))
            self._rates[name] = Name(rate_name(name))
        return self._rates.get(name)


def _slope(curve: Curve) -> Curve:
    """The derivative of a table, which has jumps where the table has corners."""
    powers = np.array([[3.0], [2.0], [1.0]])
    return Curve(curve.breaks, np.vstack((np.zeros(curve.breaks.size - 1), powers * curve.coefs[:3])))
