"""Curves through the data, guesses on what was not observed, and parameters that follow them: the way to a start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from parfit.api.fit import Fit
from parfit.api.work import ABOVE_0, TELL, Tell, Working, changed
from parfit.arguments import FLAG, MAPPING, NUMBERS, checked, optional, whole, word
from parfit.errors import NumericalError
from parfit.estimation.curves import guessing
from parfit.estimation.strategies import curve_fit, guess, rounds, smooth
from parfit.estimation.strategies.curve_fit import DERIVATIVE, INTEGRAL
from parfit.estimation.strategies.search import along_curves
from parfit.model.curves import MULTIPLICITY
from parfit.model.naming import place_of, vector


class Curves(Working):
    """What works along curves."""

    @checked(joints=optional(MAPPING), kind=word(MULTIPLICITY))
    def smooth(self, joints: Mapping[str, Sequence[float]] | None = None, *, kind: str = "spline") -> Self:
        """With curves through the observations of every variable: least-squares cubics, `kind` "spline" or "hermite".

        `joints` gives the times at which one cubic passes into the next; for what it leaves out they are chosen by
        cross-validation. A variable with values at too few times for a curve has none.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth({"y1": [3, 6, 9]})
        >>> sorted(problem.curves), problem.environment.smoothing.joints["y1"].tolist()
        (['y1', 'y2'], [3.0, 6.0, 9.0])
        """
        env = self.environment
        env.require("observations")
        assert env.observations is not None
        names, given = env.observations.names, {}
        for name, each in (joints or {}).items():
            variable = names[place_of(name, names, "observed variable")]
            given[variable] = NUMBERS(f"what joints has for {variable}", each)
        return self._with(smooth.smooth(env, smooth.Request(kind, given)).env)

    def guess(self, name: str, times: ArrayLike, values: ArrayLike) -> Self:
        """With a curve guessed for a state that was not observed, through a few points.

        The first and the last time of the problem must be among them.

        >>> problem = parfit.load("models/tour.ode", {"t": [1, 2, 3, 4, 5], "y1": [18, 20, 21, 20, 19]})
        >>> sorted(problem.smooth().guess("y2", [0, 2.5, 5], [5, 12, 17]).curves)
        ['y1', 'y2']
        """
        env = self.environment
        state = env.model.states[place_of(name, env.model.states, "state")]
        t = [guessing.snapped(each, env.samples.times) for each in NUMBERS("times", times)]
        guessing.require_ends(t, env.samples.times)
        return self._with(guess.guess(env, guess.Request(state, t, vector(values, len(t), "the values"))).env)

    @checked(guessed=FLAG, n_rounds=whole(0), by_integration=FLAG, fixed=FLAG, tol=ABOVE_0, progress=TELL)
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

    @checked(guessed=FLAG, n_rounds=whole(0), fixed=FLAG, tol=ABOVE_0, progress=TELL)
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
