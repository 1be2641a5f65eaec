"""Where models begin: at their initial values, where they come to rest, or at the steady state of doses."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from parfit.arrays import Array
from parfit.model.model import Model
from parfit.simulation.method import Method
from parfit.simulation.periodic import Periodic
from parfit.simulation.pointwise import Initial
from parfit.simulation.rest import RESTS, Found, Resting
from parfit.simulation.sharing import Once, kind_of
from parfit.simulation.status import Reason

N_COUNTS = 6  # of the work of an integration


class Beginning:
    """Where a model begins that comes to rest before, with derivatives by `active` parameters (subscripts from 0)."""

    def __init__(self, model: Model, active: Sequence[int], method: Method | None = None):
        assert model.rest is not None
        inner, own, regimen, how = model.rest.model, model.rest.own, model.rest.regimen, method or Method()
        self._places = [model.parameters.index(name) for name in inner.parameters]
        by = [k for k, place in enumerate(self._places) if place in active]
        self._columns = [list(active).index(self._places[k]) for k in by]
        rested = [(i, model.states.index(name)) for i, name in enumerate(inner.states) if name not in own]
        self._inside, self._states = [i for i, _ in rested], [j for _, j in rested]
        self._all = [model.states.index(name) for name in inner.states]
        self._initial = Initial(model, active)
        self._resting: Callable[[Array, bool], Found] = (
            Resting(inner, by, how) if regimen is None else Periodic(inner, by, how, regimen)
        )
        self._rest = model.rest

    def share(self, known: dict[Hashable, Once[Found]], places: Sequence[int]) -> None:
        """Come to rest together with experiments that do so alike; `places` of the parameters are those among all."""
        alike = kind_of(self._rest, [places[k] for k in self._places])
        if alike is not None:
            self._resting = known.setdefault(alike, Once(self._resting))

    def __call__(self, p: Array) -> tuple[Array, Array]:
        """y0 (n_states,) and y0_p (n_states, n_active), as `Initial` gives them; NaN where there is no rest."""
        y, s, _ = self.found(p, True)
        assert s is not None
        return y, s

    def found(self, p: Array, sensitivities: bool) -> Found:
        """The same, and how it ended."""
        y, s = self._initial(p)
        rest = self._resting(p[self._places], sensitivities)
        y[self._states] = rest.y[self._inside]
        if sensitivities:
            s[self._states] = 0.0 if rest.s is not None else np.nan
            if rest.s is not None:
                s[np.ix_(self._states, self._columns)] = rest.s[self._inside]
        reason, rate, state = rest.end
        return Found(y, s if sensitivities else None, (reason, rate, self._all[state] if state >= 0 else state))


class Beginnings:
    """Where the experiments of a model begin, some of which come to rest before."""

    def __init__(self, model: Model, active: Sequence[int], method: Method | None = None):
        self._shape, self._parts, first = (len(model.states), len(active)), [], 0
        known: dict[Hashable, Once[Found]] = {}
        for part in model.parts:
            by = [k for k, place in enumerate(part.places) if place in active]
            columns = [list(active).index(part.places[k]) for k in by]
            one = first_state(part.model, by, method)
            if isinstance(one, Beginning):
                one.share(known, part.places)
            self._parts.append((list(part.places), columns, slice(first, first + len(part.model.states)), one))
            first += len(part.model.states)

    def __call__(self, p: Array) -> tuple[Array, Array]:
        """y0 (n_states,) and y0_p (n_states, n_active)."""
        y, s = np.zeros(self._shape[0]), np.zeros(self._shape)
        for places, columns, states, one in self._parts:
            y[states], own = one(p[places])
            s[states, columns] = own
        return y, s

    def found(self, p: Array, sensitivities: bool) -> Found:
        """The same, and how it ended."""
        y, s = self(p)
        bad = np.flatnonzero(np.isnan(y))
        return Found(y, s if sensitivities else None, (Reason.NO_REST, math.nan, int(bad[0])) if bad.size else RESTS)


def first_state(
    model: Model, active: Sequence[int] = (), method: Method | None = None
) -> Callable[[Array], tuple[Array, Array]]:
    """What gives the states with which a model begins, and their derivatives, at all parameters (n_params,)."""
    return Initial(model, active) if model.rest is None else beginning_of(model, active, method)


def beginning_of(model: Model, active: Sequence[int], method: Method | None = None) -> Beginning | Beginnings:
    """The same of a model that comes to rest before, or some experiments of which do."""
    return Beginnings(model, active, method) if model.parts else Beginning(model, active, method)


def from_rest(
    beginning: Beginning | Beginnings,
    integrator: Callable[..., Any],
    shape: tuple[int, int, int],
    p: Array,
    sensitivities: bool,
    y_start: Array | None = None,
    s_start: Array | None = None,
    **options: Any,
) -> Any:
    """Integrate from where the equations come to rest, unless other states are given; `shape` is that of s."""
    if y_start is None:
        y_start, s_start, end = beginning.found(np.asarray(p, dtype=float), sensitivities)
        if end[0] != Reason.OK:
            s = np.full(shape, np.nan) if sensitivities else None
            return np.full(shape[:2], np.nan), s, (*end, (0,) * N_COUNTS, math.nan)
    return integrator(p, sensitivities, y_start, s_start, **options)
