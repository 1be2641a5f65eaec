"""How far parameters, combinations of them and predictions can go while the others follow: profiles."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from parfit import interrupts
from parfit.arrays import Array, read_only
from parfit.errors import CommandError, NumericalError, ParfitError
from parfit.estimation.diagnosis.residual_tests import counted
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles.profile import Profile, joined, walked
from parfit.estimation.profiles.target import ParameterTarget, QuantityTarget, Target
from parfit.estimation.profiles.threshold import Threshold, threshold
from parfit.estimation.profiles.walk import BetterPointError, Side
from parfit.estimation.resampling import are_known, n_free
from parfit.estimation.strategies.parallel import Crew, Forgotten, Kept, spread
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.estimation.strategies.reliability.settling import Settled, present_total, require_fit, settled
from parfit.model.language.expression import Name, nodes
from parfit.model.language.quantity import quantity, uses_solution, with_quantity
from parfit.model.textfile import exact, real
from parfit.session.environment import Environment
from parfit.session.questions import quoted, shown
from parfit.session.records import Samples

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


@dataclass(frozen=True)
class How:
    """Who is told the part that is done, where finished sides are kept, and who does the work."""

    tell: Callable[[float], None] = lambda part: None
    kept: Kept = field(default_factory=Forgotten)
    crew: Crew | None = None


def profile(
    env: Environment,
    request: Request,
    tell: Callable[[float], None] = lambda part: None,
    kept: Kept | None = None,
    crew: Crew | None = None,
) -> Result:
    """Profile all that is wanted; Ctrl-C keeps what was done, if anything was."""
    require_fit(env, "profiles")
    request = _complete(env, request)
    check(env, request)
    return _Work(env, request, How(tell, Forgotten() if kept is None else kept, crew)).done()


def check(env: Environment, request: Request) -> None:
    """Refuse what cannot be profiled, before anything is computed."""
    for wanted in request.wanted:
        targeted(env, wanted)


def targeted(env: Environment, wanted: Wanted, shared: TrajectoryFit | None = None) -> tuple[Target, TrajectoryFit]:
    """What is wanted, with the problem that computes it: the one that all parameters share, if there is one."""
    names = [name.lower() for name in env.model.parameters]
    if wanted.time is not None or wanted.text.lower() not in names:
        return _quantity(env, wanted)
    k = names.index(wanted.text.lower())
    if k in env.parameters.frozen:
        raise CommandError(f"{wanted.text} is frozen", f"UNFREEZE {wanted.text} lets it be profiled")
    return ParameterTarget(env.parameters, env.parameters.active.index(k)), shared or env.problem()


def _complete(env: Environment, request: Request) -> Request:
    """With all active parameters, where nothing was named."""
    names = env.model.parameters
    every = tuple(Wanted(names[k]) for k in env.parameters.active)
    return replace(request, wanted=tuple(dict.fromkeys(request.wanted)) or every)


class _Work:
    """Profiles about one minimum, and about a better one if that is found on the way."""

    def __init__(self, env: Environment, request: Request, how: How):
        self._request, self._how = request, how
        self._before = present_total(env, "profile")
        self._at = settled(env)

    def done(self) -> Result:
        for _ in range(MOST_MINIMA):
            limit = _threshold(self._at, self._request)
            sides = _Sides(self._at.env, self._request, limit, self._how.kept)
            try:
                spread(sides.walk, sides.missing, sides.hear, self._how.tell, self._how.crew)
            except BetterPointError as better:
                self._at = settled(self._at.env, better.place.p)
                continue
            except KeyboardInterrupt:
                if not sides.finished:
                    raise
                interrupts.answered()
                return self._result(sides, limit, is_interrupted=True)
            return self._result(sides, limit)
        raise NumericalError(f"better minima were found {MOST_MINIMA} times; FIT first")

    def _result(self, sides: _Sides, limit: Threshold, is_interrupted: bool = False) -> Result:
        found, wanted = sides.profiles(), tuple(self._request.wanted[k] for k in sides.finished)
        request = replace(self._request, wanted=wanted)
        env = self._at.integrated().with_profiles(found)
        return Result(request, env, found, limit, self._before, self._at.at.sum_of_squares, is_interrupted)


class _Sides:
    """Both sides of all profiles: two numbers for each that is wanted, the lower side first."""

    def __init__(self, env: Environment, request: Request, limit: Threshold, kept: Kept):
        self._map, self._limit, self._kept = env.parameters, limit, kept
        shared = env.problem()
        self._targets = [targeted(env, wanted, shared) for wanted in request.wanted]
        basis = fingerprint(env, "PROFILE", limit)
        self._names = [f"{basis}:{each.written}:{sign}" for each in request.wanted for sign in "-+"]
        self._found: dict[int, Side | BetterPointError] = {}
        for number, name in enumerate(self._names):
            piece = kept.get(name)
            if piece is not None:
                self._found[number] = Side.of(piece)
        self.missing = [number for number in range(len(self._names)) if number not in self._found]

    def walk(self, number: int, tell: Callable[[float], None]) -> Side | BetterPointError:
        """One side, or the better point that was found there."""
        target, problem = self._targets[number // 2]
        try:
            return walked(problem, self._map, target, self._limit, 1.0 if number % 2 else -1.0, tell)
        except BetterPointError as better:
            return better

    def hear(self, number: int, found: Side | BetterPointError) -> None:
        """Keep a side; a better point ends the work, if no side before it can have one: so it is always the same."""
        self._found[number] = found
        if isinstance(found, Side):
            self._kept.put(self._names[number], found.plain())
        for k in range(len(self._names)):
            each = self._found.get(k)
            if isinstance(each, BetterPointError):
                raise each
            if each is None:
                return

    @property
    def finished(self) -> list[int]:
        """Which profiles have both sides."""
        done = {number for number, side in self._found.items() if isinstance(side, Side)}
        return [k for k in range(len(self._targets)) if {2 * k, 2 * k + 1} <= done]

    def profiles(self) -> tuple[Profile, ...]:
        """Those that are finished."""
        found = []
        for k in self.finished:
            lower, upper = (self._found[number] for number in (2 * k, 2 * k + 1))
            assert isinstance(lower, Side)
            assert isinstance(upper, Side)
            found.append(joined(self._map, self._targets[k][0], self._limit, lower, upper))
        return tuple(found)


def _threshold(start: Settled, request: Request) -> Threshold:
    problem, at = start.problem, start.at
    start.require_errors()
    left, is_known = n_free(problem, at), are_known(problem)
    n = int(np.count_nonzero(counted(problem.observations)))
    found = threshold(request.level, at.sum_of_squares, left, is_known, n + at.n_priors - left if request.joint else 1)
    if not problem.noise:
        return found
    # The deviance rises as chi-square does, or as n log F where errors are estimated, and T with it.
    scale = NoiseRows(problem.noise, problem.observations).scale
    rise = found.rise if is_known else n * float(np.log1p(found.rise / at.sum_of_squares))
    return replace(found, rise=scale.total(scale.deviance(at.sum_of_squares) + rise) - at.sum_of_squares)


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
