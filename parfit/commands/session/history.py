"""HISTORY: the commands of this run."""

from __future__ import annotations

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


@command("HISTORY", "session", (), ("HISTORY",), journaled=False)
def history(env: Environment, ask: Dialogue) -> Environment:
    """List the commands of this run, each as it can be given again."""
    rows = [
        f"{number if k == 0 else '':4}  {line if k == 0 else '  ' + line}"
        for number, lines in enumerate(ask.run.commands(), 1)
        for k, line in enumerate(lines)
    ]
    ask.say("\n".join(rows) or "nothing has been done yet")
    return env
