"""Looking at a problem: its solution, how well curves and parameters are known, pictures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from parfit import interrupts
from parfit.api.drawing import PERCENTILE
from parfit.api.given import Given
from parfit.api.probed import Probed, ProbedAnywhere
from parfit.api.rest import RestPoints
from parfit.api.stats import Stats
from parfit.arguments import FLAG, NUMBERS, checked, whole, word
from parfit.arrays import Array, read_only
from parfit.dataclass import dataclass
from parfit.errors import NumericalError, ParfitError
from parfit.estimation.strategies import equil
from parfit.estimation.strategies.reliability import anywhere, band, probe, stats
from parfit.model.naming import Values, numbers, place_of, spelled, values_with
from parfit.session.records import Samples
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Trajectory
from parfit.text.diagnosis import statistics_summary

BASES = {"linear": band.Basis.LINEAR, "profiles": band.Basis.PROFILES, "boot": band.Basis.BOOT}
BY = word(BASES)


@dataclass(frozen=True, eq=False)
class Band:
    """Curves at times, and the limits between which each true value lies with so many per cent, by variable."""

    times: Array
    curves: Mapping[str, Array]
    lower: Mapping[str, Array]
    upper: Mapping[str, Array]
    percentile: float
    is_minimum: bool  # whether the parameters are at a minimum, where this holds


class Looks(Given):
    """What can be seen of a problem without changing it."""

    @checked(sensitivities=FLAG)
    def simulate(
        self,
        times: ArrayLike | None = None,
        values: Values | None = None,
        /,
        *,
        sensitivities: bool = False,
        experiment: str | None = None,
        **by_name: float,
    ) -> Trajectory:
        """The solution at times, by default those of the problem, at its values or at others.

        Of several experiments it has all states, as a[low]; that of one `experiment` has its own, as a.

        >>> run = parfit.load("models/tour.ode").simulate([1, 2, 5], p1=3)
        >>> run.y.shape, bool(run.status)
        ((3, 2), True)
        """
        env = self.environment
        if times is not None:
            env = env.with_samples(Samples(read_only(numbers(times, "the times")), uniform=True))
        given = values_with(env.model.parameters, env.values, values)
        found = values_with(env.model.parameters, given, by_name)
        if experiment is None:
            return env.simulator()(found, sensitivities)
        names = [part.name for part in env.model.parts]
        part = env.model.parts[place_of(experiment, names, "experiment")]
        own = found[list(part.places)]
        return Simulator(part.model, env.samples.times, env.options.method)(own, sensitivities)

    @checked(percentile=PERCENTILE, by=BY, measured=FLAG)
    def band(self, *names: str, percentile: float = 95.0, by: str = "linear", measured: bool = False) -> Band:
        """How well the curves of the observed variables, or of others, are known at the present parameters.

        `by` is "linear" (theory), "profiles" or "boot" (the percentiles of `bootstrap`, which must have been made).
        `measured` gives the limits of a new observation instead of those of the curve.

        >>> band = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem.band()
        >>> band.is_minimum, bool((band.lower["y1"] <= band.curves["y1"]).all())
        (True, True)
        """
        return self._band(None, names, percentile, by, measured)

    @checked(percentile=PERCENTILE, band=BY, measured=FLAG)
    def predict(
        self,
        times: ArrayLike,
        *names: str,
        band: str = "linear",
        percentile: float = 95.0,
        measured: bool = False,
    ) -> Band:
        """The curves at any times, also beyond the observations, with the limits between which they lie.

        `band` says what these stand on, and `measured` makes them those of new observations, as in `band`.

        >>> found = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem.predict([1, 20])
        >>> found.times.tolist(), bool(found.lower["y1"][1] < found.upper["y1"][1])
        ([1.0, 20.0], True)
        """
        wanted = numbers(times, "the times")
        if not np.isfinite(wanted).all():
            raise ParfitError("the times must be finite numbers")
        return self._band(wanted, names, percentile, band, measured)

    def _band(self, times: Array | None, names: tuple[str, ...], percentile: float, by: str, measured: bool) -> Band:
        env = self.environment
        env.require("parameters", "observations", "observation times")
        assert env.observations is not None
        chosen = spelled(names, env.variables, "variable") if names else list(env.observations.names)
        more = np.empty(0) if times is None else np.unique(times)
        with interrupts.remembered():
            found = band.band(env, band.Request(chosen, percentile, BASES[by], measured, more))
        places = np.arange(found.times.size) if times is None else np.searchsorted(found.times, times)
        limits = found.limits.at(places)
        curves = {name: curve[places] for name, curve in found.curves.items()}
        return Band(found.times[places], curves, limits.lower, limits.upper, percentile, found.is_minimum)

    def probe(self) -> Probed:
        """Examine the Jacobian at the present parameters: what the data determine and what not.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").probe().singular_values.size
        3
        """
        found = probe.probe(self.environment)
        if not found.probe.usable:
            raise NumericalError(f"there is no Jacobian at these parameters: {found.evaluation.status}")
        return Probed(found.probe)

    @checked(n=whole(1, anywhere.MOST), seed=whole(0, 2**63 - 1))
    def probe_anywhere(self, n: int = anywhere.N, seed: int = anywhere.SEED) -> ProbedAnywhere:
        """Which parameters such data can never determine: the Jacobian at random points within the bounds.

        Where there are no bounds, points lie within a decade of the present values.

        >>> parfit.load("models/enzyme.ode", "models/enzyme.csv").probe_anywhere(5).never
        ()
        """
        with interrupts.remembered():
            return ProbedAnywhere(anywhere.anywhere(self.environment, anywhere.Request(n, seed)))

    def equilibria(self, *times: float) -> RestPoints:
        """Where the equations come to rest at the present parameters, and whether that attracts.

        Equations that depend on time are held fixed at times, by default at the first, the middle and the last one.

        >>> [point.kind for point in parfit.load("models/equilibrium.ode").equilibria()][0]
        'unstable node'
        """
        return RestPoints(equil.equil(self.environment, equil.Request(NUMBERS("times", times))))

    @checked(percentile=PERCENTILE)
    def stats(self, percentile: float = stats.PERCENTILE) -> Stats:
        """Standard errors, confidence intervals, correlations and tests at the present parameters, best after a fit.

        >>> problem = parfit.load("models/enzyme.ode", "models/enzyme.csv").fit().problem
        >>> problem.stats(99).percentile
        99.0
        """
        found = stats.stats(self.environment, stats.Request(percentile))
        if found.study is None:
            raise NumericalError(statistics_summary.none(found.evaluation))
        return Stats(found.study)
