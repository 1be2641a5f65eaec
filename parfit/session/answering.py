"""Where the answers of a command come from: the rest of its line, then a script or the prompt."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from parfit.errors import CommandError, ParfitError
from parfit.session import questions
from parfit.session.line import EndOfInput, Line, Source
from parfit.session.noting import Noting
from parfit.session.questions import TOKEN, Question, Reader

if TYPE_CHECKING:
    from parfit.session.console import Console
    from parfit.session.runs.run import Run

END = "0"  # ends a list
MORE = "  more (0 ends): "


class Answering(Noting):
    """The words that a command may take as answers, one after another."""

    def __init__(
        self, command: str, rest: str, source: Source, console: Console, run: Run, is_command: Callable[[str], bool]
    ):
        super().__init__(command, console, run)
        self.source, self.is_command = source, is_command
        self._left = Line(rest)  # what is left of the line that is being read
        self._given = bool(rest.strip())  # whether the command's own line gave answers
        self._own_line = True  # whether what is left belongs to it
        self._is_over = False  # whether the input has ended, so that nobody can be asked again
        self._leaving = f"Ctrl-C leaves {command}"
        self.where: tuple[str, str] | None = None  # place and text of the last line of answers

    def _next_item(
        self,
        question: Question,
        reader: Reader[Any],
        on_own_line: bool,
        has_items: bool,
        default: Sequence[str] | None,
        pattern: re.Pattern[str],
    ) -> str | None:
        """The next word of a list; None at its end or for its default."""
        if on_own_line and self._own_line and self._left.is_empty:
            return None
        shown_default = None if default is None else " ".join(default) or "none"
        return self._next(question, reader, shown_default, pattern, has_items)

    def _next(
        self,
        question: Question,
        reader: Reader[Any],
        default: str | None,
        pattern: re.Pattern[str],
        in_list: bool = False,
    ) -> str | None:
        """The next word to be taken as an answer; None for the default, or for the end of a list that has items."""
        may_end = default is not None or in_list
        takes_default = self._given and default is not None and not in_list
        while True:
            token = self._left.word(pattern)
            if token == "?" and not self._own_line:
                self.say(textwrap.fill(question.help, self.console.width))
                self._left = Line()
            elif token is not None:
                return token
            elif takes_default or not self._read(question, reader, default, in_list, may_end):
                return None

    def _read(
        self, question: Question, reader: Reader[Any], default: str | None, in_list: bool, may_end: bool
    ) -> bool:
        """Get a line to answer from; false if there is none, or an empty one, and the question can do without."""
        prompt = MORE if in_list else ": " if default is None else f"[{default}]: "
        self.console.asked = question
        self.console.way_out = f"? explains the question, {self._leaving}"
        try:
            line = self.source.read(prompt, "" if in_list else question.put(self.console.talk, self.console.width))
        except EndOfInput:
            self._is_over = True
            if may_end:
                return False
            raise CommandError(f"the input ends where an answer is needed: {question.text}") from None
        finally:
            self.console.asked = None
        if may_end and not self.source.interactive and self._is_next_command(line, reader):
            self.source.unread()
            return False
        self._left, self._own_line = Line(line), False
        self._show_read(prompt, line)
        if line.strip():
            return True
        if not may_end:
            self._refuse(CommandError(f"an answer is needed here ({question.label}); Ctrl-C abandons the command"))
        return not may_end

    def _show_read(self, prompt: str, line: str) -> None:
        """Where a line stood; and if nobody has typed it, what it says."""
        self.where = self.source.place, line
        if not self.source.echoed and not self.run.replaying:
            self.console.say(f"{prompt}{line}")

    def _is_next_command(self, line: str, reader: Reader[Any]) -> bool:
        """Whether a line of a script is no answer but the next command.

        It begins with a command; but a command's name alone is an answer where it can be one.
        """
        if not self.is_command(line):
            return False
        try:
            reader(line.strip())
        except CommandError:
            return True
        return False

    def _refuse(self, error: ParfitError, answer: str = "", words: Sequence[str] = ()) -> None:
        """What becomes of a wrong answer: it fails the command, but at a terminal it is asked for again.

        A command in its place is told to be one, unless it is among the words of the question.
        """
        if self._own_line or not self.can_repeat:
            error.where = error.where or self.where
            raise error
        told = error.told
        word, *rest = answer.split(maxsplit=1) or [""]
        if word and word.upper() not in words and self.is_command(answer):
            told = f"{word.upper()} is a command, not an answer"
            told += f" ({self._leaving}; then type {' '.join([word.upper(), *rest])})"
        self.console.warn(told)
        self._left = Line()

    @property
    def can_repeat(self) -> bool:
        """Whether somebody is there who can be asked once more."""
        return self.source.interactive and not self._is_over

    def offers(self, reader: Reader[Any], n: int = 1) -> bool:
        """Whether the next n words are answers that a reader takes: of this line, or of the next card of a script.

        Nobody at a terminal is asked for them.
        """
        text = self._left.rest
        if not text and not self._given and not self.source.interactive:
            try:
                text = Line(self.source.read(": ")).rest
            except EndOfInput:
                return False
            self.source.unread()
        tokens = [next((group for group in match.groups() if group is not None), "") for match in TOKEN.finditer(text)]
        try:
            return len([reader(token) for token in tokens[:n]]) == n
        except CommandError:
            return False

    @property
    def more(self) -> bool:
        """Whether the command's line has something left."""
        return self._own_line and not self._left.is_blank

    @property
    def is_one_line(self) -> bool:
        """Whether the command's own line gave answers, so that nobody is asked for what has a default."""
        return self._given

    def refuse_rest(self) -> None:
        """Raise an error if the command's line says more than was asked for."""
        rest = self._left.rest
        if rest and rest != END:
            raise CommandError(f"{questions.shown(rest)} is more than the command can use; nothing was changed")
