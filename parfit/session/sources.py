"""Lines that are not typed at a prompt: scripts, pipes, and commands of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TextIO

from parfit.errors import DataError, ParfitError
from parfit.model.textfile import read_lines
from parfit.session.line import EndOfInput

TEXT_PROMPT = "| "  # before the lines of a text, such as that of a model
JOINERS = "\u200c\u200d"  # within emoji and the words of some scripts
NOTE = re.compile(r"\s*(?:TRY\s+)?NOTE\s", re.IGNORECASE)  # whose text may hold anything
# A comment begins with a # that stands first or after a blank, and in no quotes.
COMMENT = re.compile(r'"[^"]*"|(?:^|(?<=\s))(#)')


def cleaned(line: str, prompt: str = "") -> str:
    """A line as it is understood: without comment, and without characters that no keyboard means to type.

    A NOTE keeps all of its text. In a line of text, which begins with `|` where nobody types it, comments, tabs and
    indentation stay.
    """
    if prompt == TEXT_PROMPT:
        return "".join(c if c.isprintable() or c == "\t" else " " for c in line).rstrip()
    marks = (mark.start() for mark in COMMENT.finditer(line) if mark[1])
    text = line if NOTE.match(line) else line[: next(marks, None)]
    return "".join(c if c.isprintable() or c in JOINERS else " " for c in text).strip()


class Script:
    """The lines of a script; `name` stands before their numbers in messages, which begin with `first`."""

    interactive = echoed = False

    def __init__(self, lines: Iterable[str], name: str = "", first: int = 1):
        self._lines: Iterator[str] = iter(lines)
        self._name = name
        self._number = first - 1
        self._last = ""
        self._again = False

    def read(self, prompt: str = "", text: str = "") -> str:
        """The next line; those that hold nothing but a comment are passed over."""
        while not self._again:
            line = next(self._lines, None)
            if line is None:
                raise EndOfInput
            self._number += 1
            self._last = cleaned(line, prompt if line.startswith("|") else "")
            self._again = bool(self._last) or not line.strip()
        self._again = False
        return self._last

    def unread(self) -> None:
        self._again = True

    @property
    def place(self) -> str:
        return f"{self._name}:{self._number}" if self._name else ""


class Commands(Script):
    """Commands each of which is complete in its line: what they leave open takes its default."""

    def __init__(self, lines: Iterable[str], command_prompt: str):
        super().__init__(lines)
        self._command_prompt = command_prompt

    def read(self, prompt: str = "", text: str = "") -> str:
        if prompt != self._command_prompt:
            raise EndOfInput
        return super().read(prompt, text)


def script_lines(path: str) -> list[str]:
    """The lines of a script file."""
    try:
        return read_lines(path)
    except DataError as error:
        raise ParfitError(str(error).replace("a data file", "a script").replace("save the data as CSV", "")) from None


def piped_lines(stream: TextIO | None) -> Iterator[str]:
    """Lines as they come through a pipe, whatever bytes they hold; none if it was closed before we began."""
    if stream is None:
        return
    stream.reconfigure(errors="replace")  # type: ignore[attr-defined]
    try:
        yield from stream
    except OSError as error:
        raise ParfitError(f"standard input cannot be read: {error.strerror}") from None
