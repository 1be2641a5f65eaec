"""The errors that new observations would have, at any time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from parfit.arrays import Array
from parfit.errors import StateError
from parfit.estimation import quantiles
from parfit.estimation.noise import Form
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.resampling import Kind, Resampler, are_known, n_free, resampler
from parfit.model.naming import base_of
from parfit.simulation.trajectory import Trajectory


class ErrorSizes:
    """By what an observation lies beyond a limit of its curve, with a probability in per cent.

    With a solution that is `fine`, whose times are those wanted, errors follow what they are made of beyond the
    observations, too.
    """

    def __init__(self, problem: TrajectoryFit, at: Evaluation, percentile: float, fine: Trajectory | None = None):
        self._data, self._noise, self._at, self._fine = problem.observations, problem.noise, at.trajectory, fine
        known, left = are_known(problem), n_free(problem, at)
        if not known and left <= 0:
            raise StateError("no degrees of freedom are left for estimating the error of the observations")
        part = 0.5 + percentile / 200.0
        self._times = quantiles.normal(part) if known else quantiles.student(part, left)
        self._times_of_laplace = -math.log1p(-percentile / 100.0)  # scales within which such a part of errors is
        self._like: Resampler = resampler(problem, at, Kind.PARAMETRIC, 0)

    @np.errstate(all="ignore")
    def beyond(self, name: str, times: Array, curve: Array, limit: Array, sign: float) -> Array:
        """The lower (sign -1) or upper (1) limit of a curve with the errors of observations, (n_times,)."""
        reach, is_log = self._reach(name, times, curve)
        if is_log:
            found: Array = curve * np.exp(sign * np.hypot(np.log(limit / curve), reach))
        else:
            found = curve + sign * np.hypot(limit - curve, reach)
        return np.where(np.isfinite(limit), found, limit)

    def _reach(self, name: str, times: Array, curve: Array) -> tuple[Array, bool]:
        """Of errors at times, as they are at the observations next to them; relative ones follow the curve.

        What was not observed in one experiment has the errors that it has in the others. Whether they are those of
        logarithms is told, too.
        """
        rows, columns = np.nonzero(self._data.observed)
        counts = self._like.sds > 0.0
        own = counts & np.array([self._data.names[j] == name for j in columns])
        if not own.any():
            own = counts & np.array([base_of(self._data.names[j]) == base_of(name) for j in columns])
        if not own.any():
            raise StateError(
                f"{name} was not observed, so that nothing is known of its errors", "BAND alone shows the curve"
            )
        order = np.flatnonzero(own)[np.argsort(self._data.times[rows[own]], kind="stable")]
        name = self._data.names[columns[order[0]]]
        at, sizes, scale = self._data.times[rows[order]], self._like.sds[order], np.ones_like(curve)
        for there, here in self._followed(name, at, (self._like.computed[order], curve)):
            sizes, scale = sizes / np.abs(there), scale * np.abs(here)
        far = self._times_of_laplace if self._like.is_laplace[own].all() else self._times
        return far * np.interp(times, at, sizes) * scale, bool(self._like.is_log[own].all())

    def _followed(self, name: str, at: Array, variable: tuple[Array, Array]) -> Iterator[tuple[Array, Array]]:
        """What the errors go with, at observations and at the times that are wanted."""
        model = self._noise.models.get(name)
        if model is not None and model.form is Form.RELATIVE:
            yield variable
        if model is None or not model.quantity or self._fine is None or self._at is None:
            return
        if model.quantity not in self._fine.model.parameters:
            there = self._at.column(model.quantity)[np.searchsorted(self._at.times, at)]
            yield there, self._fine.column(model.quantity)
