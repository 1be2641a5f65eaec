"""QUIT: the end of a session."""

from __future__ import annotations

from parfit.commands.session.keep import KEPT, chosen_files
from parfit.commands.table import command
from parfit.errors import EndSession
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment
from parfit.session.runs.keeping import present


@command("QUIT", "session", (KEPT,), ("QUIT", "QUIT REPORT GRAPHS", "QUIT 0"), (), False, ("EXIT", "BYE"))
def quit_session(env: Environment, ask: Dialogue) -> Environment:
    """End the session, after asking which files are to be kept.

    Nothing is lost if you keep none of them: `parfit --resume` goes on where this run ended.
    """
    files = chosen_files(ask) if (present(ask.run) and not ask.run.is_chosen) or ask.more else []
    ask.refuse_rest()
    raise EndSession(files)
