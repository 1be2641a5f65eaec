"""The commands of all sessions, kept in the user's state folder."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from parfit.session.runs.past import state_folder

MOST_REMEMBERED = 5000  # lines that are brought back, the latest


class Remembered(FileHistory):
    """The lines of all sessions; where they cannot be kept, those of this one."""

    def load_history_strings(self) -> Iterable[str]:
        try:
            yield from islice(super().load_history_strings(), MOST_REMEMBERED)
        except OSError:
            return

    def store_string(self, string: str) -> None:
        with suppress(OSError, ValueError):
            super().store_string(string)


def commands_given() -> History:
    """What was given at the prompt, in this session and in earlier ones."""
    folder = state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return InMemoryHistory()
    return Remembered(str(folder / "history"))
