"""How far parameters, combinations of them and predictions can go while the others follow: profiles."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from parfit import interrupts
from parfit.arrays import Array, read_only
from parfit.errors import CommandError, NumericalError, ParfitError, StateError
from parfit.estimation.diagnosis.minimum import rounding
from parfit.estimation.diagnosis.residual_tests import counted, has_known_errors, rows_counted
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.optimizers import bounded
from parfit.estimation.problem import Evaluation
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles.profile import Profile, profiled
from parfit.estimation.profiles.target import ParameterTarget, QuantityTarget, Target
from parfit.estimation.profiles.threshold import Threshold, threshold
from parfit.estimation.profiles.walk import BetterPointError
from parfit.model.language.expression import Name, nodes
from parfit.model.language.quantity import quantity, uses_solution, with_quantity
from parfit.model.textfile import exact, real
from parfit.session.environment import Environment
from parfit.session.questions import quoted, shown
from parfit.session.records import Samples
from parfit.spectrum import directions

LEVEL = 95.0
AT, JOINT = "AT", "JOINT"  # words of a request
WORDS = re.compile(r'"([^"]*)"|([^\s,"]+)')
MOST_MINIMA = 10  # better ones that are adopted before one gives up
EXTRA = "profiled"  # the aux quantity that is added for what is asked for


@dataclass(frozen=True)
class Wanted:
    """What is profiled: a parameter or an expression, and of what depends on the solution the time."""

    text: str
    time: float | None = None

    @property
    def name(self) -> str:
        return self.text if self.time is None else f"{self.text} at {self.time:g}"

    @property
    def written(self) -> str:
        return quoted(self.text) + ("" if self.time is None else f" AT {exact(self.time)}")


@dataclass(frozen=True)
class Request:
    """The level in per cent, what is wanted (nothing: every active parameter), and whether intervals hold jointly."""

    level: float = LEVEL
    wanted: tuple[Wanted, ...] = ()
    joint: bool = False

    def __post_init__(self) -> None:
        problem = refused(self.level)
        if problem:
            raise CommandError(f"{self.level:g} {problem}")

    def written(self) -> str:
        """The line that, typed, does the same."""
        words = [exact(self.level), *(each.written for each in self.wanted), *(["JOINT"] if self.joint else [])]
        return " ".join(["PROFILE", *words])


@dataclass(frozen=True, eq=False)
class Result:
    """Profiles, in the order in which they were asked for, with the environment at the minimum they belong to."""

    request: Request  # as far as it was done
    env: Environment
    profiles: tuple[Profile, ...]
    threshold: Threshold
    before: float  # the sum of squares that was there
    total: float  # at the minimum
    is_interrupted: bool = False

    @property
    def is_moved(self) -> bool:
        """Whether a better minimum was found, and adopted."""
        return self.total < self.before

    @property
    def n_evaluations(self) -> int:
        return sum(each.n_evaluations for each in self.profiles)


def refused(level: float) -> str | None:
    """Why a level will not do, or None."""
    return None if 1.0 <= level < 100.0 else "is no level; enter per cent, such as 95, from 1 to below 100"


def read(line: str) -> Request:
    """The request of a line: a level, if it begins with one, what is wanted, and JOINT."""
    words = _words(line)
    number = real(words[0].removesuffix("%")) if words else None
    rest = [word for word in (words if number is None else words[1:]) if word.upper() != JOINT]
    return Request(LEVEL if number is None else number, _wanted(rest), JOINT in map(str.upper, words))


def read_wanted(line: str) -> tuple[Wanted, ...]:
    """What is wanted, by names, expressions, and AT with a time."""
    return _wanted([line] if AT not in line.upper().split() else _words(line))


def _words(line: str) -> list[str]:
    return [quoted or bare for quoted, bare in WORDS.findall(line)]


def _wanted(words: list[str]) -> tuple[Wanted, ...]:
    found, left = list[Wanted](), list(words)
    while left:
        word = left.pop(0)
        if word.upper() == AT:
            found[-1:] = [_at(found, left)]
        elif real(word) is not None:
            raise CommandError(f"{shown(' '.join([word, *left]))} is more than the command can use")
        else:
            found.append(Wanted(word))
    return tuple(found)


def _at(wanted: list[Wanted], words: list[str]) -> Wanted:
    time = real(words[0]) if words else None
    if time is None or not wanted or not np.isfinite(time):
        raise CommandError("before AT stands what is wanted, and after it a time: y1 AT 24")
    del words[0]
    return Wanted(wanted[-1].text, time)


def profile(env: Environment, request: Request, tell: Callable[[float], None] = lambda part: None) -> Result:
    """Profile all that is wanted; Ctrl-C keeps what was done, if anything was."""
    env.require("parameters", "observations", "observation times")
    if env.loss:
        raise StateError(
            f"the parameters were fitted with the loss {env.loss}, and profiles are of least squares", "FIT"
        )
    request = _complete(env, request)
    check(env, request)
    return _Work(env, request, tell).done()


def check(env: Environment, request: Request) -> None:
    """Refuse what cannot be profiled, before anything is computed."""
    for wanted in request.wanted:
        targeted(env, wanted)


def targeted(env: Environment, wanted: Wanted) -> tuple[Target, TrajectoryFit]:
    """What is wanted, with the problem that computes it."""
    names = [name.lower() for name in env.model.parameters]
    if wanted.time is not None or wanted.text.lower() not in names:
        return _quantity(env, wanted)
    k = names.index(wanted.text.lower())
    if k in env.parameters.frozen:
        raise CommandError(f"{wanted.text} is frozen", f"UNFREEZE {wanted.text} lets it be profiled")
    return ParameterTarget(env.parameters, env.parameters.active.index(k)), env.problem()


def _complete(env: Environment, request: Request) -> Request:
    """With all active parameters, where nothing was named."""
    names = env.model.parameters
    every = tuple(Wanted(names[k]) for k in env.parameters.active)
    return replace(request, wanted=tuple(dict.fromkeys(request.wanted)) or every)


class _Work:
    """Profiles about one minimum, and about a better one if that is found on the way."""

    def __init__(self, env: Environment, request: Request, tell: Callable[[float], None]):
        self._env, self._request, self._tell = env, request, tell
        problem = env.problem()
        first = problem.evaluate(problem.parameters.project(problem.parameters.point))
        if not first.usable:
            raise NumericalError(f"there is no profile at these parameters: {first.status}")
        self._before = first.sum_of_squares

    def done(self) -> Result:
        problem, at = self._minimum(self._env.parameters.project(self._env.parameters.point))
        for _ in range(MOST_MINIMA):
            limit = _threshold(problem, at, self._request)
            found: list[Profile] = []
            try:
                self._make(limit, found)
            except BetterPointError as better:
                problem, at = self._minimum(better.place.p)
                continue
            except KeyboardInterrupt:
                if not found:
                    raise
                interrupts.answered()
                return self._result(found, limit, at.sum_of_squares, is_interrupted=True)
            return self._result(found, limit, at.sum_of_squares)
        raise NumericalError(f"better minima were found {MOST_MINIMA} times; FIT first")

    def _minimum(self, start: Array) -> tuple[TrajectoryFit, Evaluation]:
        """Go to the minimum that lies below a point."""
        problem = self._env.problem()
        map_ = problem.parameters
        found = bounded.minimize(problem, start, bounded.Settings(), map_.active_bounds).unless_interrupted()
        here = problem.evaluate(map_.project(map_.point))
        # Rounding moves nobody: who has fitted stays where the fit has ended.
        if found.evaluation.sum_of_squares < here.sum_of_squares * (1.0 - bounded.Settings().tol):
            self._env = self._env.with_values(map_.expand(found.p))
            problem = self._env.problem()
            here = problem.evaluate(problem.parameters.point)
        return problem, here

    def _make(self, limit: Threshold, found: list[Profile]) -> None:
        """All profiles, each put to those found as soon as it is there."""
        n = len(self._request.wanted)
        for number, wanted in enumerate(self._request.wanted):
            target, problem = targeted(self._env, wanted)
            tell = partial(self._part, number, n)
            found.append(profiled(problem, self._env.parameters, target, limit, tell))

    def _part(self, number: int, n: int, part: float) -> None:
        """That so much of one profile of n is done."""
        self._tell((number + part) / n)

    def _result(self, found: list[Profile], limit: Threshold, total: float, is_interrupted: bool = False) -> Result:
        env = self._env
        request = replace(self._request, wanted=self._request.wanted[: len(found)])
        if env.integrated is None:
            env = env.with_integration(env.simulator()(env.values, sensitivities=True))
        env = env.with_profiles(found)
        return Result(request, env, tuple(found), limit, self._before, total, is_interrupted)


def _threshold(problem: TrajectoryFit, at: Evaluation, request: Request) -> Threshold:
    counting = rows_counted(at, problem.observations)
    rank = directions(at.jac[counting], at.precision).rank
    n, is_known = int(np.count_nonzero(counted(problem.observations))), _are_known(problem)
    n_free = n + at.n_priors - rank
    if not is_known and n_free <= 0:
        raise StateError(
            "no degrees of freedom are left for estimating the error of the observations",
            "give standard deviations with the data (columns named like y1.sd)",
        )
    if not is_known and np.sqrt(at.sum_of_squares) <= rounding(problem.weighted(at)):
        raise StateError("the fit is exact but for rounding, so that no error of the observations can be estimated")
    found = threshold(request.level, at.sum_of_squares, n_free, is_known, rank if request.joint else 1)
    if not problem.noise:
        return found
    # The deviance rises as chi-square does, or as n log F where errors are estimated, and T with it.
    scale = NoiseRows(problem.noise, problem.observations).scale
    rise = found.rise if is_known else n * float(np.log1p(found.rise / at.sum_of_squares))
    return replace(found, rise=scale.total(scale.deviance(at.sum_of_squares) + rise) - at.sum_of_squares)


def _are_known(problem: TrajectoryFit) -> bool:
    """Whether no standard deviation of an observation is estimated."""
    if not problem.noise:
        return has_known_errors(problem.observations)
    return not any(group.is_estimated for group in NoiseRows(problem.noise, problem.observations).groups)


def _quantity(env: Environment, wanted: Wanted) -> tuple[QuantityTarget, TrajectoryFit]:
    """An expression, as one more aux quantity of the model."""
    try:
        asked = quantity(env.model, wanted.text)
    except ParfitError as error:
        known = f"the parameters are {', '.join(env.model.parameters)}"
        raise CommandError(f"{wanted.text} can be no profile: {error}", known) from None
    if not any(isinstance(each, Name) for each in nodes(asked)):
        raise CommandError(f"{wanted.text} is a number, and has no profile")
    if uses_solution(env.model, asked) and wanted.time is None:
        raise CommandError(f"{wanted.text} changes with time", f"say when: PROFILE {wanted.text} AT 10")
    times = env.samples.times if wanted.time is None else _times_with(env, wanted.time)
    wider = replace(env, model=with_quantity(env.model, EXTRA, asked), samples=Samples(read_only(times)))
    place = 0 if wanted.time is None else int(np.searchsorted(times, wanted.time))
    return QuantityTarget(env.parameters, EXTRA, place, wanted.name), wider.problem()


def _times_with(env: Environment, time: float) -> Array:
    """The sample times and one more."""
    times = env.samples.times
    if time < env.model.t0:
        raise CommandError(f"{time:g} is before the model begins, at {env.model.t0:g}")
    if env.options.method.procedure == "trapezoid" and time < times[-1] and time not in times:
        raise CommandError(
            f"the trapezoidal rule goes from one sample time to the next, and {time:g} is none of them",
            "OPTION ACCURATE integrates to any time",
        )
    return np.unique([*times, time])
