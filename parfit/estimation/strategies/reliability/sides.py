"""Both sides of profiles on all cores, and how far they go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from parfit.dataclass import dataclass
from parfit.estimation.likelihood.rows import NoiseRows
from parfit.estimation.parameters import ParameterMap
from parfit.estimation.problems.trajectory_fit import TrajectoryFit
from parfit.estimation.profiles.elsewhere import doubt, ends_for, looked_again
from parfit.estimation.profiles.profile import Profile, joined, walked
from parfit.estimation.profiles.target import ParameterTarget, Target
from parfit.estimation.profiles.threshold import Threshold, threshold
from parfit.estimation.profiles.walk import BetterPointError, End, Side
from parfit.estimation.resampling import are_known
from parfit.estimation.strategies.parallel import Crew, Kept, spread
from parfit.estimation.strategies.reliability.fingerprint import fingerprint
from parfit.estimation.strategies.reliability.settling import Settled
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.session.environment import Environment

Targeted = tuple[Target, TrajectoryFit]


class Sides:
    """Both sides of all profiles: two numbers for each, the lower side first.

    Behind those that are wanted, some in number, may be others whose ends are looked from only.
    """

    def __init__(
        self,
        env: Environment,
        targets: Sequence[Targeted],
        labels: Sequence[str],
        limit: Threshold,
        kept: Kept,
        n_wanted: int | None = None,
    ):
        self._map, self._targets, self._limit, self._kept = env.parameters, targets, limit, kept
        self._n_wanted = len(targets) if n_wanted is None else n_wanted
        basis = fingerprint(env, "PROFILE", limit)
        self._names = [f"{basis}:{label}:{sign}" for label in labels for sign in "-+"]
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

    def done(self, tell: Callable[[float], None], crew: Crew | None) -> None:
        """Walk all that are missing; a better point is raised."""
        spread(self.walk, self.missing, self.hear, tell, crew)

    def look_again(self, crew: Crew | None) -> None:
        """Ask of all limits whether another valley leads beyond, where some are far from the linear theory; a better
        point is raised."""
        first = {number: side for number, side in self._found.items() if isinstance(side, Side)}
        doubts = {number: doubt(side, self._limit.rise) for number, side in first.items()}
        asked = [n for n in sorted(first) if self._has_limit(n) and ends_for(n, doubts)]
        known = {number: self._kept.get(f"{self._names[number]}:again") for number in asked}
        found: dict[int, Side | BetterPointError] = {
            number: Side.of(piece) for number, piece in known.items() if piece is not None
        }

        def hear(number: int, each: Side | BetterPointError) -> None:
            found[number] = each
            if isinstance(each, Side):
                self._kept.put(f"{self._names[number]}:again", each.plain())

        look = Look(self._map, self._targets, self._limit, first, doubts)
        spread(look, [number for number in asked if number not in found], hear, crew=crew)
        for number in asked:
            each = found[number]
            if isinstance(each, BetterPointError):
                raise each
            self._found[number] = each

    def _has_limit(self, number: int) -> bool:
        """Whether a side is that of a parameter that is wanted, and has ended at a limit."""
        side, target = self._found[number], self._targets[number // 2][0]
        is_wanted = number // 2 < self._n_wanted and isinstance(target, ParameterTarget)
        return is_wanted and isinstance(side, Side) and side.end is End.LIMIT

    @property
    def finished(self) -> list[int]:
        """Which of the profiles that are wanted have both sides."""
        done = {number for number, side in self._found.items() if isinstance(side, Side)}
        return [k for k in range(self._n_wanted) if {2 * k, 2 * k + 1} <= done]

    def profiles(self) -> tuple[Profile, ...]:
        """Those that are finished."""
        found = []
        for k in self.finished:
            lower, upper = (self._found[number] for number in (2 * k, 2 * k + 1))
            assert isinstance(lower, Side)
            assert isinstance(upper, Side)
            found.append(joined(self._map, self._targets[k][0], self._limit, lower, upper))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Look:
    """A second look at a side of a number; nothing in it changes."""

    map: ParameterMap
    targets: Sequence[Targeted]
    limit: Threshold
    sides: Mapping[int, Side]
    doubts: Mapping[int, float]

    def __call__(self, number: int, tell: Callable[[float], None]) -> Side | BetterPointError:
        target, problem = self.targets[number // 2]
        ends = [self.sides[k].points[-1].p for k in ends_for(number, self.doubts)]
        assert isinstance(target, ParameterTarget)
        try:
            return looked_again(problem, self.map, target, self.limit, self.sides[number], ends, tell)
        except BetterPointError as better:
            return better


def limit_of(start: Settled, request: Request) -> Threshold:
    """How far F may rise."""
    problem, at = start.problem, start.at
    start.require_errors()
    counts, is_known = problem.freedom(at), are_known(problem)
    together = counts.rank if request.joint else 1
    found = threshold(request.level, at.sum_of_squares, counts.n_free, is_known, together)
    if not problem.noise:
        return found
    # The deviance rises as chi-square does, or as n log F where errors are estimated, and T with it.
    scale = NoiseRows(problem.noise, problem.observations).scale
    rise = found.rise if is_known else counts.n_observations * float(np.log1p(found.rise / at.sum_of_squares))
    total = scale.total(scale.deviance(at.sum_of_squares) + rise)
    return replace(found, rise=total - at.sum_of_squares, fall=0.5 * rise)
