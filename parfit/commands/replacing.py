"""A file that is there already: who is at a terminal is asked, a script replaces it, and it is said."""

from __future__ import annotations

import os

from parfit.errors import CommandError
from parfit.session.dialogue import Dialogue
from parfit.session.questions import YES_NO, Question

REPLACE = Question(
    "replace it", "THE FILE EXISTS. IS IT TO BE REPLACED? Y OR N", "Y writes over the file; N does not.", words=YES_NO
)


def replaced(ask: Dialogue, path: str | os.PathLike[str]) -> str:
    """What is to be said of a file that will be written over, or nothing; an error if it is to stay.

    The answer may stand on the command's line. It is not written down: played again there may be no such file.
    """
    if not os.path.exists(path):
        return ""
    if ask.more or ask.source.interactive:
        agreed = ask.insist(REPLACE, default=False)
        ask.forget(1)
        if not agreed:
            raise CommandError(f"{os.fspath(path)} was left as it is")
    return ", in place of an older file"
