"""Searches from many numbered places, on all cores: what they end at, and the best of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from parfit import interrupts
from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import CommandError, NumericalError
from parfit.estimation.strategies.parallel import Crew, Forgotten, Kept, spread
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.estimation.strategies.starting.exploring import LONG, Explorer
from parfit.estimation.strategies.starting.minima import SAME, Minimum, gathered
from parfit.estimation.strategies.starting.places import Place, Places
from parfit.model.textfile import integer
from parfit.session.environment import Environment
from parfit.session.results import Mark

N, SEED, MOST = 100, 0, 1_000_000
LARGEST_SEED = 2**63 - 1
DIGITS = len(str(LARGEST_SEED))
SEED_WORD = "SEED"
EARLY = 25  # evaluations after which a search is looked at
DEAD = 4.0  # times the spread of the data: what is still above it leads nowhere
N_MARKED = 3  # minima that are marked
PREFIX = "start"  # of the names of marks


@dataclass(frozen=True)
class Request:
    """From how many places, and which."""

    n: int = N
    seed: int = SEED

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST:
            raise CommandError(f"{self.n} is no number of places; enter one from 1 to {MOST}")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise CommandError(f"{self.seed} is no seed; enter a whole number from 0")

    def written(self) -> str:
        """The line that, typed, does the same."""
        return f"START {self.n} {SEED_WORD} {self.seed}"


def read(line: str) -> Request:
    """The request of a line: a number of places, SEED and its number."""
    words = line.replace(",", " ").split()
    at = next((k for k, word in enumerate(words) if word.upper() == SEED_WORD), len(words))
    before, after = ([integer(word, DIGITS) for word in part] for part in (words[:at], words[at + 1 :]))
    match before, after, at < len(words):
        case [], [], False:
            return Request()
        case [int(n)], [], False:
            return Request(n)
        case [], [int(seed)], True:
            return Request(seed=seed)
        case [int(n)], [int(seed)], True:
            return Request(n, seed)
    raise CommandError("expected a number of places, and perhaps SEED with a number, as in START 100 SEED 7")


@dataclass(frozen=True, eq=False)
class Ended:
    """Where the search from a place has ended; infinite where nothing can be integrated or it led nowhere."""

    number: int
    total: float
    values: Array

    @property
    def label(self) -> str:
        return f"place {self.number}"


@dataclass(frozen=True, eq=False)
class Result:
    """All searches; the environment is at the best, if that is better than what there was, with marks."""

    request: Request  # as far as it was done
    env: Environment
    ended: tuple[Ended, ...]  # by number
    before: float  # the sum of squares there was, infinite if it could not be had
    is_interrupted: bool = False

    @cached_property
    def minima(self) -> tuple[Minimum, ...]:
        return gathered([each for each in self.ended if np.isfinite(each.total)])

    @property
    def n_dead(self) -> int:
        return sum(not np.isfinite(each.total) for each in self.ended)

    @property
    def is_better(self) -> bool:
        return bool(self.minima) and self.minima[0].total < (1.0 - SAME) * self.before


def start(
    env: Environment,
    request: Request,
    tell: Callable[[float], None] = lambda part: None,
    kept: Kept | None = None,
    crew: Crew | None = None,
) -> Result:
    """Search from places; Ctrl-C keeps the first ones."""
    problem = env.problem()
    now = problem.evaluate(problem.parameters.project(problem.parameters.point))
    before = now.sum_of_squares if now.usable else np.inf
    work = _Work(env, request, Forgotten() if kept is None else kept)
    try:
        is_interrupted = False
        spread(work.search, work.missing, work.hear, tell, crew)
    except KeyboardInterrupt:
        if not work.n_first:
            raise
        interrupts.answered()
        is_interrupted = True
    request = replace(request, n=work.n_first)
    found = Result(request, env, work.ended(request.n), before, is_interrupted)
    if not found.minima:
        raise NumericalError("no search from any of the places has led anywhere")
    return replace(found, env=_adopted(env, found))


def _adopted(env: Environment, found: Result) -> Environment:
    """At the best, with marks of the best minima."""
    marks = list[Mark]()
    for k, minimum in enumerate(found.minima[:N_MARKED], 1):
        there = env.with_values(min(minimum.searches, key=lambda each: each.total).values)
        marks.append(there.with_integration(there.simulator()(there.values)).marked(f"{PREFIX}{k}"))
    if found.is_better:
        env = env.with_values(marks[0].values_of(env.model.parameters, env.values))
        env = env.with_integration(env.simulator()(env.values, sensitivities=True))
    for mark in marks:
        env = env.with_mark(mark)
    return env


@dataclass(frozen=True, eq=False)
class Searching:
    """Searches from the place of a number; what it finds depends on nothing else."""

    explorer: Explorer
    places: Places
    dead: float  # a sum of squares

    def __call__(self, number: int, tell: Callable[[float], None]) -> tuple[float, list[float]]:
        place: Place = self.places(number)
        tell(0.0)
        found = self.explorer.gone_on(self.explorer.begun(place), EARLY)
        if found.total <= self.dead:
            tell(0.5)
            found = self.explorer.gone_on(found, LONG)
            return found.total, found.values.tolist()
        return np.inf, found.values.tolist()


class _Work:
    """What was found so far, by number; numbers begin with 1."""

    def __init__(self, env: Environment, request: Request, kept: Kept):
        self._kept, self._n = kept, request.n
        self._name = fingerprint(env, "START", request.seed)
        self._found: dict[int, Ended] = {}
        for number in range(1, request.n + 1):
            piece = kept.get(f"{self._name}:{number}")
            if piece is not None:
                total = np.inf if piece["total"] is None else piece["total"]
                self._found[number] = Ended(number, total, np.array(piece["values"]))
        self.missing = [number for number in range(1, request.n + 1) if number not in self._found]
        self.search = Searching(Explorer(env), Places(env, request.seed), DEAD * env.problem().spread)

    def hear(self, number: int, found: tuple[float, list[float]]) -> None:
        total, values = found
        self._found[number] = Ended(number, total, np.array(values))
        self._kept.put(f"{self._name}:{number}", {"total": total if np.isfinite(total) else None, "values": values})

    @property
    def n_first(self) -> int:
        """How many of the first ones are all there: those that a smaller number would give."""
        return next((n - 1 for n in range(1, self._n + 1) if n not in self._found), self._n)

    def ended(self, n: int) -> tuple[Ended, ...]:
        return tuple(self._found[number] for number in range(1, n + 1))
