"""SUSP: back to the shell for a while."""

from __future__ import annotations

import os
import signal

from parfit.commands.table import command
from parfit.session.dialogue import Dialogue
from parfit.session.environment import Environment


@command("SUSP", "session", (), ("SUSP",), journaled=False)
def suspend(env: Environment, ask: Dialogue) -> Environment:
    """Suspend the program and return to the shell; `fg` goes on. It does nothing in a script."""
    if not ask.source.interactive:
        ask.say("SUSP has no effect where nobody could resume")
        return env
    ask.say(f"the files of this run are in {ask.run.folder}; fg resumes")
    os.kill(os.getpid(), signal.SIGTSTP)
    return env
