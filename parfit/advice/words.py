"""Words and numbers as advice has them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parfit.advice.facts import Facts
from parfit.advice.measures import evaluated
from parfit.session import questions
from parfit.simulation.status import Reason, Status

LEADING = ("IFIT", "DFIT", "CONTIN", "SEQ", "SHOOT")  # commands that give a start to FIT
WRITTEN = "That is written down, and nothing is left to be done: KEEP copies the report, and QUIT ends the session."


def situation(facts: Facts, addition: str = "") -> str:
    """How the present parameters fare, in a sentence that may have an addition at its end."""
    return f"{_situation(facts)}{addition}."


def _situation(facts: Facts) -> str:
    run = facts.at.trajectory
    if not facts.at.usable and run is not None and run.status:
        return (
            "The equations can be integrated at the present parameters, but the sum of squares or its derivatives are "
            "too large for a number"
        )
    if facts.at.status.reason is Reason.NOT_SMOOTH:
        return f"No fit can begin at the present parameters: {stopped(facts.at.status)}"
    if not facts.at.usable:
        return f"The equations cannot be integrated at the present parameters: {stopped(facts.at.status)}"
    total, of_total = (f"sum of squares {of}{few(facts.at.sum_of_squares)}" for of in ("", "of "))
    if facts.minimal:
        return (
            f"This is a minimum ({total}), but the solution misses the data in a way that errors would not, so that "
            "there may be a better one"
        )
    if facts.stuck:
        return f"FIT has ended where there is no minimum ({total})"
    less = total_before(facts)
    if facts.last in LEADING and less < facts.at.sum_of_squares:
        return (
            f"{facts.last} has led to a {of_total}, more than the {few(less)} before it, but a fit from there may end "
            "elsewhere"
        )
    if facts.last in LEADING and facts.far:
        return f"{facts.last} has led to a {of_total}: still far from the data, but perhaps near enough"
    if facts.last in LEADING:
        return f"{facts.last} has led to a {of_total}, and the solution follows the data"
    if facts.last == "OPTION":
        return f"Integrated in this way, the solution has a {of_total}, which is no minimum"
    if facts.far:
        return f"With the present parameters the solution is far from the data ({total})"
    return f"The solution follows the data, but not as well as it could ({total})"


def total_before(facts: Facts) -> float:
    """The sum of squares before the last command that changed anything, integrated as now; infinite without one."""
    if facts.before is None or facts.before.observations is None or facts.before.samples.uniform:
        return np.inf
    return evaluated(facts.before.with_options(facts.env.options).problem()).sum_of_squares


def stopped(status: Status) -> str:
    """Where and why an integration stopped, without what its message advises."""
    return str(status).split(": ")[0]


def few(value: float) -> str:
    """A number with few digits."""
    return f"{value:.4g}"


def listed(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), *words[-1:]])


def plain(value: float) -> str:
    """A number as it is typed."""
    return questions.plain(float(value))


def time(value: float) -> str:
    """A sample time where a whole number would be a subscript."""
    text = plain(value)
    return f"{text}." if text.lstrip("-").isdigit() else text
