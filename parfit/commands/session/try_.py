"""TRY: a command that may fail."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.errors import CommandError
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


@command("TRY", "session", (), ("TRY INTEG N",), journaled=False)
def attempt(env: Environment, ask: Dialogue) -> Environment:
    """Obey the command in the rest of the line, and go on with the script if it fails."""
    raise CommandError("TRY needs a command after it, as in TRY INTEG N")  # with one, the interpreter obeys that
