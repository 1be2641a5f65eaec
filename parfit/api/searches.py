"""Searches along solutions of the equations: each gives a `Fit`, and leaves the problem as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from parfit.advice.beginning import to_free
from parfit.api.bootstrap import Bootstrapped
from parfit.api.fit import Fit
from parfit.api.profile import Profiles
from parfit.api.work import TELL, Tell, Working, changed
from parfit.arguments import FLAG, FUNCTION, NUMBERS, TEXT, checked, number, optional, whole, word
from parfit.errors import NumericalError, ParfitError
from parfit.estimation.optimizers import bounded
from parfit.estimation.optimizers.optimizer import Optimizer
from parfit.estimation.resampling import Kind
from parfit.estimation.strategies import contin, fit, scan, search, seq, shoot
from parfit.estimation.strategies.initial import freed
from parfit.estimation.strategies.reliability import boot, profile, wanted
from parfit.estimation.strategies.starting import auto, start
from parfit.model.naming import place_of
from parfit.session.environment import Environment
from parfit.text.observations import free

GAMMAS = (0.2, 0.4, 0.6, 0.8, 1.0)
METHODS: dict[str, Callable[[Environment], Optimizer]] = {
    "more": lambda env: bounded.Settings(),
    "marquardt": search.usual,
}


def _nobody(part: float) -> None:
    """Who is told how much is done, unless somebody wants to know."""


class Searches(Working):
    """What finds parameters."""

    @checked(method=word(METHODS), progress=TELL)
    def fit(self, method: str = "more", *, progress: Tell | None = None, **settings: Any) -> Fit[Self]:
        """Fit the active parameters to the observations, from their present values.

        `method` is "more" (More's method, with bounds and robust losses; `settings` are
        `tol`, `max_evaluations`, `loss`, `loss_scale`) or "marquardt" (the method of 1977: `lam`, `rtol`, `atol`,
        `max_iterations` ...). `progress` is called with a `Progress` now and then.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit()
        >>> fit.verdict, fit.problem.values == fit.values
        ('minimum', True)
        """
        env = self.environment
        request = fit.Request(changed(METHODS[method](env), settings))
        return self._fit(self._watched(lambda watch: fit.fit(env, request, watch), progress), "fit")

    @checked(seconds=number(0.0, above=True), seed=whole(0), progress=optional(FUNCTION))
    def auto(
        self,
        seconds: float = auto.BUDGET,
        *,
        seed: int = 0,
        progress: Callable[[float, float], None] | None = None,
    ) -> Fit[Self]:
        """Find the parameters by itself, whatever they begin with.

        It fits from the present values, along curves and from many other places, until several ways have led to the
        same minimum, or so many `seconds` of processor time are over. `result` tells of all searches: `is_believed`,
        `minima`, and `lines`, the commands that lead to the answer. States without initial values that were
        observed get parameters for them. `progress` is called with the part of the time that is over, and the least
        sum of squares.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").with_values(p1=90, p2=0.01).auto()
        >>> fit.verdict, fit.result.is_believed
        ('minimum', True)
        """
        env = self.environment
        env.require("parameters", "observations", "observation times")
        states = to_free(env)
        if states:
            env = freed(env, states)
        tell, request = progress or (lambda part, total: None), auto.Request(seconds, seed)
        found = self._finished(lambda: auto.auto(env, request, tell))
        lines = (free(states), *found.lines) if states else found.lines
        return self._fit(replace(found, lines=lines), "auto")

    @checked(n=whole(1, start.MOST), seed=whole(0, start.LARGEST_SEED), progress=optional(FUNCTION))
    def start(
        self, n: int = start.N, *, seed: int = start.SEED, progress: Callable[[float], None] | None = None
    ) -> Fit[Self]:
        """Search from `n` places around the present values, on all cores, and take the best of what was found.

        `result` tells of all searches: `minima` and `ended`. The same numbers give the same results. `progress` is
        called with the part that is done.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").start(20)
        >>> fit.result.minima[0].total <= fit.result.ended[0].total
        True
        """
        env = self.environment
        env.require("parameters", "observations", "observation times")
        found = self._finished(lambda: start.start(env, start.Request(n, seed), progress or _nobody))
        return self._fit(found, "start")

    @checked(breaks=optional(NUMBERS), progress=TELL)
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
        how = changed(shoot.usual(env), settings)
        request = shoot.Request(None if breaks is None else tuple(breaks), how)
        result = self._watched(lambda watch: shoot.shoot(env, request, watch), progress)
        if result.failed:
            raise NumericalError("not even the problem with break points can be integrated from these values")
        return self._fit(result, "multiple shooting")

    @checked(gammas=optional(NUMBERS), breaks=NUMBERS, stop=FLAG, progress=TELL)
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
        0.5
        """
        env = self.environment
        env.require("parameters", "observations", "smoothing")
        old = contin.remembered(env)
        chosen = changed(contin.with_breaks(old, self._times(breaks)), settings)
        usual = GAMMAS if set(env.model.states) <= set(env.curves()) else (1.0,)
        request = contin.Request(tuple(usual if gammas is None else gammas), chosen, stop)
        if not request.gammas or (np.diff(request.gammas) <= 0).any():
            raise ParfitError("the values of gamma must increase, as in 0.2, 0.5, 1")
        result = self._watched(lambda watch: contin.contin(env, request, watch), progress)
        if not result.reached:
            assert result.failure is not None
            raise NumericalError(
                f"nothing could be fitted with gamma = {result.failure.gamma:g}: {result.failure.status}"
            )
        return self._fit(result, "continuation")

    @checked(first=optional(whole(1)), size=whole(1), ends=NUMBERS, by_experiment=FLAG, progress=TELL)
    def seq(
        self,
        first: int | None = None,
        size: int = seq.SIZE,
        *,
        ends: Sequence[float] = (),
        by_experiment: bool = False,
        progress: Tell | None = None,
        **settings: Any,
    ) -> Fit[Self]:
        """Improve the parameters batch by batch, in order of time.

        Batches are `first` observation times and then `size` more each, or end at the times `ends`; or they are
        experiments, one after the other. `settings` are those of Marquardt's method.

        >>> problem = parfit.load("models/tour.ode", "models/tour.csv").smooth().ifit().problem
        >>> len(problem.seq(10, 15).result.estimates)
        2
        """
        env = self.environment
        request = seq.Request(first, size, tuple(ends), changed(seq.usual(env), settings), by_experiment)
        result = self._watched(lambda watch: seq.seq(env, request, watch), progress)
        if not result.estimates:
            assert result.failure is not None
            raise NumericalError(f"the first batch cannot be integrated: {result.failure.status}")
        return self._fit(result, "sequential reestimation")

    @checked(first=number(), last=number(), n=whole(2, 10_000), fitted=FLAG, progress=TELL)
    def scan(
        self,
        name: str,
        first: float,
        last: float,
        n: int = 20,
        *,
        fitted: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Fit[Self]:
        """Try values of one parameter, the others held or `fitted` at each, and take the best if it is better.

        What needs no derivative finds parameters that act only through a switch. `progress` is called with the part
        that is done.

        >>> fit = parfit.load("models/enzyme.ode", "models/enzyme.csv").scan("p2", 0.5, 1.5, 5)
        >>> [each.value for each in fit.result.trials.tried]
        [0.5, 0.75, 1.0, 1.25, 1.5]
        """
        env = self.environment
        env.require("parameters", "observations", "observation times")
        chosen = env.model.parameters[place_of(name, env.model.parameters)]
        request = scan.Request(chosen, first, last, n, fitted)
        found = self._finished(lambda: scan.scan(env, request, progress or _nobody))
        if not np.isfinite(found.trials.best.sum_of_squares):
            raise NumericalError(f"the equations could be integrated at none of these values of {chosen}")
        return self._fit(found, "scan")

    @checked(level=number(1.0, 99.999), joint=FLAG, progress=TELL)
    def profile(
        self,
        *quantities: str,
        level: float = wanted.LEVEL,
        joint: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Profiles[Self]:
        """Limits of the active parameters, or of other quantities, by profiles of the sum of squares.

        Quantities are parameters, expressions of them ("ke*V"), and predictions ("c AT 24"). `joint` gives limits that
        hold for all parameters at once. `progress` is called with the part that is done.

        >>> problem = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem
        >>> low, high = problem.profile("p1", level=99).limits["p1"]
        >>> low < problem.values["p1"] < high
        True
        """
        env = self.environment
        asked = tuple(each for text in quantities for each in wanted.read_wanted(TEXT("what is wanted", text)))
        request = wanted.Request(level, asked, joint)
        found = self._finished(lambda: profile.profile(env, request, progress or _nobody))
        return Profiles(self._with(found.env), found)

    @checked(n=whole(boot.FEWEST, boot.MOST), residuals=FLAG, seed=whole(0, boot.LARGEST_SEED), progress=TELL)
    def bootstrap(
        self,
        n: int = boot.N,
        *,
        residuals: bool = False,
        seed: int = boot.SEED,
        level: float = boot.LEVEL,
        progress: Callable[[float], None] | None = None,
    ) -> Bootstrapped[Self]:
        """Limits of the active parameters by fits to `n` data sets that are drawn anew, on all cores.

        Errors are normal, or drawn from the `residuals`. The same `seed` draws the same data. `progress` is called
        with the part that is done.

        >>> problem = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem
        >>> problem.bootstrap(50, residuals=True).errors["p1"] > 0
        True
        """
        kind = Kind.RESIDUALS if residuals else Kind.PARAMETRIC
        request = boot.Request(n, kind, seed, number(1.0, 99.999)("level", level))
        found = self._finished(lambda: boot.boot(self.environment, request, progress or _nobody))
        return Bootstrapped(self._with(found.env), found)

    def _times(self, times: Sequence[float]) -> list[float]:
        """Times within those at which the problem is integrated, in their order."""
        inside = self.times[1:-1].tolist()
        for t in times:
            if t not in inside:
                raise ParfitError(f"{t:g} is not one of the problem's times, between the first and the last")
        return sorted(times)
