"""DATA: the observations in a few lines."""

from __future__ import annotations

from parfit.commands.problem.remarks import summary
from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


@command("DATA", "problem", (), ("DATA",), ("observations",))
def data(env: Environment, ask: Dialogue) -> Environment:
    """Summarize the observations: how many of what, missing values, their times, sizes and weights.

    HELP FORMAT tells how a file of data is written.
    """
    ask.say(summary(env))
    return env
