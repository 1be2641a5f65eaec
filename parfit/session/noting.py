"""What a command says, and how it is written down with its answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from parfit.session import questions

if TYPE_CHECKING:
    from parfit.plotting import Picture
    from parfit.session.console import Console
    from parfit.session.runs.run import Run

ABANDON = "ABANDON"  # the step that ends a conversation within a command without any effect


class Telling:
    """What a command says, and what it wants written to files."""

    def __init__(self, console: Console, run: Run):
        self.console, self.run = console, run
        self.effects: list[Callable[[], None]] = []  # what happens to files if the command succeeds
        self.reported: list[str] = []  # what goes to the report then

    def say(self, text: str = "") -> None:
        """Show text to the user."""
        self.console.say(text)

    def show(self, picture: Picture | None, below: int = 0) -> None:
        """Show a picture, if there is one, with so many lines of text below it."""
        if picture is not None:
            self.console.show(picture, below)

    def warn(self, text: str) -> None:
        """Show what the user should not overlook."""
        self.console.warn(text)

    def report(self, text: str) -> None:
        """Show text to the user and put it into the report."""
        self.say(text)
        self.write("report", text)

    def report_warning(self, text: str) -> None:
        """Warn the user, and put it into the report."""
        self.warn(text)
        self.write("report", text)

    def write(self, file: str, text: str) -> None:
        """Append text to a file of the run, if the command succeeds."""
        if file == "report":
            self.reported.append(text)
        else:
            self.effects.append(lambda: self.run.append(file, text))

    def now(self) -> datetime:
        """The time, or when a run is played again what it was then."""
        return self.run.now()


class Noting(Telling):
    """The answers that a command was given, in their plainest form, as one line that does the same again."""

    def __init__(self, command: str, console: Console, run: Run):
        super().__init__(console, run)
        self._noted: list[str] = [command]
        self._may_drop_end = False  # whether the last thing noted ends a list, as the end of a line would
        self._flushed = ""  # what of the command is in the journal already

    def _note(self, text: str, ends_list: bool = False) -> None:
        self._noted.append(text)
        self._may_drop_end = ends_list

    def note_step(self, text: str) -> None:
        """Write down a step within the command at once, as a line of its own."""
        self._note("\n" + text)
        self.flush()

    def flush(self) -> None:
        """Have what was done so far in the journal."""
        text = self.entry
        if self._flushed:
            rest = text[len(self._flushed) :].lstrip("\n")
            if rest:
                self.run.extend(rest)
        else:
            self.run.record(text)
        self._flushed = text

    def give_up(self) -> None:
        """The command fails: let what is in the journal of it come to nothing."""
        if self._flushed:
            self.run.extend(ABANDON)

    def record_as(self, text: str, lines: Sequence[str]) -> None:
        """Have the command written down as this line, followed by the lines of a text."""
        self._noted = [text, *(f"\n| {line}" for line in lines)]
        self._may_drop_end = False

    def replace_path(self, given: str, full: str) -> None:
        """Have the name of a file written down so that it can be found from anywhere."""
        last = max(k for k, text in enumerate(self._noted) if text == questions.quoted_path(given))
        self._noted[last] = questions.quoted_path(full)

    def forget(self, n: int) -> None:
        """Let the last n answers not have been given, because they are asked for again."""
        del self._noted[-n:]

    def assume(self, text: str) -> None:
        """Have an answer written down that nobody needed to give."""
        self._note(text)

    def move_last_answer(self, n: int) -> None:
        """Have the last answer written down after the first n."""
        self._noted.insert(n + 1, self._noted.pop())

    @property
    def n_answers(self) -> int:
        """How many answers have been given."""
        return len(self._noted) - 1

    @property
    def entry(self) -> str:
        """The command with all its answers, in a form that can be given again."""
        noted = self._noted[:-1] if self._may_drop_end else self._noted
        return " ".join(noted).replace(" \n", "\n")
