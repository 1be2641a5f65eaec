"""COMPARE: fits of several models to the same data."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.errors import StateError
from parfit.estimation.strategies.compare import compare as compared
from parfit.estimation.strategies.compare import distinct
from parfit.pictures.marks import NOW
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text.comparison import comparison

MARKS = Question(
    "name",
    "ENTER LIST OF MARKS TO BE COMPARED (0 TO END)",
    "Enter names of marks; NOW stands for the present parameters. 0 or RETURN ends.",
    names="marks",
    words=(NOW,),
)


@command("COMPARE", "looking", (MARKS,), ("COMPARE", "COMPARE one two", "COMPARE one NOW"), ("marks",))
def compare(env: Environment, ask: Dialogue) -> Environment:
    """Compare fits of several models to the same data: AIC, AICc, BIC, Akaike weights, and F tests where nested.

    MARK keeps a fit with its model, so that marks of other models compare after LOAD. COMPARE alone takes all marks
    of the present data.
    """
    known = [mark.name for mark in env.marks if mark.sum_of_squares is not None]
    names = ask.names(MARKS, [*(mark.name for mark in env.marks), NOW], "mark", default=known)
    marks = {mark.name: mark for mark in env.marks}
    chosen = [marks.get(name) or env.marked(NOW) for name in names]
    if len(chosen) < 2:
        raise StateError("two fits at least are needed to compare", "FIT and then MARK NAME keep one")
    different, same = distinct(chosen)
    for one, other in same:
        ask.report(f"{one.name} is the same fit as {other.name}, and counts once")
    if len(different) < 2:
        raise StateError("these are all the same fit", "FIT another model, or with others frozen, and MARK it")
    ask.report(comparison(compared(different)))
    return env
