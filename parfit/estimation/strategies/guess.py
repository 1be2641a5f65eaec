"""Guessed observations on a state that was not observed: a curve through a few points.

result = guess(env, Request("y2", [0, 2.5, 8.75, 12.5], [8, 3, 5, 4]))
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from parfit.arrays import read_only
from parfit.dataclass import dataclass
from parfit.errors import StateError
from parfit.estimation.curves.guessing import Points, guessed_curve, ordered
from parfit.estimation.curves.smoothing import points_of
from parfit.model.curves import ORDER
from parfit.session.environment import Environment
from parfit.session.questions import plain, quoted
from parfit.session.records import Guess


@dataclass(frozen=True, eq=False)
class Request:
    """A state, and the points through which its curve goes; which should reach from first to last sample time."""

    name: str
    t: ArrayLike
    y: ArrayLike

    @property
    def points(self) -> Points:
        return ordered(self.t, self.y)

    def written(self) -> str:
        """The line that does it."""
        t, y = self.points
        return " ".join(["CREOBS", quoted(self.name), str(t.size), *(plain(float(value)) for value in (*t, *y))])


@dataclass(frozen=True, eq=False)
class Result:
    """The environment with the guess among its others."""

    env: Environment
    guess: Guess


def guess(env: Environment, request: Request) -> Result:
    """Guess a state that was not observed."""
    if request.name not in unobserved(env):
        raise StateError(f"{request.name} is no state that was not observed")
    t, y = request.points
    found = Guess(read_only(t), read_only(y), guessed_curve(t, y))
    return Result(env.with_guesses({request.name: found}), found)


def unobserved(env: Environment) -> list[str]:
    """The states that may be guessed: those without observations, or with too few for a curve."""
    data = env.observations
    observed = [] if data is None else [name for name in data.names if points_of(data, name).n_times >= ORDER]
    return [name for name in env.model.states if name not in observed]
