"""What can go wrong, as one line for the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike

# How the program ends, for the shell: all was done; a command failed; wrong usage; a mistake of ours; the time of
# --time was over; all was done, but the last fit did not end at a minimum.
DONE, FAILED, USAGE, INTERNAL, OUT_OF_TIME, NO_MINIMUM = range(6)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all that a terminal obeys, but for tabs and line ends


def without_controls(text: str) -> str:
    """A message with the characters that a terminal would obey written out, as \\x9b."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


class ParfitError(Exception):
    """An error the user can act on: its text is one line that says what happened.

    `advice` is what to do about it in the conversation, and may name commands.
    """

    where: tuple[str, str] | None = None  # place and text of the line that is wrong, if that is not the command's own

    def __init__(self, message: str = "", advice: str = ""):
        self.advice = advice
        super().__init__(message)

    @property
    def told(self) -> str:
        """What happened and what to do, as the conversation says it."""
        return f"{self}; {self.advice}" if self.advice else str(self)


class PlacedError(ParfitError):
    """An error with a place in a file: `file:line: message`."""

    def __init__(
        self, message: str, path: str | PathLike[str] | None = None, line: int | None = None, advice: str = ""
    ):
        self.message, self.path, self.line = message, path, line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message, advice)


class ModelError(PlacedError):
    """A model file (or function) that cannot be used."""


class DataError(PlacedError):
    """A data file that cannot be used."""


class NumericalError(ParfitError):
    """A computation that could not be finished."""


class CommandError(ParfitError):
    """A command or an answer that cannot be understood."""


class StateError(ParfitError):
    """Something is needed that the environment does not have; the advice names the command that supplies it."""


class Abandoned(ParfitError):  # noqa: N818 (the user means it)
    """The user broke off a command at one of its questions."""


class EndSession(BaseException):
    """The user is done: QUIT."""

    def __init__(self, keep: Sequence[str] = ()):
        self.keep = tuple(keep)  # the files of the run of which copies are wanted
        super().__init__("the session ends")
