"""How far parameters would lie apart, had other data been observed: fits to data that are drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parfit import interrupts
from parfit.dataclass import dataclass
from parfit.errors import CommandError, NumericalError
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Ending, Trial
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.resampling import Bootstrap, Kind, Resampler, resampler
from parfit.estimation.strategies.parallel import Crew, Forgotten, Kept, spread
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.estimation.strategies.reliability.settling import Settled, present_total, require_fit, settled
from parfit.model.textfile import exact, integer, real
from parfit.session.environment import Environment
from parfit.session.questions import shown

LEVEL, N, SEED = 95.0, 200, 1
FEWEST, MOST = 10, 1_000_000
LARGEST_SEED = 2**63 - 1
DIGITS = len(str(LARGEST_SEED))
RESIDUALS, SEED_WORD, LEVEL_WORD = "RESIDUALS", "SEED", "LEVEL"
FITTED = (Ending.CONVERGED, Ending.NO_REDUCTION)  # others were cut short
HALF = 0.5  # of a fit, as far as anybody knows while it goes on


@dataclass(frozen=True)
class Request:
    """How many data are drawn, from what, with which seed; the level of the limits in per cent."""

    n: int = N
    kind: Kind = Kind.PARAMETRIC
    seed: int = SEED
    level: float = LEVEL

    def __post_init__(self) -> None:
        if not FEWEST <= self.n <= MOST:
            raise CommandError(f"{self.n} is no number of data sets; enter one from {FEWEST} to {MOST}")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise CommandError(f"{self.seed} is no seed; enter a whole number from 0")
        if not 1.0 <= self.level < 100.0:
            raise CommandError(f"{self.level:g} is no level; enter per cent, such as 95, from 1 to below 100")

    def written(self) -> str:
        """The line that, typed, does the same."""
        words = ["BOOT", str(self.n), *([RESIDUALS] if self.kind is Kind.RESIDUALS else [])]
        return " ".join([*words, SEED_WORD, str(self.seed), LEVEL_WORD, exact(self.level)])


@dataclass(frozen=True, eq=False)
class Result:
    """What the fits tell, with the environment at the minimum they belong to."""

    request: Request  # as far as it was done
    env: Environment
    bootstrap: Bootstrap
    before: float  # the sum of squares that was there
    total: float  # at the minimum
    is_interrupted: bool = False

    @property
    def is_moved(self) -> bool:
        """Whether the parameters were not at their minimum, and are now."""
        return self.total < self.before


def read(line: str) -> Request:
    """The request of a line: a number, RESIDUALS, SEED and LEVEL with their numbers."""
    found, words = Request(), line.replace(",", " ").split()
    while words:
        word = words.pop(0)
        if word.upper() == RESIDUALS:
            found = replace(found, kind=Kind.RESIDUALS)
        elif word.upper() == SEED_WORD:
            found = replace(found, seed=_whole(words, SEED_WORD))
        elif word.upper() == LEVEL_WORD:
            found = replace(found, level=_number(words))
        elif (n := integer(word)) is not None:
            found = replace(found, n=n)
        else:
            raise CommandError(f"{shown(word)} is none of: a number of data sets, RESIDUALS, SEED, LEVEL")
    return found


def _whole(words: list[str], before: str) -> int:
    number = integer(words.pop(0), DIGITS) if words else None
    if number is None:
        raise CommandError(f"{before} needs a whole number after it, as in {before} 7")
    return number


def _number(words: list[str]) -> float:
    value = real(words.pop(0).removesuffix("%")) if words else None
    if value is None:
        raise CommandError(f"{LEVEL_WORD} needs per cent after it, as in {LEVEL_WORD} 90")
    return value


def boot(
    env: Environment,
    request: Request,
    tell: Callable[[float], None] = lambda part: None,
    kept: Kept | None = None,
    crew: Crew | None = None,
) -> Result:
    """Fit data that are drawn at the minimum, from there; Ctrl-C keeps the first ones, if there are enough."""
    require_fit(env, "bootstraps")
    before = present_total(env, "bootstrap")
    start = settled(env)
    start.require_errors()
    work = _Work(start, request, Forgotten() if kept is None else kept)
    try:
        is_interrupted = False
        spread(work.refit, work.missing, work.hear, work.told(tell), crew)
    except KeyboardInterrupt:
        if work.n_first < FEWEST:
            raise
        interrupts.answered()
        is_interrupted = True
    request = replace(request, n=work.n_first)
    found = work.bootstrap(request)
    now = start.integrated().with_bootstrap(found)
    return Result(request, now, found, before, start.at.sum_of_squares, is_interrupted)


@dataclass(frozen=True, eq=False)
class Refit:
    """Draws data of a number and fits them; nothing in it changes."""

    problem: TrajectoryFit
    data: Resampler

    def __call__(self, number: int, tell: Callable[[float], None]) -> list[float] | None:
        """Scaled active parameters; None where the fit was cut short."""

        def watch(trial: Trial) -> None:
            tell(HALF)

        values = self.problem.observations.values.copy()
        values[self.problem.observations.observed] = self.data.values(number)
        drawn, map_ = self.problem.observing(values, self.data.noise_of(number)), self.problem.parameters
        with np.errstate(all="ignore"):
            found = bounded.minimize(drawn, map_.point, bounded.Settings(), map_.active_bounds, watch)
        return found.p.tolist() if found.ending in FITTED and found.evaluation.usable else None


class _Work:
    """What was found so far, by number."""

    def __init__(self, start: Settled, request: Request, kept: Kept):
        self._start, self._request, self._kept = start, request, kept
        self._name = fingerprint(start.env, "BOOT", request.kind, request.seed)
        self._found: dict[int, list[float] | None] = {}
        for number in range(request.n):
            piece = kept.get(f"{self._name}:{number}")
            if piece is not None:
                self._found[number] = piece["p"]
        self.missing = [number for number in range(request.n) if number not in self._found]
        self._n_before = request.n - len(self.missing)
        self.refit = Refit(start.problem, resampler(start.problem, start.at, request.kind, request.seed))

    def hear(self, number: int, found: list[float] | None) -> None:
        self._found[number] = found
        self._kept.put(f"{self._name}:{number}", {"p": found})

    def told(self, tell: Callable[[float], None]) -> Callable[[float], None]:
        """Who is told the part of all, with what was there before."""
        n, before = self._request.n, self._n_before
        return lambda part: tell((before + part * (n - before)) / n)

    @property
    def n_first(self) -> int:
        """How many of the first ones are all there: those that a smaller number would give."""
        return next((n for n in range(self._request.n) if n not in self._found), self._request.n)

    def bootstrap(self, request: Request) -> Bootstrap:
        points = [point for n in range(request.n) if (point := self._found[n]) is not None]
        if len(points) < FEWEST:
            raise NumericalError(f"only {len(points)} of {request.n} data sets could be fitted")
        how = request.kind, request.seed, request.level, request.n
        return Bootstrap(*how, self._start.env.parameters, np.array(points))
