"""HELP: the commands, one of them, or one of its questions."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.questions import Question

TOPIC = Question("topic", "COMMAND", "Enter the name of a command, or of a question it asks after it.")


@command("HELP", "session", (TOPIC,), ("HELP", "HELP PLOT", "HELP PLOT items"), journaled=False)
def show_help(env: Environment, ask: Dialogue) -> Environment:
    """List the commands, or explain one of them or one of its questions. `?` at a question explains it too."""
    topic = ask.text(TOPIC) if ask.more else ""
    ask.say(ask.help(topic))
    return env
