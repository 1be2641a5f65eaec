"""A way: ordinary commands one after the other, each as a line that is typed and as what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.estimation.optimizers import bounded
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies import curve_fit, fit, smooth
from parfit.estimation.strategies.starting.exploring import Search
from parfit.estimation.strategies.starting.places import Place
from parfit.model.textfile import exact
from parfit.session.environment import Environment
from parfit.session.questions import plain, quoted


@dataclass(frozen=True, eq=False)
class Step:
    """One command."""

    line: str
    do: Callable[[Environment], Environment]


@dataclass(frozen=True, eq=False)
class Way:
    """What one way has led to."""

    label: str
    total: float
    values: Array  # of all parameters
    residuals: Array
    search: Search | None = None  # None where curves were followed
    steps: tuple[Step, ...] = ()

    @property
    def seconds(self) -> float:
        """Of processor time that its search took."""
        return 0.0 if self.search is None else self.search.seconds

    def lines(self, env: Environment) -> Iterator[list[Step]]:
        """The commands that lead there, the simplest first."""
        return of_search(env, self.search) if self.search else iter([list(self.steps)])


def set_to(env: Environment, values: Array) -> list[Step]:
    """SET, if these are other values of the active parameters."""
    active = env.parameters.active
    if np.array_equal(values[list(active)], env.values[list(active)]):
        return []
    words = [f"{quoted(env.model.parameters[k])} {plain(float(values[k]))}" for k in active]
    return [Step(f"SET {' '.join(words)}", lambda env: env.with_values(values))]


def scale_as(env: Environment, before: Sequence[Scaling], after: Sequence[Scaling]) -> Step:
    """SCALE from one scaling to another."""
    names = env.model.parameters
    changed = [k for k in range(len(names)) if after[k] is not before[k]]
    words = [f"{quoted(names[k])} {after[k].typed}" for k in changed]
    return Step(f"SCALE {' '.join(words)}", lambda env: env.with_scaling(dict(zip(names, after, strict=True))))


def fit_more(limit: int | None = None) -> Step:
    """FIT by More's method, within a limit of evaluations."""
    settings = bounded.Settings() if limit is None else bounded.Settings(max_evaluations=limit)
    line = "FIT MORE" if limit is None else f"FIT MORE {exact(settings.tol)} {limit}"
    return Step(line, lambda env: fit.fit(env, fit.Request(settings)).env)


def along_curves() -> list[Step]:
    """Curves through the data, integrals of the equations along them, and the full problem from there."""
    request = curve_fit.Request(curve_fit.INTEGRAL)
    return [_smooth(), Step("IFIT REGULAR", lambda env: curve_fit.curve_fit(env, request).env), fit_more()]


def _smooth() -> Step:
    return Step("SMOOTH SPLINE AUTO", lambda env: smooth.smooth(env, smooth.Request()).env)


def _ifit_more(limit: int) -> Step:
    """IFIT by More's method, within a limit of evaluations."""
    settings = bounded.Settings(max_evaluations=limit)
    request = curve_fit.Request(curve_fit.INTEGRAL, how=settings)
    return Step(f"IFIT REGULAR MORE {exact(settings.tol)} {limit}", lambda env: curve_fit.curve_fit(env, request).env)


def of_search(env: Environment, search: Search) -> Iterator[list[Step]]:
    """The commands that search from its place, and then once more in the scaling there was; the simplest first.

    In the scaling of the place they may end at a minimum that is too narrow a valley in the other. Where curves have
    led to the place, so do commands, or else its values are set.
    """
    place, here, last = search.place, env.parameters.scaling, fit_more()
    there = [] if place.scaling == here else [scale_as(env, here, place.scaling)]
    back = [] if place.scaling == here else [scale_as(env, place.scaling, here), last]
    for begin in _beginnings(env, place):
        yield [*begin[0], *there, *begin[1], last, *back]
        if back or len(search.limits) > 1:
            yield [*begin[0], *there, *begin[1], *map(fit_more, search.limits), *back]
        if back:
            yield [*begin[0], *there, *begin[1], last]


def _beginnings(env: Environment, place: Place) -> Iterator[tuple[list[Step], list[Step]]]:
    """The commands that lead to a place, before and after those that scale the parameters."""
    before = place.before
    if before is not None:
        yield [*set_to(env, before.place.values), _smooth()], list(map(_ifit_more, before.limits))
    yield set_to(env, place.values), []


def followed(env: Environment, steps: Iterable[Step]) -> Environment:
    """Where a way leads."""
    for step in steps:
        env = step.do(env).made_by(step.line)
    return env
