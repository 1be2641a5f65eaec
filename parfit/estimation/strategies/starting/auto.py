"""From model and data to the answer: searches from the present values, along curves, and from many other places.

It ends as soon as what was found is believed, or when the budget is spent, with what is best. The way that succeeded
is a list of ordinary commands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from parfit.dataclass import dataclass
from parfit.errors import NumericalError
from parfit.estimation.diagnosis.judgement import Judgement
from parfit.estimation.strategies.starting.ladder import Ladder
from parfit.estimation.strategies.starting.minima import Minimum, agreeing, gathered
from parfit.estimation.strategies.starting.patience import Explanation, is_sharp, patience
from parfit.estimation.strategies.starting.rungs import Rung
from parfit.estimation.strategies.starting.ways import Way
from parfit.session.environment import Environment

BUDGET = 10.0  # seconds of processor time

Tell = Callable[[float, float], None]  # hears which part of the budget is spent, and the least sum of squares


@dataclass(frozen=True)
class Request:
    """How many seconds of processor time may be used, and which places are tried."""

    budget: float = BUDGET
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Result:
    """Where the best way ends, its commands, and all that was tried."""

    env: Environment
    lines: tuple[str, ...]
    ways: tuple[Way, ...]  # those that were gone to their end, in their order
    rungs: tuple[Rung, ...]
    best: Way
    judgement: Judgement
    fit: Explanation  # whether what is left could be errors of measurement
    as_near_as_curves: bool  # whether curves through the data leave about as much
    redundant: int  # combinations of the parameters that have no effect, whatever the values
    has_turned: bool  # whether parameters have other signs than they began with
    is_examined: bool  # whether a lower minimum was looked for beside the best
    are_left: bool  # whether other minima about as good may not have been met yet
    n_short: int  # short searches
    n_evaluations: int
    seconds: float
    is_interrupted: bool = False

    @cached_property
    def minima(self) -> tuple[Minimum, ...]:
        return gathered(self.ways)

    @property
    def explains(self) -> bool:
        """Whether what is left could be errors of measurement."""
        return self.fit.explains

    @property
    def follows(self) -> bool:
        """Whether the solution has at least the course of the data."""
        return self.fit.follows

    @property
    def n_agreeing(self) -> int:
        """How many ways have led to the best."""
        return agreeing(self.ways, self.best)

    @property
    def is_believed(self) -> bool:
        """Whether it is a minimum to which several ways have led, and nothing better is to be expected."""
        wanted = patience(self.fit, is_sharp(self.judgement, self.redundant), self.has_turned)
        is_agreed = wanted.is_agreed(self.n_agreeing + self.as_near_as_curves, len(self.ways))
        is_tried = (self.explains and not self.has_turned) or len(self.ways) >= wanted.ways
        is_searched = is_tried and self.is_examined and not self.are_left
        return self.judgement.is_minimum and is_agreed and is_searched and not self.is_interrupted


def auto(env: Environment, request: Request | None = None, tell: Tell = lambda part, total: None) -> Result:
    """Search until what was found is believed, or the budget is spent; Ctrl-C ends it at the best so far."""
    request, is_interrupted = request or Request(), False
    ladder = Ladder(env, request.budget, request.seed)
    try:
        for _ in ladder.climb():
            tell(ladder.seconds / ladder.budget, np.inf if ladder.best is None else ladder.best.total)
            if ladder.is_over():
                break
    except KeyboardInterrupt:
        if ladder.best is None:
            raise
        is_interrupted = True
    if ladder.best is None:
        raise NumericalError("the equations could be integrated at none of the places that were tried")
    return _result(ladder, is_interrupted)


def _result(ladder: Ladder, is_interrupted: bool) -> Result:
    """The best way, gone once more as the commands that it consists of."""
    end = ladder.ending()
    assert ladder.best is not None
    return Result(
        end.env,
        tuple(each.line for each in end.steps),
        tuple(ladder.ways),
        tuple(ladder.rungs.all),
        ladder.best,
        end.judgement,
        ladder.explanation(end.residuals),
        ladder.is_as_near(),
        ladder.redundant() if end.judgement.undetermined else 0,
        ladder.has_turned(),
        ladder.is_examined,
        ladder.are_left(),
        ladder.n_short,
        ladder.n_evaluations,
        ladder.seconds,
        is_interrupted,
    )
