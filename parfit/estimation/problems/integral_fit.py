"""Integral fitting (IFIT; thesis, section 3.3): integrals of the equations along smoothed data against the data.

No slopes of noisy data are needed, and parameters of the initial conditions count. Residuals stand by time and then
by variable, states before aux quantities; a curve weighs like the observations that it goes through.
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
from parfit.model.curves import Curve
from parfit.model.model import Model
from parfit.model.variables import split
from parfit.simulation.first_states import first_state
from parfit.simulation.method import Method
from parfit.simulation.pointwise import Pointwise
from parfit.simulation.simulator import Simulator
from parfit.simulation.status import Status
from parfit.simulation.trajectory import Step


class IntegralFit(AlongCurves):
    """IFIT 1: u' = g(t, s(t), p), u(t0) = y0(p) against the curves s at all sample times (3.3.1).

    In place of a curve that a state does not have its equation sees u itself, which those of the others drive. An aux
    quantity with a curve is compared with h(t, u, p).
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
        states, aux = split(model, curves)
        _require_smoothed(model, states)
        names, at = (*states, *aux), sample_times(times)
        super().__init__(parameters, at, names, values_at(curves, names, at), weights)
        variables = (*model.states, *(name for name, _ in model.aux))
        self._columns = [variables.index(name) for name in names]
        self._has_aux = bool(aux)
        self._simulator = Simulator(model, self.times, method, parameters.active, scale, held(model, curves))

    def steps(self, active: Array, every: int) -> list[Step]:
        """The steps of the integration along the curves, one in `every`."""
        return self._simulator.steps(self.parameters.expand(active), every)

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian from one integration; a failure of it is the result's status."""
        run = self._simulator(self.parameters.expand(active), sensitivities=True)
        assert run.s is not None
        u, s = run.y, run.s
        if self._has_aux:
            assert run.aux_s is not None
            u, s = np.concatenate((u, run.aux), axis=1), np.concatenate((s, run.aux_s), axis=1)
        found = self._compared(active, u[:, self._columns], s[:, self._columns])
        return found if run.status else Evaluation(found.residuals, found.jac, run.status)


class QuadratureFit(AlongCurves):
    """IFIT 2 (IFIT_CRE): integrals by the trapezoidal rule over the sample times, all states smoothed or guessed.

    The residuals begin with the second sample time. `guessed` gives values at the sample times.
    """

    def __init__(
        self,
        model: Model,
        parameters: ParameterMap,
        times: ArrayLike,
        curves: Mapping[str, Curve],
        guessed: Mapping[str, ArrayLike] | None = None,
        weights: Weights | None = None,
    ):
        at = sample_times(times, model.t0)
        _, aux, _, self._y = given_values(model, at, curves, guessed or {})
        expected = np.concatenate((self._y[1:], values_at(curves, aux, at[1:])), axis=1)
        super().__init__(parameters, at, (*model.states, *aux), expected, weights)
        self._initial = first_state(model, parameters.active)
        self._rows = Pointwise(model, model.states, parameters.active)
        self._aux = Pointwise(model, aux, parameters.active, model.states) if aux else None
        self._half = 0.5 * np.diff(self.times)

    @np.errstate(all="ignore")
    def evaluate(self, active: Array) -> Evaluation:
        """Residuals and Jacobian."""
        p = self.parameters.expand(active)
        g, g_p, _ = self._rows(self.times, self._y, p)
        y0, y0_p = self._initial(p)
        u, s = self._integral(g, y0), self._integral(g_p, y0_p)
        if self._aux is not None:
            h, h_p, h_y = self._aux(self.times[1:], u, p, by_state=True)
            u, s = np.concatenate((u, h), axis=1), np.concatenate((s, h_y @ s + h_p), axis=1)
        return self._compared(active, u, s)

    def _integral(self, rates: Array, start: Array) -> Array:
        """start + the integral up to the second and later times, by the trapezoidal rule along the first axis."""
        area = rates[:-1] + rates[1:]
        area *= self._half.reshape(-1, *(1,) * (rates.ndim - 1))
        area[0] += start
        return np.cumsum(area, axis=0, out=area)


def integrated_guess(
    model: Model, p: ArrayLike, times: ArrayLike, curves: Mapping[str, Curve]
) -> tuple[dict[str, Array], Status]:
    """New guesses for IFIT 3 (IFITI): the states without a curve integrated, the others held at theirs.

    By the trapezoidal rule over the sample times from y0(p), whatever the environment's method, as in 1977. Gives
    values at the sample times by name; where the status is false they are not to be used.
    """
    at = sample_times(times)
    run = Simulator(model, at, Method("trapezoid"), (), None, held(model, curves))(np.asarray(p, dtype=float))
    found = {name: run.y[:, k].copy() for k, name in enumerate(model.states) if name not in curves}
    return found, run.status


def _require_smoothed(model: Model, states: tuple[str, ...]) -> None:
    if not states:
        raise ParfitError(
            f"{', '.join(model.states)}: not observed; integrals go along smoothed data of one state at least",
            "FIT does without",
        )
