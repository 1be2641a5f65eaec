"""The errors that new observations would have, at any time."""

from __future__ import annotations

import numpy as np

from parfit.arrays import Array
from parfit.errors import StateError
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.resampling import Kind, Resampler, are_known, n_free, resampler
from parfit.model.naming import base_of


class ErrorSizes:
    """By what an observation lies beyond a limit of its curve, with a probability in per cent."""

    def __init__(self, problem: TrajectoryFit, at: Evaluation, percentile: float):
        self._data, self._noise = problem.observations, problem.noise
        known, left = are_known(problem), n_free(problem, at)
        if not known and left <= 0:
            raise StateError("no degrees of freedom are left for estimating the error of the observations")
        from scipy.stats import norm, t  # late, because they take long to import

        part = 0.5 + percentile / 200.0
        self._times = float(norm.ppf(part) if known else t.ppf(part, left))
        self._like: Resampler = resampler(problem, at, Kind.PARAMETRIC, 0)

    @np.errstate(all="ignore")
    def beyond(self, name: str, times: Array, curve: Array, limit: Array, sign: float) -> Array:
        """The lower (sign -1) or upper (1) limit of a curve with the errors of observations, (n_times,)."""
        sizes, is_log = self._sizes(name, times, curve)
        if is_log:
            found: Array = curve * np.exp(sign * np.hypot(np.log(limit / curve), self._times * sizes))
        else:
            found = curve + sign * np.hypot(limit - curve, self._times * sizes)
        return np.where(np.isfinite(limit), found, limit)

    def _sizes(self, name: str, times: Array, curve: Array) -> tuple[Array, bool]:
        """Of errors at times, as they are at the observations next to them; relative ones follow the curve.

        What was not observed in one experiment has the errors that it has in the others.
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
        at, sizes, computed = self._data.times[rows[order]], self._like.sds[order], self._like.computed[order]
        model = self._noise.models.get(name)
        if model is not None and model.form.name == "RELATIVE":
            return np.interp(times, at, sizes / np.abs(computed)) * np.abs(curve), False
        return np.interp(times, at, sizes), bool(self._like.is_log[own].all())
