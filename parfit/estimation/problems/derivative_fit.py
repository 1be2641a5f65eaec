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
from parfit.estimation.curves.sampled import Weights, given_values, sample_times, values_at, weights_at
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problem import Evaluation
from parfit.estimation.spread import spread
from parfit.model.calculus.rates import rate_name, with_rates
from parfit.model.calculus.structure import Structure
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.variables import split
from parfit.simulation.blending import Blended
from parfit.simulation.method import Method
from parfit.simulation.pointwise import Pointwise, status_of
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Step


class DerivativeFit:
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
        self.parameters, self.times = parameters, sample_times(times)
        self.states, self.aux = split(model, curves)
        self.names = (*self.states, *self.aux)
        if not self.names:
            raise ParfitError("derivative fitting needs a smoothed variable", "SMOOTH makes one")
        self._slopes = values_at(curves, self.names, self.times, derivative=1)
        self._weights = weights_at(weights, self.names, self.times)
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
            n, m = self._slopes.size, len(self.parameters.active)
            return Evaluation(np.full(n, np.nan), np.full((n, m), np.nan), status)
        g, g_p, g_y = self._rows(self.times, y, p, by_state=s is not None)
        if s is not None:
            g_p += g_y @ s  # (n_times, n_rows, n_active)
        slopes = self.parameters.slopes(active)
        return evaluation(self.times, self.names, g - self._slopes, g_p, slopes, self._weights)

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration of what was not observed, one in `every`."""
        return [] if self._simulator is None else self._simulator.steps(self.parameters.expand(active), every)

    @property
    def spread(self) -> float:
        """That of the slopes, a weighted sum of squares."""
        return spread(self._slopes, self._weights)

    def _integrated(self, p: Array) -> tuple[Array, Array | None, Status]:
        """All states at the sample times, and the sensitivities of those that had to be integrated."""
        if self._simulator is None:
            return self._y, None, Status()
        run = self._simulator(p, sensitivities=True)
        assert run.s is not None
        y = self._y.copy()
        y[:, self._place] = run.y[:, self._place]
        return y, run.s[:, self._place], run.status


class DefectFit:
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
        self.parameters, self.times = parameters, sample_times(times)
        smoothed, aux, guesses, self._y = given_values(model, self.times, curves, guessed)
        self.names = (*model.states, *aux)
        self._rows = Pointwise(*_rows(model, model.states, aux), parameters.active)
        self._defects = [k for k, name in enumerate(self.names) if name in guesses]
        self._weights = weights_at(weights, self.names, self.times)[1:]
        self._slopes = np.empty((self.times.size - 1, len(self.names)))
        known = [k for k, name in enumerate(self.names) if name not in guesses]
        self._slopes[:, known] = values_at(curves, (*smoothed, *aux), self.times[1:], derivative=1)
        steps = np.diff(self.times)[:, np.newaxis]
        self._slopes[:, self._defects] = np.diff(self._y[:, self._defects], axis=0) / steps

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian."""
        g, g_p, _ = self._rows(self.times, self._y, self.parameters.expand(active))
        for array in (g, g_p):
            for k in self._defects:  # where the state is guessed, the mean over the step
                array[1:, k] = 0.5 * (array[:-1, k] + array[1:, k])
        slopes = self.parameters.slopes(active)
        return evaluation(self.times[1:], self.names, g[1:] - self._slopes, g_p[1:], slopes, self._weights)

    @property
    def spread(self) -> float:
        """That of the slopes, a weighted sum of squares."""
        return spread(self._slopes, self._weights)


def held(model: Model, curves: Mapping[str, Curve]) -> Blended:
    """States with a curve are held at it, the others follow their equations (section 3.2)."""
    gamma = np.array([0.0 if name in curves else 1.0 for name in model.states])
    return Blended(gamma, [curves.get(name) for name in model.states])


def evaluation(
    times: Array, names: tuple[str, ...], residuals: Array, jac: Array, slopes: Array, weights: Array
) -> Evaluation:
    """From residuals (n_times, n_names), derivatives by unscaled parameters (..., n_active), and what they weigh."""
    status = status_of(times, names, residuals, jac)
    residuals, jac = residuals * weights, jac * weights[:, :, np.newaxis]
    if (slopes != 1.0).any():
        jac = jac * slopes
    return Evaluation(residuals.ravel(), jac.reshape(residuals.size, slopes.size), status)


def _rows(model: Model, states: tuple[str, ...], aux: tuple[str, ...]) -> tuple[Model, tuple[str, ...]]:
    """Equations of states and rates of aux quantities, and the model that has these."""
    return with_rates(model, aux), (*states, *map(rate_name, aux))
