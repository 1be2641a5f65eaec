"""The results of a run as a JSON file, written when the run ends, however that comes about."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from parfit.errors import DONE, FAILED, INTERNAL, DataError, ParfitError
from parfit.model.textfile import write_whole

if TYPE_CHECKING:
    from parfit.session.interpreter import Interpreter

STANDARD_OUTPUT = "-"


class ResultsFile:
    """Where `--json` wants the results; without a path nothing is written.

    Whoever runs the program in it tells it the interpreter, once there is one, and the exit code at the end.
    """

    def __init__(self, path: str | None, curves: bool = False):
        self._path, self._curves = path, curves
        self.interpreter: Interpreter | None = None
        self.code = DONE

    @property
    def takes_output(self) -> bool:
        """Whether standard output belongs to the results alone."""
        return self._path == STANDARD_OUTPUT

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._path is None:
            return
        if error is not None:
            self.code = INTERNAL if isinstance(error, Exception) and not isinstance(error, ParfitError) else FAILED
        try:
            self._write(self._text(error))
        except DataError:
            if error is None:  # which else is what matters
                raise

    def _text(self, error: BaseException | None) -> str:
        from parfit.export.plain import json_text
        from parfit.export.summary import Plain, nothing, summary

        session = self.interpreter
        found: Plain = nothing() if session is None else summary(session.env, session.run.checksums(), self._curves)
        found |= {"exit_code": self.code, "error": _told(error) or (session and _failure(session))}
        return json_text(found, indent=None if self.takes_output else 1)

    def _write(self, text: str) -> None:
        """All of it or nothing: who waits for the file finds it whole."""
        if self.takes_output:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        assert self._path is not None
        try:
            write_whole(self._path, text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError) as error:
            raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}", self._path) from None


def _told(error: BaseException | None) -> dict[str, Any] | None:
    if error is None:
        return None
    message = str(error) if isinstance(error, ParfitError) else f"ended by {type(error).__name__}"
    return {"message": message, "place": None, "line": None}


def _failure(session: Interpreter) -> dict[str, Any] | None:
    if session.failure is None:
        return None
    message, place, line = session.failure
    return {"message": message, "place": place or None, "line": line or None}
