"""SCALE: parameters fitted as their logarithms or square roots."""

from __future__ import annotations

from parfit.commands.parameters.set import shown
from parfit.commands.table import command
from parfit.estimation.parameters import Scaling
from parfit.model.naming import family
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

SCALE_LIST = Question(
    "parameters and scaling",
    "ENTER LIST OF PARAMETER SUBSCRIPTS AND SCALING INDICATORS (0 SUBSCRIPT TO END)\n"
    "INDICATOR OF 1 GIVES LOG SCALING\nINDICATOR OF 2 GIVES SQUARE ROOT SCALING",
    "Enter a parameter and 1 (LOG) or 2 (ROOT), then the next; NONE takes the scaling of one away, 0 alone that of "
    "all. ALL stands for all parameters. The logarithm keeps a parameter positive and makes equal factors equal "
    "steps.",
    names="parameters",
    words=("ALL", "LOG", "ROOT", "NONE"),
)
INDICATOR = Question(
    "scaling",
    "SCALING INDICATOR",
    "1 or LOG: the logarithm; 2 or ROOT: the square root; NONE: the parameter itself.",
    (Item(1, "LOG SCALING", "LOG"), Item(2, "SQUARE ROOT SCALING", "ROOT"), Item(0, "NO SCALING", "NONE")),
)


@command(
    "SCALE",
    "parameters",
    (SCALE_LIST, INDICATOR),
    ("SCALE 5 1 7 1", "SCALE p5 LOG p7 ROOT", "SCALE ALL LOG", "SCALE 0"),
    ("parameters",),
)
def scale(env: Environment, ask: Dialogue) -> Environment:
    """Fit the logarithm or the square root of parameters instead of themselves; 0 alone ends all scaling.

    The current values are transformed at once. A parameter that is not positive has no logarithm.
    """
    names = env.model.parameters
    reader = questions.name_or_word(names, "parameter", "ALL")
    changes = ask.many(SCALE_LIST, reader, lambda name: [(INDICATOR, questions.item(INDICATOR.menu))])
    scaling = dict(zip(names, env.parameters.scaling, strict=True)) if changes else {}
    for name, indicator in changes:
        scaling |= dict.fromkeys(family(name, names) or names, Scaling(indicator.number))
    return shown(env.with_scaling(scaling), ask)
