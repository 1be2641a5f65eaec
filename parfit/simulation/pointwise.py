"""Equations of a model and their derivatives at arrays of points: one pass of a tape, nothing per time in Python.

The kernel's own tape is made for integration: all equations, g_y before g_p, sparse. Curve fitting wants a few
equations, most often without g_y, and its Jacobian in full; so that gets a tape of its own from the same graph.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.arrays import Array
from parfit.kernel.tape import Tape
from parfit.model.calculus.derivation import Equations
from parfit.model.calculus.graph import lower
from parfit.model.model import Model
from parfit.simulation.status import Reason, Status


class Pointwise:
    """Rows of a vector function: of a state its equation g_i, of an aux quantity the quantity h itself.

    Derivatives are by the active parameters (subscripts from 0) and by the states `by` (names).
    """

    def __init__(self, model: Model, names: Sequence[str], active: Sequence[int] = (), by: Sequence[str] = ()):
        self.names = tuple(names)
        self._shape = len(names), len(active), len(by)
        aux = [name for name, _ in model.aux]
        derivation = model.derivation
        rows = [
            (derivation.dynamics, model.states.index(name))
            if name in model.states
            else (derivation.outputs, aux.index(name))
            for name in names
        ]
        self._tape = _tape(model, rows, active, [model.states.index(name) for name in by])

    def __call__(self, t: Array, y: Array, p: Array, by_state: bool = False) -> tuple[Array, Array, Array]:
        """Values (n_times, n_rows), derivatives by active parameters (..., n_active) and, if wanted, by states.

        `y` is (n_times, n_states), `p` (n_params,). Derivatives by states that are not wanted have no columns.
        """
        n_rows, m, n_by = self._shape
        found = self._tape.evaluate(t, np.ascontiguousarray(y), p, 3 if by_state and n_by else 2)
        by = found[2] if len(found) > 2 else np.empty((t.size, 0))
        return found[0], found[1].reshape(t.size, n_rows, m), by.reshape(t.size, n_rows, n_by if len(found) > 2 else 0)


class Initial:
    """The initial values y0(p) of all states and their derivatives by the active parameters."""

    def __init__(self, model: Model, active: Sequence[int] = ()):
        self._n, self._m, self._t0 = len(model.states), len(active), np.array([model.t0])
        initial = model.derivation.initial
        self._tape = _tape(model, [(initial, i) for i in range(self._n)], active, [])

    def __call__(self, p: Array) -> tuple[Array, Array]:
        """y0 (n_states,) and y0_p (n_states, n_active)."""
        y0, y0_p = self._tape.evaluate(self._t0, np.zeros((1, self._n)), p, 2)
        return y0[0], y0_p[0].reshape(self._n, self._m)


def _tape(model: Model, rows: Sequence[tuple[Equations, int]], active: Sequence[int], by: Sequence[int]) -> Tape:
    """Values, derivatives by parameters, derivatives by states; structural zeros are results like any others."""
    source = model.derivation.graph
    # A copy, because the graph of a derivation belongs to everybody.
    graph = source.copied()
    zero = graph.constant(0.0)
    sections = [
        [equations.values[i] for equations, i in rows],
        [equations.by_parameter.get((i, j), zero) for equations, i in rows for j in active],
        [equations.by_state.get((i, j), zero) for equations, i in rows for j in by],
    ]
    return lower(graph, sections, [(curve.breaks, curve.coefs) for _, curve in model.tables])


@np.errstate(all="ignore")
def status_of(times: Array, names: Sequence[str], residuals: Array, jac: Array) -> Status:
    """Whether residuals (n_times, n_names) and derivatives (n_times, n_names, m) are finite, or where they are not."""
    for array, reason in ((residuals, Reason.NOT_FINITE), (jac, Reason.NOT_SMOOTH)):
        if np.isfinite(array.sum()):  # a sum of finite numbers is finite, but for an overflow
            continue
        bad = ~np.isfinite(array.reshape(*residuals.shape, -1)).all(axis=2)
        if not bad.any():
            continue
        at, which = np.unravel_index(int(bad.argmax()), bad.shape)
        return Status(reason, float(times[at]), names[int(which)])
    return Status()
