"""What is to be profiled: a line, the parameters and quantities that it names, and the problems that compute them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from parfit.arrays import Array, read_only
from parfit.dataclass import dataclass
from parfit.errors import CommandError, ParfitError
from parfit.estimation.diagnosis.statistics import determine
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles.target import ParameterTarget, QuantityTarget, Target
from parfit.estimation.strategies.reliability.settling import Settled
from parfit.model.language.expression import Name, nodes
from parfit.model.language.quantity import quantity, uses_solution, with_quantity
from parfit.model.naming import family
from parfit.model.textfile import exact, real
from parfit.session.environment import Environment
from parfit.session.questions import quoted, shown
from parfit.session.records import Samples

LEVEL = 95.0
MOST_BESIDE = 4  # other parameters that are profiled for the sake of one
AT, JOINT, ALL = "AT", "JOINT", "ALL"  # words of a request
WORDS = re.compile(r'"([^"]*)"|([^\s,"]+)')
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


def refused(level: float) -> str | None:
    """Why a level will not do, or None."""
    return None if 1.0 <= level < 100.0 else "is no level; enter per cent, such as 95, from 1 to below 100"


def read(line: str) -> Request:
    """The request of a line: a level, if it begins with one, what is wanted (ALL is what nothing is), and JOINT."""
    words = _words(line)
    number = real(words[0].removesuffix("%")) if words else None
    rest = [word for word in (words if number is None else words[1:]) if word.upper() not in (JOINT, ALL)]
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
        raise CommandError("AT needs what is wanted before it and a time after it, as in y1 AT 24")
    del words[0]
    return Wanted(wanted[-1].text, time)


def check(env: Environment, request: Request) -> None:
    """Refuse what cannot be profiled, before anything is computed."""
    for wanted in complete(env, request).wanted:
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


def complete(env: Environment, request: Request) -> Request:
    """With all active parameters, where nothing was named; what stands for all experiments is one of each."""
    names = env.model.parameters
    every = tuple(Wanted(names[k]) for k in env.parameters.active)
    wanted = tuple(own for each in request.wanted for own in _of_experiments(env, each))
    return replace(request, wanted=tuple(dict.fromkeys(wanted)) or every)


def beside(at: Settled, request: Request) -> tuple[Wanted, ...]:
    """Other active parameters, where some are wanted: the ends of their profiles show whether F is lower elsewhere at
    the limits of these. Those that are correlated most are most likely to, and more would take long."""
    map_ = at.env.parameters
    names = [map_.names[k] for k in map_.active]
    given = {each.text.lower() for each in request.wanted if each.time is None}
    own = [k for k, name in enumerate(names) if name.lower() in given]
    others = [k for k in range(len(names)) if k not in own]
    if not own or not others:
        return ()
    related = np.abs(np.nan_to_num(determine(at.at.jac, at.at.precision).correlation, nan=1.0))[own].max(axis=0)
    nearest = sorted(others, key=lambda k: -related[k])[:MOST_BESIDE]
    return tuple(Wanted(names[k]) for k in sorted(nearest))


def _of_experiments(env: Environment, wanted: Wanted) -> list[Wanted]:
    """k for k[low] and k[high], if they are not frozen; what stands for one thing only is that."""
    names = env.model.parameters if wanted.time is None else env.variables
    found = family(wanted.text, names)
    if len(found) < 2:
        return [wanted]
    active = {names[k] for k in env.parameters.active} if wanted.time is None else set(names)
    return [Wanted(name, wanted.time) for name in found if name in active] or [wanted]


def _quantity(env: Environment, wanted: Wanted) -> tuple[QuantityTarget, TrajectoryFit]:
    """An expression, as one more aux quantity of the model."""
    try:
        asked = quantity(env.model, wanted.text)
    except ParfitError as error:
        known = f"the parameters are {', '.join(env.model.parameters)}"
        raise CommandError(f"{shown(wanted.text)} cannot be profiled: {error}", known) from None
    if not any(isinstance(each, Name) for each in nodes(asked)):
        raise CommandError(f"{wanted.text} is a number, and has no profile")
    if uses_solution(env.model, asked) and wanted.time is None:
        raise CommandError(f"{wanted.text} changes with time", f"say when: PROFILE {wanted.text} AT 10")
    wider = env if wanted.time is None else with_times(env, [wanted.time])
    place = 0 if wanted.time is None else int(np.searchsorted(wider.samples.times, wanted.time))
    wider = replace(wider, model=with_quantity(env.model, EXTRA, asked))
    return QuantityTarget(env.parameters, EXTRA, place, wanted.name), wider.problem()


def with_times(env: Environment, times: ArrayLike) -> Environment:
    """The environment with more sample times, where the method can do so."""
    known = env.samples.times
    missing: Array = np.setdiff1d(times, known)
    if not missing.size:
        return env
    if missing[0] < env.model.t0:
        raise CommandError(f"{missing[0]:g} is before the model begins, at {env.model.t0:g}")
    if env.options.method.procedure == "trapezoid" and missing[0] < known[-1]:
        raise CommandError(
            f"the trapezoidal rule goes from one sample time to the next, and {missing[0]:g} is none of them",
            "OPTION ACCURATE integrates to any time",
        )
    return replace(env, samples=Samples(read_only(np.union1d(known, missing))))
