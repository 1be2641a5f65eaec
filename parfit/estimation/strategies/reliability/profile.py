"""How far parameters, combinations of them and predictions can go while the others follow: profiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from parfit import interrupts
from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.profiles.profile import Profile
from parfit.estimation.profiles.threshold import Threshold
from parfit.estimation.profiles.walk import BetterPointError
from parfit.estimation.strategies.parallel import Crew, Forgotten, Kept
from parfit.estimation.strategies.reliability.settling import present_total, require_fit, settled
from parfit.estimation.strategies.reliability.sides import Sides, limit_of
from parfit.estimation.strategies.reliability.wanted import Request, beside, check, complete, targeted
from parfit.session.environment import Environment

MOST_MINIMA = 10  # better ones that are adopted before one gives up


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
    request = complete(env, request)
    check(env, request)
    return _Work(env, request, How(tell, Forgotten() if kept is None else kept, crew)).done()


class _Work:
    """Profiles about one minimum, and about a better one if that is found on the way."""

    def __init__(self, env: Environment, request: Request, how: How):
        self._request, self._how = request, how
        self._before = present_total(env, "profile")
        self._at = settled(env)

    def done(self) -> Result:
        for _ in range(MOST_MINIMA):
            limit, env = limit_of(self._at, self._request), self._at.env
            shared = env.problem()
            wanted = (*self._request.wanted, *beside(self._at, self._request))
            targets, labels = [targeted(env, each, shared) for each in wanted], [each.written for each in wanted]
            sides = Sides(env, targets, labels, limit, self._how.kept, len(self._request.wanted))
            try:
                sides.done(self._how.tell, self._how.crew)
                sides.look_again(self._how.crew)
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

    def _result(self, sides: Sides, limit: Threshold, is_interrupted: bool = False) -> Result:
        found, wanted = sides.profiles(), tuple(self._request.wanted[k] for k in sides.finished)
        request = replace(self._request, wanted=wanted)
        env = self._at.integrated().with_profiles(found)
        return Result(request, env, found, limit, self._before, self._at.at.sum_of_squares, is_interrupted)
