"""Continuation from integral fitting to the full problem, with break points (thesis, section 3.5).

result = contin(env, Request((0.2, 0.5, 1.0), remembered(env)))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Self

import numpy as np

from parfit import interrupts
from parfit.dataclass import dataclass
from parfit.estimation import problem as problems
from parfit.estimation.problem import Ending, Evaluation
from parfit.estimation.problems.continuation import Steps
from parfit.estimation.strategies import search
from parfit.estimation.strategies.search import typed
from parfit.estimation.strategies.watching import Part, Watch, minimized, unwatched
from parfit.estimation.trace import Trace
from parfit.session.environment import Environment
from parfit.session.questions import plain
from parfit.session.records import Continuation
from parfit.simulation.status import Status

ERRORS = 10  # trials in a row that cannot be integrated: more than the 3 of FIT, for here they are to be expected
FIRST_GAMMA = 0.2  # of section 3.5


# ---- what is asked for


@dataclass(frozen=True)
class Request:
    """Values of gamma, the other settings, and whether to stop where the full problem can be integrated."""

    gammas: tuple[float, ...]  # increasing
    settings: Continuation
    stop: bool = False
    steps: int | None = None  # at most, with the last value

    def written(self, env: Environment) -> str:
        """The line that does it, whatever is remembered."""
        words = [*map(plain, self.gammas), *clauses(env, self.settings).values()]
        words += ["STOP"] if self.stop else []
        return " ".join(["CONTIN", *words, *([] if self.steps is None else [f"ONLY {self.steps}"])])


def remembered(env: Environment) -> Continuation:
    """The settings of the last continuation as far as they still fit, or those to begin with."""
    curves = env.curves()
    seen = [name in curves for name in env.model.states]
    old, default = env.continuation, search.usual(env)
    if old is None:
        gamma = FIRST_GAMMA if all(seen) else 1.0
        alpha = tuple(0.0 if each else 1.0 for each in seen)
        return Continuation(gamma, (), (), alpha, default.lam, default.rtol, default.atol)
    return replace(
        with_breaks(old, [t for t in old.breaks if t in env.samples.times[1:-1]]),
        gamma=old.gamma if all(seen) else 1.0,
        alpha=tuple(a if each else 1.0 for a, each in zip(old.alpha, seen, strict=True)),
    )


def with_breaks(settings: Continuation, breaks: Sequence[float]) -> Continuation:
    """Other break points; those that stay keep their weights, new ones have weight 1."""
    weights = dict(zip(settings.breaks, settings.weights, strict=True))
    return replace(settings, breaks=tuple(breaks), weights=tuple(weights.get(t, 1.0) for t in breaks))


def clauses(env: Environment, settings: Continuation) -> dict[str, str]:
    """What a line says of the settings, by the words with which its clauses begin."""
    numbers = {
        "BREAKS": [str(k) for k in subscripts(env, settings.breaks)] or ["NONE"],
        "ALPHA": [plain(value) for value in settings.alpha],
        "WEIGHTS": [plain(value) for value in settings.weights],
        "LAMBDA": [typed(value) for value in (settings.lam, settings.rtol, settings.atol)],
    }
    return {word: " ".join([word, *texts]) for word, texts in numbers.items() if texts}


def subscripts(env: Environment, breaks: Sequence[float]) -> list[int]:
    """Of sample times, from 1 on."""
    return [int(k) + 1 for k in np.searchsorted(env.samples.times, breaks)]


# ---- what is found


@dataclass(frozen=True, eq=False)
class Reached:
    """A value of gamma, the parameters found with it, and the full problem at them."""

    settings: Continuation
    env: Environment
    result: problems.Result
    trace: Trace
    full: Evaluation | None  # None on a mesh without connection to the observations
    failed: Status | None  # of the last trial that could not be integrated
    limit: int | None  # of its steps, if there was one, or if somebody accepted what had been reached after so many
    is_accepted: bool

    @property
    def gamma(self) -> float:
        return self.settings.gamma

    @property
    def sum_of_squares(self) -> float:
        """The sum of squares along the curves."""
        return self.result.evaluation.sum_of_squares

    @property
    def is_integrable(self) -> bool:
        """Whether the full problem can be integrated there."""
        return self.full is not None and self.full.usable


@dataclass(frozen=True)
class Failure:
    """Why a value of gamma was not reached, and the value that is tried in its place."""

    settings: Continuation
    status: Status
    ending: Ending
    before: float  # the last value that was reached
    following: float | None = None

    @property
    def gamma(self) -> float:
        return self.settings.gamma


@dataclass(frozen=True, eq=False)
class Result:
    """The values that were reached; `failure` if they are not all that were asked for."""

    env: Environment  # the one before, if none was reached
    request: Request  # for what was done, with the values that were reached
    reached: tuple[Reached, ...]
    failure: Failure | None
    is_interrupted: bool


@dataclass(frozen=True, eq=False)
class Sweep:
    """The values of gamma so far; `next` takes the one that follows."""

    env: Environment  # where it began
    request: Request
    ahead: Steps
    begin: float
    reached: tuple[Reached, ...] = ()
    latest: Reached | Failure | None = None
    is_interrupted: bool = False

    @classmethod
    def begun(cls, env: Environment, request: Request) -> Self:
        if request.stop:
            env.require("observation times")
        last = None if env.continuation is None else env.continuation.gamma
        begin = last if last is not None and last < request.gammas[0] else 0.0
        return cls(env, request, Steps(request.gammas, begin), begin)

    @property
    def has_several(self) -> bool:
        return len(self.request.gammas) > 1

    @property
    def is_over(self) -> bool:
        if self.is_interrupted or self.ahead.value is None:
            return True
        if isinstance(self.latest, Failure):
            return self.latest.following is None
        found = self.latest
        return found is not None and (found.is_accepted or (self.request.stop and found.is_integrable))

    def next(self, watch: Watch = unwatched) -> Sweep:
        """With the next value of gamma; smaller steps follow one that fails."""
        gamma, end = self.ahead.value, self.request.gammas[-1]
        assert gamma is not None
        settings = replace(self.request.settings, gamma=gamma)
        limit = self.request.steps if gamma == end else None
        fraction = (self.ahead.reached - self.begin) / (end - self.begin) if end > self.begin else 0.0
        env = self.reached[-1].env if self.reached else self.env
        found = _fitted(env, settings, limit, fraction if self.has_several else None, watch)
        ahead = deepcopy(self.ahead)
        if isinstance(found, Reached):
            ahead.succeed()
            return replace(self, ahead=ahead, reached=(*self.reached, found), latest=found)
        ahead.fail()
        following = ahead.value if self.has_several else None
        return replace(self, ahead=ahead, latest=replace(found, before=ahead.reached, following=following))

    def result(self) -> Result:
        failure = self.latest if isinstance(self.latest, Failure) else None
        if not self.reached:
            return Result(self.env, self.request, (), failure, self.is_interrupted)
        last = self.reached[-1]
        settings = replace(self.request.settings, gamma=last.gamma)
        done = Request(tuple(each.gamma for each in self.reached), settings, steps=last.limit)
        env, details = last.env.with_continuation(settings), [each.trace for each in self.reached]
        env = env.with_details(details)
        if last.full is not None and last.full.trajectory is not None:
            env = env.with_integration(last.full.trajectory, details)
        return Result(env, done, self.reached, failure, self.is_interrupted)


# ---- the work


def contin(env: Environment, request: Request, watch: Watch = unwatched) -> Result:
    """Take the values of gamma in turn; Ctrl-C keeps what those before the present one gave."""
    *_, last = swept(env, request, watch)
    return last.result()


def swept(env: Environment, request: Request, watch: Watch = unwatched) -> Iterator[Sweep]:
    """The sweep after each value of gamma that was tried."""
    sweep = Sweep.begun(env, request)
    while not sweep.is_over:
        try:
            sweep = sweep.next(watch)
        except KeyboardInterrupt:
            if not sweep.reached:
                raise
            interrupts.answered()
            sweep = replace(sweep, is_interrupted=True, latest=sweep.reached[-1])
        yield sweep


def _fitted(
    env: Environment, settings: Continuation, limit: int | None, fraction: float | None, watch: Watch
) -> Reached | Failure:
    problem, start = env.continuation_problem(settings), env.parameters.project(env.parameters.point)
    first = problem.evaluate(start)
    if not first.usable:
        return Failure(settings, first.status, Ending.START, 0.0)
    limits = replace(search.along_curves(env), max_iterations=limit or search.ALONG_CURVES, max_errors=ERRORS)
    limits = search.entered(env, limits, settings.lam, settings.rtol, settings.atol).among(problem.spread)
    part = Part(env, problem, first, fraction, settings)
    found = minimized(part, start, limits, env.parameters, watch)
    failed = next((each.status for each in reversed(found.trace.tried) if not each.usable), None)
    if found.result.ending is Ending.ERRORS and failed is not None and fraction is not None:
        return Failure(settings, failed, Ending.ERRORS, 0.0)  # a smaller step will do better
    new = env.with_values(env.parameters.expand(found.result.p))
    full = None if env.samples.uniform else new.problem().evaluate(new.parameters.point)
    taken = found.result.n_iterations if found.is_accepted else limit
    return Reached(settings, new, found.result, found.trace, full, failed, taken, found.is_accepted)
