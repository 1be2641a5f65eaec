"""Values of one parameter that were tried, as a table and as a sentence."""

from __future__ import annotations

import numpy as np

from parfit.estimation.strategies.scan import Result
from parfit.text.report import columns, number, parameters


def table(found: Result) -> str:
    """The sums of squares at the values, the best marked."""
    which, tried = found.request.parameter, found.trials.tried
    best = min(tried, key=lambda each: each.sum_of_squares)
    rows = [(number(each.value), total(each.sum_of_squares), "<" if each is best else "") for each in tried]
    text = columns([which, "sum of squares", ""], list(zip(*rows, strict=True)), left=[2])
    if found.trials.best is best:
        return text
    least = total(found.trials.best.sum_of_squares)
    return f"{text}\nbetween its neighbours: {which} = {number(found.trials.best.value)}, {least}"


def total(sum_of_squares: float) -> str:
    return number(sum_of_squares) if np.isfinite(sum_of_squares) else "not integrated"


def taken(found: Result) -> str:
    """The best value, which was taken."""
    best = found.trials.best
    return (
        f"SCAN has taken {found.request.parameter} = {number(best.value)}, SUM OF SQUARES OF THE RESIDUALS "
        f"{number(best.sum_of_squares)}\n{parameters(found.env)}\n"
    )


def beyond(found: Result) -> str:
    """That the range ends where it is best."""
    value = number(found.trials.best.value)
    return f"{found.request.parameter} = {value} is the end of the range: it may be better still beyond; SCAN further"


def left(found: Result) -> str:
    """That nothing was better than what there is."""
    which = found.request.parameter
    present = found.env.values[found.env.model.parameters.index(which)]
    return (
        f"none is better than {which} = {number(present)}, sum of squares {number(found.present)}: nothing is changed"
    )
