"""PARAMETERS: the table of the parameters."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question
from parfit.text import report

SHOWN = Question(
    "parameters to show",
    "PARAMETERS TO SHOW (0 TO END)",
    "Enter names or subscripts; with none of them all parameters are shown.",
    names="parameters",
)


@command(
    "PARAMETERS",
    "parameters",
    (SHOWN,),
    ("PARAMETERS", "PARAMETERS p1 p3"),
    ("parameters",),
    False,
    ("SHOW", "PARAMS", "LIST", "PRINT"),
)
def parameters(env: Environment, ask: Dialogue) -> Environment:
    """Show the parameters: their values, what is frozen, scaled and bounded, and where they started."""
    names = ask.names(SHOWN, env.model.parameters, "parameter") if ask.more else ()
    ask.refuse_rest()
    ask.say(report.parameters(env, names))
    return env
