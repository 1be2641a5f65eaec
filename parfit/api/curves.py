"""Curves through the data, guesses on what was not observed, and parameters that follow them: the way to a start."""

from __future__ import annotations

from typing import Any, Self

from parfit.api.fit import Fit
from parfit.api.work import Tell, Working, changed
from parfit.errors import NumericalError
from parfit.estimation.strategies import curve_fit, rounds
from parfit.estimation.strategies.curve_fit import DERIVATIVE, INTEGRAL
from parfit.estimation.strategies.search import along_curves


class Curves(Working):
    """What works along curves."""

    def ifit(
        self,
        *,
        guessed: bool = False,
        n_rounds: int = 0,
        by_integration: bool = False,
        fixed: bool = True,
        tol: float = rounds.TOLERANCE,
        progress: Tell | None = None,
        **settings: Any,
    ) -> Fit[Self]:
        """Fit integrals of the equations along the smoothed observations: coarse, and a start for `fit`.

        States that were not observed take part with their guesses if `guessed`. With `n_rounds` the guesses are
        improved, too, so many times: by integrating their equations or, which is stable, by a sparse Gauss-Newton
        method up to a change of `tol`, their first values `fixed` or not. `settings` are those of Marquardt's method;
        without any, a problem that is linear in the parameters is solved at once.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth()
        >>> round(problem.ifit().values["p1"], 4)
        0.4845
        """
        if n_rounds:
            return self._iterated(INTEGRAL, n_rounds, by_integration, fixed, tol, progress, settings)
        return self._along(INTEGRAL, guessed, progress, settings)

    def dfit(
        self,
        *,
        guessed: bool = False,
        n_rounds: int = 0,
        fixed: bool = True,
        tol: float = rounds.TOLERANCE,
        progress: Tell | None = None,
        **settings: Any,
    ) -> Fit[Self]:
        """Fit the slopes of the smoothed observations, without any integration; see `ifit`, which suffers less noise.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth()
        >>> round(problem.dfit().values["p4"], 1)
        0.6
        """
        if n_rounds:
            return self._iterated(DERIVATIVE, n_rounds, False, fixed, tol, progress, settings)
        return self._along(DERIVATIVE, guessed, progress, settings)

    def _along(self, kind: str, guessed: bool, progress: Tell | None, settings: dict[str, Any]) -> Fit[Self]:
        env = self.environment
        env.require("parameters", "observations", "smoothing")
        request = curve_fit.Request(kind, guessed, self._how(settings))
        result = self._watched(lambda watch: curve_fit.curve_fit(env, request, watch), progress)
        if result.estimate.failure is not None:
            raise NumericalError(f"the problem cannot be computed at the starting values: {result.estimate.failure}")
        return self._fit(result, f"{kind} fit")

    def _iterated(
        self,
        kind: str,
        n_rounds: int,
        by_integration: bool,
        fixed: bool,
        tol: float,
        progress: Tell | None,
        settings: dict[str, Any],
    ) -> Fit[Self]:
        env = self.environment
        env.require("parameters", "observations", "smoothing")
        request = rounds.Request(kind, by_integration, fixed, tol, n_rounds, self._how(settings))
        result = self._watched(lambda watch: rounds.iterate(env, request, watch), progress)
        if result.rounds.failed:
            raise NumericalError("a round could not be finished: the equations cannot be computed along the guesses")
        return self._fit(result, f"iterated {kind} fit")

    def _how(self, settings: dict[str, Any]) -> Any:
        return changed(along_curves(self.environment), settings) if settings else None
