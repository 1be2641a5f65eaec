"""What can go wrong, as one line for the user."""

from __future__ import annotations

from os import PathLike


class ParfitError(Exception):
    """An error the user can act on: its text is one line that says what happened and what to do."""


class PlacedError(ParfitError):
    """An error with a place in a file: `file:line: message`."""

    def __init__(self, message: str, path: str | PathLike[str] | None = None, line: int | None = None):
        self.message, self.path, self.line = message, path, line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class ModelError(PlacedError):
    """A model file (or function) that cannot be used."""


class DataError(PlacedError):
    """A data file that cannot be used."""


class NumericalError(ParfitError):
    """A computation that could not be finished."""
