"""Derivative fitting (DFIT; thesis, section 3.2): the equations at smoothed data against the slopes of the smoothing.

Residuals stand by time and then by variable, states before aux quantities. In 1977 nothing was weighted (Appendix A,
DFIT); here a curve weighs like the observations that it goes through.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array
from parfit.errors import ParfitError
from parfit.estimation.curves.sampled import Weights, given_values, sample_times, values_at
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.along_curves import AlongCurves, held
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.calculus.structure import Structure
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.variables import split
from parfit.simulation.method import Method
from parfit.simulation.pointwise import Pointwise
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Step


class DerivativeFit(AlongCurves):
    """DFIT 1 and 2: g_i(t, y, p) - s_i'(t) of every variable with a curve, at all sample times (3.2.2).

    With the smoothed curves alone it is option 1: states without a curve come from integrating their equations, the
    others held at their curves (section 3.2), with sensitivities, so that the Jacobian is exact; in 1977 it was g_p
    alone. With curves for all states, smoothed or guessed, nothing is integrated: option 2.
    """

    def __init__(
        self,
        model: Model,
        parameters: ParameterMap,
        times: ArrayLike,
        curves: Mapping[str, Curve],
        method: Method | None = None,
        scale: ArrayLike | None = None,
        weights: Weights | None = None,
    ):
        self.states, self.aux = split(model, curves)
        names, at = (*self.states, *self.aux), sample_times(times)
        if not names:
            raise ParfitError("derivative fitting needs a smoothed variable", "SMOOTH makes one")
        super().__init__(parameters, at, names, values_at(curves, names, at, derivative=1), weights)
        extended, rows = _rows(model, self.states, self.aux)
        reached = Structure(extended).reached(rows, self.states)
        integrated = [name for name in model.states if name in reached]
        self._place = np.array([model.states.index(name) for name in integrated], dtype=np.intp)
        self._rows = Pointwise(extended, rows, parameters.active, integrated)
        self._y = np.zeros((self.times.size, len(model.states)))
        self._y[:, [model.states.index(name) for name in self.states]] = values_at(curves, self.states, self.times)
        self._simulator: Simulator | None = None
        if integrated:
            blended = held(model, curves)
            self._simulator = Simulator(model, self.times, method, parameters.active, scale, blended)

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian; a failed integration of the unobserved states is the result's status."""
        p = self.parameters.expand(active)
        y, s, status = self._integrated(p)
        if not status:
            n, m = self._expected.size, len(self.parameters.active)
            return Evaluation(np.full(n, np.nan), np.full((n, m), np.nan), status)
        g, g_p, g_y = self._rows(self.times, y, p, by_state=s is not None)
        if s is not None:
            g_p += g_y @ s  # (n_times, n_rows, n_active)
        return self._compared(active, g, g_p)

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration of what was not observed, one in `every`."""
        return [] if self._simulator is None else self._simulator.steps(self.parameters.expand(active), every)

    def _integrated(self, p: Array) -> tuple[Array, Array | None, Status]:
        """All states at the sample times, and the sensitivities of those that had to be integrated."""
        if self._simulator is None:
            return self._y, None, Status()
        run = self._simulator(p, sensitivities=True)
        assert run.s is not None
        y = self._y.copy()
        y[:, self._place] = run.y[:, self._place]
        return y, run.s[:, self._place], run.status


class DefectFit(AlongCurves):
    """The parameters' part of DFIT 3 (DFITITER): (3.4.1) at fixed guesses, from the second sample time on.

    Smoothed variables have the residuals of derivative fitting, guessed states the defects of the trapezoidal rule
    (3.4.2). `guessed` gives values at the sample times.
    """

    def __init__(
        self,
        model: Model,
        parameters: ParameterMap,
        times: ArrayLike,
        curves: Mapping[str, Curve],
        guessed: Mapping[str, ArrayLike],
        weights: Weights | None = None,
    ):
        at = sample_times(times)
        smoothed, aux, guesses, self._y = given_values(model, at, curves, guessed)
        names = (*model.states, *aux)
        self._rows = Pointwise(*_rows(model, model.states, aux), parameters.active)
        self._defects = [k for k, name in enumerate(names) if name in guesses]
        known = [k for k, name in enumerate(names) if name not in guesses]
        slopes = np.empty((at.size - 1, len(names)))
        slopes[:, known] = values_at(curves, (*smoothed, *aux), at[1:], derivative=1)
        slopes[:, self._defects] = np.diff(self._y[:, self._defects], axis=0) / np.diff(at)[:, np.newaxis]
        super().__init__(parameters, at, names, slopes, weights)

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian."""
        g, g_p, _ = self._rows(self.times, self._y, self.parameters.expand(active))
        for array in (g, g_p):
            for k in self._defects:  # where the state is guessed, the mean over the step
                array[1:, k] = 0.5 * (array[:-1, k] + array[1:, k])
        return self._compared(active, g[1:], g_p[1:])


def _rows(model: Model, states: tuple[str, ...], aux: tuple[str, ...]) -> tuple[Model, tuple[str, ...]]:
    """Equations of states and rates of aux quantities, and the model that has these."""
    return with_rates(model, aux), (*states, *map(rate_name, aux))
