"""SCAN: values of one parameter, tried one after the other."""

from __future__ import annotations

import numpy as np

from parfit import plotting
from parfit.commands.sight import of_one_experiment
from parfit.commands.table import command
from parfit.errors import NumericalError
from parfit.estimation.strategies import scan as strategy
from parfit.live.bar import working
from parfit.pictures.scan import scanned
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question
from parfit.text import scan as text

PARAMETER = Question("parameter", "WHICH PARAMETER IS TO BE TRIED", "Enter its name or subscript.", names="parameters")
FIRST = Question("first value", "FROM WHICH VALUE", "Enter the smallest value that is to be tried.")
LAST = Question("last value", "TO WHICH VALUE", "Enter the largest value that is to be tried.")
COUNT = Question("number", "HOW MANY VALUES", "Enter how many values, at equal distances, are to be tried.")
OTHERS = Question(
    "others",
    "WHAT ABOUT THE OTHER PARAMETERS",
    "HOLD leaves them as they are; FIT fits those that are active at each value, as FIT MORE does.",
    (Item(1, "HELD AS THEY ARE", "HOLD"), Item(2, "FITTED AT EACH VALUE", "FIT")),
)
MOST = 10_000  # values
HEIGHT = 14  # lines of the picture


@command(
    "SCAN",
    "computing",
    (PARAMETER, FIRST, LAST, COUNT, OTHERS),
    ("SCAN p1 0 2 20", "SCAN p1 .5 1.5 11 FIT"),
    ("parameters", "observations", "observation times"),
)
def scan(env: Environment, ask: Dialogue) -> Environment:
    """Try values of one parameter, and take the best: this helps where derivatives do not.

    A parameter that acts only in steps (floor, sign ...) cannot be fitted: SCAN finds it. Shown are the sums of
    squares at the values, as a table and as a picture; between the neighbours of the best it looks closer. If nothing
    is better than the present value, nothing is changed.
    """
    which = ask.one(PARAMETER, of_one_experiment(env, env.model.parameters, "parameter"))
    first, last = ask.number(FIRST), ask.number(LAST)
    count = ask.whole(COUNT, 2, MOST, default=20)
    fitted = ask.choice(OTHERS, default="HOLD").word == "FIT"
    ask.refuse_rest()
    with working(ask.console, f"SCAN {which}") as tell:
        found = strategy.scan(env, strategy.Request(which, first, last, count, fitted), tell)
    ask.say(text.table(found))
    console = ask.console
    picture = scanned(found.trials, which)
    ask.say(plotting.draw(picture, console.size[0], HEIGHT, console.colour, console.unicode))
    if not np.isfinite(found.trials.best.sum_of_squares):
        raise NumericalError(f"the equations could be integrated at none of these values of {which}")
    if found.is_better:
        ask.report(text.taken(found))
    else:
        ask.say(text.left(found))
    if found.is_at_end:
        ask.warn(text.beyond(found))
    return found.env
