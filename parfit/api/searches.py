"""Searches along solutions of the equations: each gives a `Fit`, and leaves the problem as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from parfit.api.fit import Fit
from parfit.api.work import Tell, Working, changed
from parfit.errors import NumericalError, ParfitError
from parfit.estimation.strategies import contin, seq, shoot

GAMMAS = (0.2, 0.4, 0.6, 0.8, 1.0)


class Searches(Working):
    """What finds parameters."""

    def shoot(
        self, breaks: Sequence[float] | None = None, *, progress: Tell | None = None, **settings: Any
    ) -> Fit[Self]:
        """Fit by multiple shooting, which helps where a fit cannot start or goes astray.

        `breaks` are observation times at which the solution may begin anew, by default where it leaves the data.
        `settings` are those of Marquardt's method: `lam`, `rtol`, `atol`, `max_iterations` ...

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth().ifit().problem
        >>> problem.shoot().is_minimum
        True
        """
        env = self.environment
        search = changed(shoot.usual(env), settings)
        request = shoot.Request(None if breaks is None else tuple(map(float, breaks)), search)
        result = self._watched(lambda watch: shoot.shoot(env, request, watch), progress)
        if result.failed:
            raise NumericalError("not even the problem with break points can be integrated from these values")
        return self._fit(result, "multiple shooting")

    def contin(
        self,
        gammas: Sequence[float] | None = None,
        *,
        breaks: Sequence[float] = (),
        stop: bool = False,
        progress: Tell | None = None,
        **settings: Any,
    ) -> Fit[Self]:
        """Fit by continuation from smoothed curves (gamma 0) to the full problem (gamma 1), where that is too hard.

        `breaks` are times of the problem at which the solution begins anew. `stop` ends it as soon as the full problem
        can be integrated. `settings` are `alpha`, `weights`, `lam`, `rtol`, `atol`.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth()
        >>> round(problem.contin([0.2, 0.6, 1]).values["p1"], 2)
        0.49
        """
        env = self.environment
        env.require("parameters", "observations", "smoothing")
        old = contin.remembered(env)
        chosen = changed(contin.with_breaks(old, self._times(breaks)), settings)
        usual = GAMMAS if set(env.model.states) <= set(env.curves()) else (1.0,)
        request = contin.Request(tuple(usual if gammas is None else map(float, gammas)), chosen, stop)
        if not request.gammas or (np.diff(request.gammas) <= 0).any():
            raise ParfitError("the values of gamma must increase, as in 0.2, 0.5, 1")
        result = self._watched(lambda watch: contin.contin(env, request, watch), progress)
        if not result.reached:
            assert result.failure is not None
            raise NumericalError(
                f"nothing could be fitted with gamma = {result.failure.gamma:g}: {result.failure.status}"
            )
        return self._fit(result, "continuation")

    def seq(
        self,
        first: int | None = None,
        size: int = seq.SIZE,
        *,
        ends: Sequence[float] = (),
        progress: Tell | None = None,
        **settings: Any,
    ) -> Fit[Self]:
        """Improve the parameters batch by batch, in order of time.

        Batches are `first` observation times and then `size` more each, or end at the times `ends`. `settings` are
        those of Marquardt's method.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth().ifit().problem
        >>> len(problem.seq(10, 15).result.estimates)
        2
        """
        env = self.environment
        request = seq.Request(first, size, tuple(map(float, ends)), changed(seq.usual(env), settings))
        result = self._watched(lambda watch: seq.seq(env, request, watch), progress)
        if not result.estimates:
            assert result.failure is not None
            raise NumericalError(f"the first batch cannot be integrated: {result.failure.status}")
        return self._fit(result, "sequential reestimation")

    def _times(self, times: Sequence[float]) -> list[float]:
        """Times within those at which the problem is integrated, in their order."""
        inside = self.times[1:-1].tolist()
        for t in times:
            if float(t) not in inside:
                raise ParfitError(f"{t:g} is not one of the problem's times, between the first and the last")
        return sorted(map(float, times))
