"""From model and data to the answer: searches from the present values, along curves, and from many other places.

It ends as soon as what was found is believed: residuals that could be errors, found in more than one way; or when the
budget is spent, with what is best. The way that succeeded is a list of ordinary commands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from parfit.arrays import Array
from parfit.errors import ParfitError
from parfit.estimation.diagnosis.judgement import Judgement, judged_at
from parfit.estimation.strategies.starting import places, ways
from parfit.estimation.strategies.starting.exploring import LONG, SHORT, Explorer, Search
from parfit.estimation.strategies.starting.places import Place, Places, logarithms
from parfit.estimation.strategies.starting.plausible import is_plausible
from parfit.session.environment import Environment

BUDGET = 10.0  # seconds of processor time
BRIEF, PATIENT = 0.03, 0.15  # of the budget, for a short search and a long one
ROUND, TAKEN = 8, 2  # short searches of a round, and how many of them go on
BESIDE = 4.0  # times the best: what a short search beside it comes down to is worth a long one
SAME = 1e-3  # relative difference of sums of squares at one minimum
LOWER = 1e-2  # the same of a minimum that is another, and better
ENOUGH, TWICE, QUIET = 6, 2, 3  # long searches at least, how many of them end at the best, and how many since it was found
STUBBORN = (60, 10, 30)  # the same where residuals could not be errors: then it is the model that cannot do better


@dataclass(frozen=True)
class Request:
    """How many seconds of processor time may be used, and where the places lie."""

    budget: float = BUDGET
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Found:
    """What one way has led to."""

    label: str
    total: float
    values: Array  # of all parameters
    search: Search | None  # None where curves were followed
    steps: tuple[ways.Step, ...] = ()
    n_evaluations: int = 0


@dataclass(frozen=True, eq=False)
class Result:
    """Where the best way ends, its commands, and all that was tried."""

    env: Environment
    lines: tuple[str, ...]
    found: tuple[Found, ...]  # all ways that were gone to their end, in their order
    best: Found
    judgement: Judgement | None
    is_plausible: bool
    n_short: int  # short searches
    n_evaluations: int
    seconds: float
    is_interrupted: bool = False

    @property
    def n_agreeing(self) -> int:
        """How many ways have led to the best."""
        return sum(abs(each.total - self.best.total) <= SAME * self.best.total for each in self.found)

    @property
    def is_believed(self) -> bool:
        """Whether the best was found in more ways than one, is a minimum, and explains the data as far as can be."""
        if self.judgement is None or not self.judgement.is_minimum or self.n_agreeing < TWICE:
            return False
        return self.is_plausible or self.n_agreeing >= STUBBORN[1]


def auto(env: Environment, request: Request | None = None, tell: Callable[[float, float], None] = lambda part, total: None) -> Result:
    """Search until what was found is believed, or the budget is spent; Ctrl-C ends it at the best so far."""
    ladder = _Ladder(env, request or Request(), tell)
    is_interrupted = False
    try:
        for _ in ladder.climb():
            if ladder.is_over:
                break
    except KeyboardInterrupt:
        if ladder.best is None:
            raise
        is_interrupted = True
    return ladder.result(is_interrupted)


class _Ladder:
    """What was found so far, and what comes next."""

    def __init__(self, env: Environment, request: Request, tell: Callable[[float, float], None]):
        self.env, self.request, self._tell = env, request, tell
        self._begin = time.process_time()
        self._explorer, self._places = Explorer(env), Places(env, request.seed)
        problem = env.problem()
        self._data, self._spread, self._n = problem.observations, problem.spread, len(env.parameters.active)
        self.found: list[Found] = []
        self.best: Found | None = None
        self._plausible = False
        self._looked_around: Found | None = None  # the best that there was then
        self._since = self.n_short = 0  # long searches since the best was found; short ones

    @property
    def seconds(self) -> float:
        return time.process_time() - self._begin

    @property
    def is_over(self) -> bool:
        if self.best is None:
            return self.seconds >= self.request.budget
        self._tell(self.seconds / self.request.budget, self.best.total)
        return self.seconds >= self.request.budget or self._is_settled(*((ENOUGH, TWICE, QUIET) if self._plausible else STUBBORN))

    @property
    def _is_examined(self) -> bool:
        return self._looked_around is self.best or not self._plausible

    def _is_settled(self, enough: int, agreeing: int, quiet: int) -> bool:
        assert self.best is not None
        n = sum(abs(each.total - self.best.total) <= SAME * self.best.total for each in self.found)
        return self._is_examined and len(self.found) >= enough and n >= agreeing and self._since >= quiet

    # ---- the rungs

    def climb(self) -> Iterator[None]:
        """One search after the other; who is told may stop at any time."""
        here, values = self.env.parameters, self.env.values
        for scaling in dict.fromkeys((here.scaling, logarithms(here, values))):
            self._go_on(self._explorer.begun(Place(0, values, scaling)))
            yield
        yield from self._round(1)
        if not self._plausible:
            self._follow_curves()
            yield
        first = 1 + ROUND
        while True:
            yield from self._around()
            yield from self._round(first)
            first += ROUND

    def _around(self) -> Iterator[None]:
        """Beside the best, once it has explained the data: parameters that change their roles may do it better."""
        if self.best is None or not self._plausible or self._looked_around is self.best:
            return
        best, self._looked_around = self.best, self.best
        for place in places.around(self.env, best.values):
            short = self._explorer.gone_on(self._explorer.begun(place), SHORT, self._share(BRIEF))
            self.n_short += 1
            if short.total < BESIDE * best.total:
                self._go_on(short)
                yield

    def _round(self, first: int) -> Iterator[None]:
        """Short searches, and long ones from the best of them."""
        short = []
        for number in range(first, first + ROUND):
            short.append(self._explorer.gone_on(self._explorer.begun(self._places(number)), SHORT, self._share(BRIEF)))
            self.n_short += 1
            if self.seconds >= self.request.budget:
                break
        short.sort(key=lambda each: each.total)
        for each in short[:TAKEN]:
            if np.isfinite(each.total):
                self._go_on(each)
                yield

    def _go_on(self, search: Search) -> None:
        found = self._explorer.gone_on(search, LONG, self._share(PATIENT if search.place.number else 1.0))
        self._add(Found(_label(found), found.total, found.values, found, n_evaluations=found.n_evaluations), found.residuals)

    def _share(self, part: float) -> float:
        """Seconds that a search may take: a part of the budget, and no more than is left."""
        return min(part * self.request.budget, max(self.request.budget - self.seconds, 0.0))

    def _follow_curves(self) -> None:
        steps = tuple(ways.along_curves())
        try:
            end = ways.followed(self.env, steps)
            problem = end.problem()
            at = problem.evaluate(problem.parameters.point)
        except ParfitError:  # not every state was observed, or the equations cannot be integrated
            return
        if at.usable:
            self._add(Found("along curves", at.sum_of_squares, end.values, None, steps), at.residuals)

    def _add(self, found: Found, residuals: Array) -> None:
        if not np.isfinite(found.total):
            return
        self.found.append(found)
        self._since += 1
        if self.best is None or found.total < (1.0 - LOWER) * self.best.total:
            self._since = 0
        if self.best is None or found.total < self.best.total:
            self.best = found
            self._plausible = is_plausible(residuals, self._data, self._spread, self._n)

    # ---- the end

    def result(self, is_interrupted: bool) -> Result:
        if self.best is None:
            raise ParfitError("the equations could be integrated at none of the places that were tried")
        env, steps = self._played()
        problem = env.problem()
        at = problem.evaluate(problem.parameters.point)
        lines = tuple(each.line for each in steps)
        verdict = judged_at(problem, at) if at.usable else None
        plausible = is_plausible(at.residuals, self._data, self._spread, self._n) if at.usable else False
        return Result(env, lines, tuple(self.found), self.best, verdict, plausible, self.n_short, self._explorer.n_evaluations, self.seconds, is_interrupted)

    def _played(self) -> tuple[Environment, list[ways.Step]]:
        """The commands of the best way, and where they lead; from what it has found, if they lead elsewhere."""
        best = self.best
        assert best is not None
        if best.search is None:
            return ways.followed(self.env, best.steps), list(best.steps)
        steps = ways.of_search(self.env, best.search)
        try:
            env = ways.followed(self.env, steps)
        except ParfitError:
            env = None
        if env is None or env.sum_of_squares is None or not env.sum_of_squares <= (1.0 + SAME) * best.total:
            steps = [*ways.set_to(self.env, best.search.values), ways.fit_more()]
            env = ways.followed(self.env, steps)
        return env, steps


def _label(search: Search) -> str:
    number = search.place.number
    if number < 0:
        return "beside the best"
    return f"place {number}" if number else "the present values"
