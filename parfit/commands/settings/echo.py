"""ECHO: all that is shown and typed, in a file."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session import questions
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Item, Question

ECHO_FLAG = Question(
    "echo",
    "ENTER 1 TO BEGIN ECHO, 0 TO END ECHO",
    "1 or ON writes from now on all that is shown and typed to the file echo.txt of this run; 0 or OFF ends it.",
    (Item(1, "BEGIN ECHO", "ON"), Item(0, "END ECHO", "OFF")),
)


@command("ECHO", "settings", (ECHO_FLAG,), ("ECHO 1", "ECHO OFF"))
def echo(env: Environment, ask: Dialogue) -> Environment:
    """Begin or end writing everything that is shown and typed to the file echo.txt of the run."""
    chosen = ask.one(ECHO_FLAG, questions.item(ECHO_FLAG.menu))
    return env.with_echo(bool(chosen.number))
