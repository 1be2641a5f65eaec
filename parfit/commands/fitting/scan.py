"""SCAN: values of one parameter, tried one after the other."""

from __future__ import annotations

import numpy as np

from parfit.commands.table import command
from parfit.errors import CommandError, NumericalError
from parfit.estimation.parameters import Scaling
from parfit.estimation.strategies.scan import Trials, try_values
from parfit.live.bar import working
from parfit.plotting import Figure, Series
from parfit.session.console import Console
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question, name
from parfit.text import report

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
STEEP = 100.0  # factor between sums of squares, from which on their logarithms are drawn


@command(
    "SCAN",
    "computing",
    (PARAMETER, FIRST, LAST, COUNT, OTHERS),
    ("SCAN p1 0 2 20", "SCAN p1 .5 1.5 11 FIT"),
    ("parameters", "observations", "observation times"),
)
def scan(env: Environment, ask: Dialogue) -> Environment:
    """Try values of one parameter, and take the best; what helps where no derivative does.

    A parameter that acts only through a switch (heav, if ...) cannot be fitted: SCAN finds it. Shown are the sums of
    squares at the values, as a table and as a picture; between the neighbours of the best it looks closer. If nothing
    is better than what there is, nothing is changed.
    """
    which = ask.one(PARAMETER, name(env.model.parameters, "parameter"))
    first, last = ask.number(FIRST), ask.number(LAST)
    count = ask.whole(COUNT, 2, MOST, default=20)
    fitted = ask.choice(OTHERS, default="HOLD").word == "FIT"
    ask.refuse_rest()
    k = env.model.parameters.index(which)
    _check(env, k, first, last)
    problem = env.problem()
    with working(ask.console, f"SCAN {which}") as tell:
        now = problem.evaluate(problem.parameters.project(problem.parameters.point))
        found = try_values(problem, k, np.linspace(first, last, count).tolist(), env.sizes, fitted, tell)
    ask.say(_table(found, which))
    ask.say(_picture(found, which, ask.console))
    present = now.sum_of_squares if now.usable else np.inf
    if not np.isfinite(found.best.sum_of_squares):
        raise NumericalError(f"the equations could be integrated at none of these values of {which}")
    if not found.best.sum_of_squares < present:
        ask.say(
            f"none is better than {which} = {report.number(env.values[k])}, F = {report.number(present)}: it stays"
        )
        return env
    new = env.with_values(found.best.values)
    new = new.with_integration(new.simulator()(new.values, sensitivities=True))
    ask.report(
        f"SCAN has taken {which} = {report.number(found.best.value)}, SUM OF SQUARES OF THE RESIDUALS "
        f"{report.number(found.best.sum_of_squares)}\n{report.parameters(new)}\n"
    )
    return new


def _check(env: Environment, k: int, first: float, last: float) -> None:
    map_ = env.parameters
    if not first < last:
        raise CommandError(f"the values must go up, but {last:g} is not larger than {first:g}")
    if first < map_.lower[k] or last > map_.upper[k]:
        raise CommandError(f"{map_.names[k]} has bounds, {map_.lower[k]:g} to {map_.upper[k]:g}; stay within them")
    if map_.scaling[k] and (first < 0.0 or (map_.scaling[k] is Scaling.LOGARITHM and first == 0.0)):
        raise CommandError(
            f"{map_.names[k]} is scaled, and has to stay positive; SCALE {map_.names[k]} NONE ends that"
        )


def _table(found: Trials, which: str) -> str:
    best = min(found.tried, key=lambda each: each.sum_of_squares)
    rows = [
        (report.number(each.value), _total(each.sum_of_squares), "<" if each is best else "") for each in found.tried
    ]
    text = report.columns([which, "sum of squares", ""], list(zip(*rows, strict=True)), left=[2])
    if found.best is best:
        return text
    least = _total(found.best.sum_of_squares)
    return f"{text}\nbetween its neighbours: {which} = {report.number(found.best.value)}, {least}"


def _total(total: float) -> str:
    return report.number(total) if np.isfinite(total) else "not integrated"


def _picture(found: Trials, which: str, console: Console) -> str:
    """The sums of squares against the values."""
    shown = sorted((*found.tried, found.best), key=lambda each: each.value)
    x = np.array([each.value for each in shown])
    y = np.array([each.sum_of_squares if np.isfinite(each.sum_of_squares) else np.nan for each in shown])
    best = Series("the best", np.array([found.best.value]), np.array([found.best.sum_of_squares]), "points", 1)
    known = y[np.isfinite(y)]
    steep = bool(known.size and known.min() > 0.0 and known.max() > STEEP * known.min())
    figure = Figure((Series("F", x, y, "solid"), best), which, "SUM OF SQUARES", y_log=steep)
    return console.drawn(figure, height=HEIGHT)
