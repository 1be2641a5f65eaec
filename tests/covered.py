"""How often intervals hold the truth: data drawn with known parameters, fitted, profiled, and looked at."""

from dataclasses import dataclass

import numpy as np

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.statistics import statistics
from parfit.estimation.optimizers import bounded
from parfit.estimation.profiles.profile import profiled
from parfit.estimation.profiles.target import ParameterTarget
from parfit.estimation.profiles.threshold import threshold
from parfit.estimation.profiles.walk import BetterPointError
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

MOST_MINIMA = 10


@dataclass(frozen=True)
class Case:
    """A model, the times at which y is observed, the error, and whether linear theory holds."""

    name: str
    text: str
    times: tuple[float, ...]
    sd: float
    is_linear: bool


CASES = (
    Case("straight line", "par a=1, b=2\ny'=b\ninit y=a\ndone", (0.0, 1.0, 2.0, 3.0, 5.0, 8.0), 0.3, True),
    Case("exponential", "par a=2, k=.5\ny'=-k*y\ninit y=a\ndone", tuple(np.arange(0.0, 6.0, 0.5)), 0.05, True),
    # Of Michaelis' and Menten's reaction the constant m is hardly seen: its interval is far from symmetric.
    Case("reaction", "par v=1, m=.3\ny'=-v*y/(m+y)\ninit y=2\ndone", tuple(np.arange(0.5, 4.1, 0.5)), 0.1, False),
)


@dataclass(frozen=True)
class Covered:
    """Of so many data sets, how many intervals of each parameter hold its true value."""

    names: tuple[str, ...]
    n: int
    n_failed: int
    by_profile: tuple[int, ...]
    by_theory: tuple[int, ...]


def coverage(case, n, first=0, level=95.0):
    """Draw data of the numbers from `first` on."""
    model = Model.from_text(case.text, case.name)
    times = np.array(case.times)
    start = Environment.of(
        model, make_observations(times, ["y"], np.ones((times.size, 1))), options=Options(method=Method(eps=1e-8))
    )
    problem, map_ = start.problem(), start.parameters
    exact = problem.evaluate(map_.point).residuals + 1.0
    hits, n_failed = np.zeros((2, len(map_.active)), dtype=int), 0
    for number in range(first, first + n):
        random = np.random.Generator(np.random.Philox(key=17, counter=[0, 0, 0, number]))
        drawn = (exact + case.sd * random.standard_normal(times.size))[:, np.newaxis]
        found = _held(problem.observing(drawn), map_, level)
        n_failed += found is None
        hits += 0 if found is None else found
    return Covered(model.parameters, n, n_failed, tuple(hits[0].tolist()), tuple(hits[1].tolist()))


def _held(problem, map_, level):
    """Which intervals hold the truth, by profiles and by linear theory, (2, n_active); None where there is no fit."""
    start = map_.point
    for _ in range(MOST_MINIMA):
        fitted = bounded.minimize(problem, start)
        best, at = fitted.p, fitted.evaluation
        if not at.usable:
            return None
        half = statistics(at.residuals, at.jac, level, 0.0, at.precision).intervals.single
        try:
            limits = _limits(problem, map_.moved(best), at, level)
        except BetterPointError as better:  # as PROFILE does
            start = better.place.p
            continue
        by_profile = [low <= truth <= high for truth, (low, high) in zip(map_.point, limits, strict=True)]
        return np.array([by_profile, np.abs(best - map_.point) <= half], dtype=int)
    return None


def _limits(problem, here, at, level):
    limit = threshold(level, at.sum_of_squares, at.residuals.size - len(here.active), False)
    return [profiled(problem, here, ParameterTarget(here, k), limit).limits for k in range(len(here.active))]
