"""BOUNDS: limits between which parameters must stay."""

from __future__ import annotations

import numpy as np

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Answer, Question
from parfit.text import report

LIST = Question(
    "parameters and bounds",
    "ENTER LIST OF PARAMETERS WITH LOWER AND UPPER BOUNDS (0 TO END)",
    "Enter a parameter, its lower and its upper bound, then the next; NONE where there is none. 0 or RETURN ends, 0 "
    "alone removes all bounds.",
)
LOWER = Question("lower bound", "LOWER BOUND", "Enter a number, or NONE.")
UPPER = Question("upper bound", "UPPER BOUND", "Enter a number, or NONE.")


@command("BOUNDS", "parameters", (LIST, LOWER, UPPER), ("BOUNDS p1 0 NONE p5 0 1", "BOUNDS 0"), ("parameters",))
def bounds(env: Environment, ask: Dialogue) -> Environment:
    """Keep parameters between limits while fitting; 0 alone removes them all.

    FIT MARQUARDT stops a step at a bound, FIT MORE uses a trust-region method that knows of bounds.
    """
    reader = questions.name(env.model.parameters, "parameter")
    given = ask.many(LIST, reader, lambda name: [(LOWER, _limit(-np.inf)), (UPPER, _limit(np.inf))])
    n = len(env.model.parameters)
    lower, upper = env.parameters.lower.copy(), env.parameters.upper.copy()
    if not given:
        lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    for name, low, high in given:
        if not low < high:
            raise CommandError(f"the lower bound of {name} is not below its upper bound")
        k = env.model.parameters.index(name)
        lower[k], upper[k] = low, high
    new = env.with_bounds(lower, upper)
    ask.say(report.parameters(new))
    wrong = np.flatnonzero((new.values < lower) | (new.values > upper))
    outside = [new.model.parameters[k] for k in wrong]
    if outside:
        ask.warn(f"{', '.join(outside)} lies outside its bounds; fitting will begin at the nearest bound")
    return new


def _limit(none: float) -> questions.Reader[float]:
    number = questions.number()

    def read(token: str) -> Answer[float]:
        return Answer(none, "NONE") if token.lower() in ("none", "inf", "-inf") else number(token)

    return read
