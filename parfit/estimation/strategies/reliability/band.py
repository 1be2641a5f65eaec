"""How well curves are known, and where new observations would lie: by linear theory, profiles or a bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.bands import CurveErrors, curve_errors
from parfit.estimation.diagnosis.minimum import standing
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles.walk import NEXT_TO
from parfit.estimation.resampling import percentiles
from parfit.estimation.strategies.parallel import Crew, spread
from parfit.estimation.strategies.reliability.measuring import ErrorSizes
from parfit.estimation.strategies.reliability.predicted import predicted
from parfit.estimation.strategies.reliability.wanted import with_times
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator
from parfit.simulation.trajectory import Trajectory

DEFAULT_PERCENTILE = 95
# At which predictions are profiled, beside those that are wanted: so many evenly, and so many among the samples, which
# are close where curves turn fast. Between them the curves are bound together.
N_EVEN, N_SAMPLED = 10, 8


class Basis(Enum):
    """What a band stands on."""

    LINEAR = "linear theory"
    PROFILES = "profiles"
    BOOT = "bootstrap"


@dataclass(frozen=True, eq=False)
class Request:
    """The variables, and the probability in per cent with which the band holds a true curve at any one time.

    A band that is `measured` holds a new observation. `times` are wanted beside the sample times.
    """

    names: Sequence[str]
    percentile: float = DEFAULT_PERCENTILE
    basis: Basis = Basis.LINEAR
    measured: bool = False
    times: Array = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, eq=False)
class Limits:
    """Lower and upper curves by variable, (n_times,) each; infinite where the data set no limit."""

    lower: Mapping[str, Array]
    upper: Mapping[str, Array]

    def at(self, places: NDArray[np.intp]) -> Limits:
        """At some of the times."""
        return Limits(*({name: each[places] for name, each in half.items()} for half in (self.lower, self.upper)))


@dataclass(frozen=True, eq=False)
class Result:
    """The curves at the present parameters, and how well they are known."""

    request: Request
    times: Array  # the sample times, and those that were wanted
    curves: Mapping[str, Array]  # by variable, at these times
    limits: Limits  # there
    fine: Trajectory
    drawn: Limits  # at times close enough for a smooth picture
    is_minimum: bool  # at which this holds
    whole: float | None = None  # how many times as wide a band of linear theory holds all of a curve


@dataclass(frozen=True)
class How:
    """Who is told the part that is done, and who does the work."""

    tell: Callable[[float], None] = lambda part: None
    crew: Crew | None = None


def band(env: Environment, request: Request, how: How | None = None) -> Result:
    """How well the curves are known; an error where they cannot be integrated or the data say nothing."""
    known, env = env, with_times(env, request.times)
    problem = env.problem()
    with np.errstate(all="ignore"):
        at = problem.evaluate(env.parameters.point)
    if not at.usable:
        raise NumericalError(f"there is no confidence band at these parameters: {at.status}")
    assert at.trajectory is not None
    finer = problem.simulator.finer
    fine = at.trajectory if finer is problem.simulator else finer(env.values, sensitivities=True)
    work = _Work(env, known, request, problem, at, fine, how or How())
    drawn, whole = work.made()
    if request.measured:
        drawn = work.measured(drawn)
    times = env.samples.times
    curves = {name: at.trajectory.column(name)[: times.size] for name in request.names}  # the time inf may follow
    limits = drawn.at(np.searchsorted(fine.times, times))
    return Result(request, times, curves, limits, fine, drawn, standing(problem, at).minimal, whole)


@dataclass(frozen=True, eq=False)
class _Work:
    """A band at the times of a fine solution."""

    env: Environment
    known: Environment  # without the times that are wanted beside: profiles and bootstraps are its own
    request: Request
    problem: TrajectoryFit
    at: Evaluation
    fine: Trajectory
    how: How

    def made(self) -> tuple[Limits, float | None]:
        if self.request.basis is Basis.PROFILES:
            return self._profiled(), None
        if self.request.basis is Basis.BOOT:
            return self._booted(), None
        return self._linear()

    def measured(self, known: Limits) -> Limits:
        """With the errors of new observations."""
        sizes = ErrorSizes(self.problem, self.at, self.request.percentile, self.fine)
        lower, upper = {}, {}
        for name in self.request.names:
            curve = self.fine.column(name)
            lower[name] = sizes.beyond(name, self.fine.times, curve, known.lower[name], -1.0)
            upper[name] = sizes.beyond(name, self.fine.times, curve, known.upper[name], 1.0)
        return Limits(lower, upper)

    def _linear(self) -> tuple[Limits, float]:
        names = list(self.request.names)
        about = (
            self.problem.expected(self.at),
            self.env.parameters,
            self.problem.observations,
            self.request.percentile,
            names,
        )
        found: CurveErrors = curve_errors(*about, self.fine, self.problem.known_variance(self.at))
        if found.lack is not None:
            raise NumericalError(f"there is no confidence band: {found.lack.value}")
        widths = {name: found.at_each_time * found.errors[name] for name in names}
        curves = {name: self.fine.column(name) for name in names}
        halves = [{name: curves[name] + sign * widths[name] for name in names} for sign in (-1.0, 1.0)]
        return Limits(*halves), found.as_a_whole / found.at_each_time

    def _booted(self) -> Limits:
        self.known.require("bootstrap")
        found = self.known.bootstrap
        assert found is not None
        ends = {
            name: percentiles(each, self.request.percentile) for name, each in self._curves(found.parameters).items()
        }
        return Limits({name: each[0] for name, each in ends.items()}, {name: each[1] for name, each in ends.items()})

    def _profiled(self) -> Limits:
        """The envelope of the curves along profiles: of the predictions at some times, and of what was profiled."""
        known = [each for each in self.known.profiles if each.threshold.level == self.request.percentile]
        wanted = self.request.names, self._times(), self.request.percentile
        looked = predicted(self.env, *wanted, self.how.tell, self.how.crew)
        within = [each.parameters[each.rises <= 1.0 + NEXT_TO] for each in (*known, *looked.profiles)]
        curves = self._curves(np.concatenate([self.env.values[np.newaxis], *within]))
        lower = {name: each.min(axis=0) for name, each in curves.items()}
        upper = {name: each.max(axis=0) for name, each in curves.items()}
        for name, first, last, sign in looked.unlimited:
            lost = (self.fine.times >= first) & (self.fine.times <= last)
            (upper if sign > 0 else lower)[name][lost] = sign * np.inf
        return Limits(lower, upper)

    def _times(self) -> Array:
        """All that are wanted, and some of the others from the first to the last one."""
        times, samples = self.fine.times, self.known.samples.times
        sampled = samples[np.linspace(0, samples.size - 1, N_SAMPLED).round().astype(int)]
        some = np.concatenate((np.linspace(times[0], times[-1], N_EVEN), sampled, self.request.times))
        found: Array = np.unique(times[np.searchsorted(times, some).clip(0, times.size - 1)])
        return found

    @property
    def _simulator(self) -> Simulator:
        simulator = self.problem.simulator
        return simulator if self.fine is self.at.trajectory else simulator.finer

    def _curves(self, parameters: Array) -> dict[str, Array]:
        """The variables with other parameters (n_sets, n_params) that can be integrated, (n, n_times) each."""
        work = _Curves(self._simulator, self.request.names, parameters)
        found: dict[int, Array] = {}
        spread(work, range(len(parameters)), found.__setitem__, crew=self.how.crew)
        rows = [found[k] for k in range(len(parameters)) if np.isfinite(found[k]).all()]
        if not rows:
            raise NumericalError("no curve could be integrated with the parameters of the band")
        stacked = np.array(rows)
        return {name: stacked[:, k] for k, name in enumerate(self.request.names)}


@dataclass(frozen=True, eq=False)
class _Curves:
    """Integrates with parameters of a number."""

    simulator: Simulator
    names: Sequence[str]
    parameters: Array

    def __call__(self, number: int, tell: Callable[[float], None]) -> Array:
        with np.errstate(all="ignore"):
            run = self.simulator(self.parameters[number])
            return np.array([run.column(name) for name in self.names])
