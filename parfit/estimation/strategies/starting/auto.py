"""From model and data to the answer: searches from the present values, along curves, and from many other places.

It ends as soon as what was found is believed, or when the budget is spent, with what is best. The way that succeeded
is a list of ordinary commands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from parfit.arrays import Array
from parfit.errors import NumericalError, ParfitError
from parfit.estimation.curves.smoothing import left_by_curves
from parfit.estimation.diagnosis.judgement import Judgement, judged_at
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.starting import places, ways
from parfit.estimation.strategies.starting.exploring import LONG, SHORT, Explorer, Search, left_at
from parfit.estimation.strategies.starting.minima import SAME, Minimum, gathered
from parfit.estimation.strategies.starting.patience import is_sharp, patience
from parfit.estimation.strategies.starting.places import Place, Places, logarithms
from parfit.estimation.strategies.starting.plausible import does_follow, is_plausible
from parfit.session.environment import Environment

BUDGET = 10.0  # seconds of processor time
BRIEF, PATIENT = 0.03, 0.15  # of the budget, for a short search and a long one
ROUND, TAKEN = 8, 2  # short searches of a round, and how many of them go on
BESIDE = 4.0  # times the best: what a short search beside it comes down to is worth a long one
LOWER = 1e-2  # relative difference to a minimum that is better
MOST_PLAYED = 6  # ways that are gone once more as commands, until one ends at a minimum
LATE = 1.1  # times the budget: no other way is gone once more after that
CURVED = 2.0  # times what curves through the data leave: the equations follow the data as well as anything could

LEFT = "what is left could not be errors"

Tell = Callable[[float, float], None]  # hears which part of the budget is spent, and the least sum of squares


@dataclass(frozen=True)
class Request:
    """How many seconds of processor time may be used, and which places are tried."""

    budget: float = BUDGET
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Way:
    """What one way has led to."""

    label: str
    total: float
    values: Array  # of all parameters
    residuals: Array
    search: Search | None = None  # None where curves were followed
    steps: tuple[ways.Step, ...] = ()


@dataclass(frozen=True)
class Rung:
    """A part of the work: what was tried and why, the least sum of squares after it, and the seconds it took."""

    name: str
    why: str
    total: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Result:
    """Where the best way ends, its commands, and all that was tried."""

    env: Environment
    lines: tuple[str, ...]
    ways: tuple[Way, ...]  # those that were gone to their end, in their order
    rungs: tuple[Rung, ...]
    best: Way
    judgement: Judgement
    explains: bool  # whether what is left could be errors of measurement
    follows: bool  # whether the solution has at least the course of the data
    as_near_as_curves: bool  # whether curves through the data leave about as much
    n_short: int  # short searches
    n_evaluations: int
    seconds: float
    is_interrupted: bool = False

    @cached_property
    def minima(self) -> tuple[Minimum, ...]:
        return gathered(self.ways)

    @property
    def n_agreeing(self) -> int:
        """How many ways have led to the best."""
        return self.minima[0].n

    @property
    def is_believed(self) -> bool:
        """Whether it is a minimum to which several ways have led, and nothing better is to be expected."""
        wanted = patience(self.explains, self.follows, is_sharp(self.judgement))
        is_agreed = wanted.is_agreed(self.n_agreeing + self.as_near_as_curves, len(self.ways))
        is_tried = self.explains or len(self.ways) >= wanted.ways
        return self.judgement.is_minimum and is_agreed and is_tried and not self.is_interrupted


def auto(env: Environment, request: Request | None = None, tell: Tell = lambda part, total: None) -> Result:
    """Search until what was found is believed, or the budget is spent; Ctrl-C ends it at the best so far."""
    ladder, is_interrupted = _Ladder(env, request or Request()), False
    try:
        for _ in ladder.climb():
            tell(ladder.seconds / ladder.budget, np.inf if ladder.best is None else ladder.best.total)
            if ladder.is_over():
                break
    except KeyboardInterrupt:
        if ladder.best is None:
            raise
        is_interrupted = True
    return ladder.result(is_interrupted)


@dataclass(frozen=True, eq=False)
class _Ending:
    """Where the commands of a way lead."""

    env: Environment
    steps: tuple[ways.Step, ...]
    residuals: Array
    judgement: Judgement


class _Ladder:
    """What was found so far, and what comes next."""

    def __init__(self, env: Environment, request: Request):
        self.env, self.budget = env, request.budget
        self._begin = time.process_time()
        self._explorer, self._places = Explorer(env), Places(env, request.seed)
        problem = env.problem()
        self._data, self._spread, self._n = problem.observations, problem.spread, len(env.parameters.active)
        self._ways: list[Way] = []
        self._rungs: list[Rung] = []
        self.best: Way | None = None
        self._explains = self._follows = False
        self._left = 0.0  # by curves through the data, if these were followed
        self._ended: tuple[Way, _Ending] | None = None  # where the commands of a way end, once they were obeyed
        self._examined: Way | None = None  # beside which other minima were looked for
        self._since = self._n_short = 0  # ways since a better one was found; short searches

    @property
    def seconds(self) -> float:
        return time.process_time() - self._begin

    def is_over(self) -> bool:
        """Whether the time is, or what was found is believed: also after its commands have led there."""
        if self.seconds >= self.budget or self.best is None:
            return self.seconds >= self.budget
        if self._explains and self._examined is not self.best:
            return False
        return self._is_enough(True) and self._is_enough(is_sharp(self._ending().judgement))

    def _is_enough(self, is_sharp: bool) -> bool:
        assert self.best is not None
        wanted, n = patience(self._explains, self._follows, is_sharp), len(self._ways)
        agreeing = sum(each.total <= (1.0 + SAME) * self.best.total for each in self._ways)
        is_agreed = wanted.is_agreed(agreeing + self._is_as_near(self.best), n)
        return n >= wanted.ways and is_agreed and self._since >= wanted.since

    def _is_as_near(self, way: Way) -> bool:
        """Whether the equations follow the data about as well as curves that are free to do so: that is a witness."""
        return way.total <= CURVED * self._left

    # ---- the rungs

    def climb(self) -> Iterator[None]:
        """One way after the other, for ever."""
        here, values = self.env.parameters, self.env.values
        yield from self._rung("the present values", "", self._present(here.scaling))
        logs = logarithms(here, values)
        if logs != here.scaling:
            yield from self._rung("in logarithms", "signs are kept", self._present(logs))
        yield from self._rung(
            f"{ROUND} places", "another way must lead there" if self._explains else LEFT, self._round(1)
        )
        if not self._explains:
            yield from self._rung("along curves", LEFT, self._follow_curves())
        number = 1 + ROUND
        while True:
            if self._explains and self._examined is not self.best:
                yield from self._rung("beside the best", "parameters may change their roles", self._look_around())
            why = "too few ways have led there" if self._explains else LEFT
            yield from self._rung("more places", why, self._round(number))
            number += ROUND

    def _rung(self, name: str, why: str, ways: Iterator[None]) -> Iterator[None]:
        """Ways that are told of together; the same again is one rung."""
        begun = self.seconds
        last = self._rungs[-1] if self._rungs and self._rungs[-1].name == name else None
        self._rungs[len(self._rungs) - (last is not None) :] = [last or Rung(name, why, np.inf, 0.0)]
        before = 0.0 if last is None else last.seconds
        for _ in ways:
            self._note(before + self.seconds - begun)
            yield
        self._note(before + self.seconds - begun)

    def _note(self, seconds: float) -> None:
        total = np.inf if self.best is None else self.best.total
        self._rungs[-1] = replace(self._rungs[-1], total=total, seconds=seconds)

    def _present(self, scaling: tuple[Scaling, ...]) -> Iterator[None]:
        self._go_on(self._explorer.begun(Place(0, self.env.values, scaling)))
        yield

    def _round(self, first: int) -> Iterator[None]:
        """Short searches from places, and long ones from where the best of them have led."""
        short = []
        for number in range(first, first + ROUND):
            short.append(self._short(self._places(number)))
            if self.seconds >= self.budget:
                break
        for each in sorted(short, key=lambda each: each.total)[:TAKEN]:
            self._go_on(each)
            yield

    def _short(self, place: Place) -> Search:
        self._n_short += 1
        return self._explorer.gone_on(self._explorer.begun(place), SHORT, self._share(BRIEF))

    def _go_on(self, search: Search) -> None:
        number = search.place.number
        found = self._explorer.gone_on(search, LONG, self._share(PATIENT if number else 1.0))
        self._add(Way(_label(number), found.total, found.values, found.residuals, found))

    def _share(self, part: float) -> float:
        """Seconds that a search may take: a part of the budget, and no more than is left."""
        return min(part * self.budget, max(self.budget - self.seconds, 0.0))

    def _look_around(self) -> Iterator[None]:
        """Beside the best, once it explains the data: parameters that change their roles may do that better."""
        assert self.best is not None
        self._examined = best = self.best
        for place in places.around(self.env, best.values):
            found = self._short(place)
            if found.total < BESIDE * best.total:
                self._go_on(found)
                yield

    def _follow_curves(self) -> Iterator[None]:
        """What the equations make of curves through the data, and what these curves leave."""
        steps = tuple(ways.along_curves())
        try:
            end = ways.followed(self.env, steps)
            problem = end.problem()
            at = problem.evaluate(problem.parameters.point)
        except ParfitError:  # not every state was observed, or the equations cannot be integrated
            return
        if not at.usable:
            return
        found = Way("along curves", at.sum_of_squares, end.values, left_at(problem, at), steps=steps)
        self._add(found)
        assert end.smoothing is not None
        self._left = left_by_curves(self._data, end.smoothing.curves)
        yield

    def _add(self, found: Way) -> None:
        if not np.isfinite(found.total):
            return
        self._ways.append(found)
        self._since += 1
        if self.best is None or found.total < (1.0 - LOWER) * self.best.total:
            self._since = 0
        if self.best is None or found.total < (1.0 - SAME) * self.best.total:
            self.best = found
            self._explains = is_plausible(found.residuals, self._data, self._spread, self._n)
            self._follows = does_follow(found.residuals, self._spread)

    # ---- the end

    def result(self, is_interrupted: bool) -> Result:
        """The best way, gone once more as the commands that it consists of."""
        if self.best is None:
            raise NumericalError("the equations could be integrated at none of the places that were tried")
        end = self._ending()
        return Result(
            end.env,
            tuple(each.line for each in end.steps),
            tuple(self._ways),
            tuple(self._rungs),
            self.best,
            end.judgement,
            is_plausible(end.residuals, self._data, self._spread, self._n),
            does_follow(end.residuals, self._spread),
            self._is_as_near(self.best),
            self._n_short,
            self._explorer.n_evaluations,
            self.seconds,
            is_interrupted,
        )

    def _ending(self) -> _Ending:
        """Where the commands that lead to the best end; if that is lower still, no other way has led there yet."""
        assert self.best is not None
        if self._ended is None or self._ended[0] is not self.best:
            env, steps = self._gone_again(self.best)
            problem = env.problem()
            at = problem.evaluate(problem.parameters.point)
            end = _Ending(env, tuple(steps), left_at(problem, at), env.judgement or judged_at(problem, at))
            if at.sum_of_squares < (1.0 - SAME) * self.best.total:
                label = f"{self.best.label}, gone on"
                self._add(Way(label, at.sum_of_squares, env.values, end.residuals, steps=end.steps))
            self._ended = self.best, end
        return self._ended[1]

    def _gone_again(self, best: Way) -> tuple[Environment, list[ways.Step]]:
        """Commands that lead to the best, and where they end: the first that end at a minimum, else the first."""
        ended = list(islice(self._endings(best), MOST_PLAYED))
        if not ended:
            steps = [*ways.set_to(self.env, best.values), ways.fit_more()]
            return ways.followed(self.env, steps), steps
        return next((each for each in ended if _is_minimum(each[0])), ended[0])

    def _endings(self, best: Way) -> Iterator[tuple[Environment, list[ways.Step]]]:
        """All commands that lead to the best, the simplest first, with where they end."""
        agreeing = [each for each in self._ways if each.total <= (1.0 + SAME) * best.total]
        for way in (best, *(each for each in agreeing if each is not best)):
            for steps in ways.of_search(self.env, way.search) if way.search else [list(way.steps)]:
                if way is not best and self.seconds > LATE * self.budget:
                    return
                with suppress(ParfitError):
                    env = ways.followed(self.env, steps)
                    if env.sum_of_squares is not None and env.sum_of_squares <= (1.0 + SAME) * best.total:
                        yield env, steps
                        if _is_minimum(env):
                            return


def _is_minimum(env: Environment) -> bool:
    return env.judgement is not None and env.judgement.is_minimum


def _label(number: int) -> str:
    if number < 0:
        return "beside the best"
    return f"place {number}" if number else "the present values"
