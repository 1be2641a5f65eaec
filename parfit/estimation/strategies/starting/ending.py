"""Where the commands of a way lead: gone once more, as they will be typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from parfit.arrays import Array
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.estimation.diagnosis.judgement import Judgement, judged_at
from parfit.estimation.strategies.starting import ways
from parfit.estimation.strategies.starting.exploring import left_at
from parfit.estimation.strategies.starting.minima import SAME
from parfit.estimation.strategies.starting.ways import Step, Way
from parfit.session.environment import Environment

MOST_PLAYED = 6  # ways that are gone once more as commands, until one ends at a minimum

Played = tuple[Environment, list[Step]]


@dataclass(frozen=True, eq=False)
class Ending:
    """Where the commands of a way lead."""

    env: Environment
    steps: tuple[Step, ...]
    total: float
    residuals: Array
    judgement: Judgement


def ending(env: Environment, best: Way, ways: Sequence[Way], has_time: Callable[[], bool]) -> Ending:
    """Where commands that lead to the best end: the first that end at a minimum, or, without time, the first."""
    reached, steps = _gone_again(env, best, ways, has_time)
    problem = reached.problem()
    at = problem.evaluate(problem.parameters.point)
    judgement = reached.judgement or judged_at(problem, at)
    return Ending(reached, tuple(steps), at.sum_of_squares, left_at(problem, at), judgement)


def _gone_again(env: Environment, best: Way, all_ways: Sequence[Way], has_time: Callable[[], bool]) -> Played:
    ended = list(islice(_endings(env, best, all_ways, has_time), MOST_PLAYED))
    if not ended:
        steps = [*ways.set_to(env, best.values), ways.fit_more()]
        return ways.followed(env, steps), steps
    return next((each for each in ended if _is_minimum(each[0])), ended[0])


def _endings(env: Environment, best: Way, all_ways: Sequence[Way], has_time: Callable[[], bool]) -> Iterator[Played]:
    """All commands that lead to the best, the simplest first, with where they end."""
    most = (1.0 + SAME) * best.total
    agreeing = [each for each in all_ways if each.total <= most and each is not best]
    is_first = True
    for way in (best, *agreeing):
        for steps in way.lines(env):
            if not (is_first or has_time()):
                return
            is_first = False
            with suppress(ParfitError):
                there = ways.followed(env, steps)
                if there.sum_of_squares is not None and there.sum_of_squares <= most:
                    yield there, steps
                    if _is_minimum(there):
                        return


def _is_minimum(env: Environment) -> bool:
    return env.judgement is not None and env.judgement.is_minimum
