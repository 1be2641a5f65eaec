"""A model: equations with their parameters, initial values, quantities and driving tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parfit.model.curves import Curve
from parfit.model.expression import Expression

if TYPE_CHECKING:
    from parfit.model.assembly import Compiled
    from parfit.model.symbolic import Derivation

Array = NDArray[np.float64]
Definition = tuple[str, Expression]


@dataclass(frozen=True, eq=False)
class Model:
    """y' = g(t, y, p), y(t0) = y0(p), and the quantities h(t, y, p) that can be observed beside the states.

    Every name in an expression is `t`, a state, a parameter or a quantity, spelled as it was defined; every
    function is one of `expression.OPERATORS`, `expression.FUNCTIONS` or the name of a table.
    """

    name: str
    parameters: tuple[str, ...]
    values: Array  # starting values of the parameters, (n_params,), read-only
    states: tuple[str, ...]
    equations: tuple[Expression, ...]  # dy/dt, one per state
    initial: tuple[Expression, ...]  # y(t0), one per state, of parameters and of quantities of these
    quantities: tuple[Definition, ...] = ()  # each uses only earlier ones
    aux: tuple[Definition, ...] = ()
    tables: tuple[tuple[str, Curve], ...] = ()
    t0: float = 0.0
    remarks: tuple[str, ...] = ()  # what the reader passed over
    source: str = ""  # the text it was read from

    @cached_property
    def derivation(self) -> Derivation:
        """All exact derivatives; made when first needed, because that takes sympy."""
        from parfit.model.symbolic import derive

        return derive(self)

    @cached_property
    def _compiled(self) -> dict[tuple[int, ...], Compiled]:
        return {}

    def compiled(self, active: tuple[int, ...]) -> Compiled:
        """The model ready to be integrated with derivatives by the active parameters (subscripts from 0)."""
        if active not in self._compiled:
            from parfit.model.assembly import assemble

            self._compiled[active] = assemble(self, self.derivation, active)
        return self._compiled[active]
