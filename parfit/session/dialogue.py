"""Questions and answers: one dialogue for the rest of a command line, for a script, and for the prompt.

A command asks; answers come from what is left of its line, then from the source of lines. Once a line has given some
answers, the questions that it leaves open take their defaults. Every accepted answer is noted in its plainest form,
so that the command can be written down as one line that does the same again.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from parfit.errors import CommandError, ParfitError
from parfit.session import questions
from parfit.session.line import Line
from parfit.session.questions import TOKEN, WORD, Answer, Item, Question, Reader

if TYPE_CHECKING:
    from parfit.session.console import Console
    from parfit.session.runfiles import Run
    from parfit.session.timeline import Timeline

T = TypeVar("T")
END = "0"  # ends a list
MORE = "  more (0 ends): "
ABANDON = "ABANDON"  # the step that ends a conversation within a command without any effect
REST = re.compile(r"(.+?)\s*\Z", re.DOTALL)


class EndOfInput(Exception):  # noqa: N818 (not an error)
    """There are no more lines."""


class Source(Protocol):
    """Where lines come from: a script, a pipe, or somebody at a terminal."""

    interactive: bool  # whether somebody is there who can be asked again
    echoed: bool  # whether what is read is on the screen already

    def read(self, prompt: str, text: str = "") -> str:
        """The next line, without comments; at a terminal after showing the text. Raises `EndOfInput`."""

    def unread(self) -> None:
        """Give the last line back, to be read again."""

    @property
    def place(self) -> str:
        """Where the last line stood: `script.pft:14`, or nothing."""


class Dialogue:
    """The conversation of one command: what it asks, what it says, and what it wants written to files."""

    def __init__(
        self,
        command: str,
        rest: str,
        source: Source,
        console: Console,
        run: Run,
        timeline: Timeline,
        help: Callable[[str], str] = lambda topic: "",
        is_command: Callable[[str], bool] = lambda line: False,
    ):
        self.source, self.console, self.run, self.timeline = source, console, run, timeline
        self.help, self.is_command = help, is_command
        self._left = Line(rest)  # what is left of the line that is being read
        self._given = bool(rest.strip())  # whether the command's own line gave answers
        self._own_line = True  # whether what is left belongs to it
        self._noted: list[str] = [command]
        self._may_drop_end = False  # whether the last thing noted ends a list, as the end of a line would
        self._defaults: list[str] = []
        self._flushed = ""  # what of the command is in the journal already
        self.effects: list[Callable[[], None]] = []  # what happens to files if the command succeeds
        self.reported: list[str] = []  # what goes to the report then
        self.where: tuple[str, str] | None = None  # place and text of the last line of answers
        self.failure: BaseException | None = None  # what went wrong after something that is to be kept
        self.is_minimum: bool | None = None  # whether a fit ended at a minimum, if there was one
        self.then = ""  # a line to be obeyed after the command, as if it had been typed

    # ---- what a command can ask

    def number(
        self, question: Question, default: float | None = None, check: Callable[[float], str | None] | None = None
    ) -> float:
        reader = questions.number(check) if check else questions.number()
        return self.one(question, reader, None if default is None else questions.plain(default))

    def whole(self, question: Question, least: int, most: int | None = None, default: int | None = None) -> int:
        return self.one(question, questions.whole(least, most), None if default is None else str(default))

    def yes(self, question: Question, default: bool | None = None) -> bool:
        return self.one(question, questions.yes_or_no, None if default is None else "NY"[default])

    def insist(self, question: Question) -> bool:
        """Yes or no from who is there, also if the command's line gave answers to other questions."""
        given, self._given = self._given, False
        try:
            return self.yes(question, default=True)
        finally:
            self._given = given

    def choice(self, question: Question, default: str | None = None) -> Item:
        """An item of the question's menu."""
        return self.one(question, questions.item(question.menu), default)

    def choices(self, question: Question, default: Sequence[str] | None = None) -> list[Item]:
        """Items of the question's menu, 0 to end."""
        return [chosen for (chosen,) in self.many(question, questions.item(question.menu), default=default)]

    def names(
        self, question: Question, names: Sequence[str], what: str, default: Sequence[str] | None = None
    ) -> list[str]:
        """Names or subscripts, 0 to end; each counts once."""
        given = [found for (found,) in self.many(question, questions.name(names, what), default=default)]
        return list(dict.fromkeys(given))

    def path(self, question: Question, default: str | None = None) -> str:
        """The name of a file."""
        return self.one(question, questions.path, default, WORD)

    def text(self, question: Question, default: str | None = None) -> str:
        """All that is left of the line, as it stands."""
        return self.one(question, lambda token: Answer(token, token), default, REST)

    def one(
        self, question: Question, reader: Reader[T], default: str | None = None, pattern: re.Pattern[str] = TOKEN
    ) -> T:
        """One answer; `default` is what could be typed in its place."""
        while True:
            token = self._next(question, reader, default, pattern)
            try:
                answer = reader(token if token is not None else default or "")
            except CommandError as error:
                self._refuse(error)
                continue
            if token is None:
                self._defaults.append(f"{question.label} {default}")
            self._note(answer.text)
            return answer.value

    def many(
        self,
        question: Question,
        reader: Reader[Any],
        then: Callable[[Any], Sequence[tuple[Question, Reader[Any]]]] = lambda first: (),
        default: Sequence[str] | None = None,
        complete: Callable[[str], bool] = lambda token: False,
    ) -> list[tuple[Any, ...]]:
        """A list that a 0, an empty line or the end of the command's line ends; `then` says what follows each item.

        `complete` knows words that are the whole list, after which nothing more is asked for.
        """
        found: list[tuple[Any, ...]] = []
        on_own_line = self._own_line and not self._left.is_empty
        while True:
            token = self._next_item(question, reader, on_own_line, bool(found), default)
            if token is None and not found and default is not None:
                return self._default_list(question, reader, default)
            if token is None or token == END:
                self._note(END, ends_list=bool(found))
                return found
            try:
                first = reader(token)
            except CommandError as error:
                self._refuse(error)
                continue
            self._note(first.text)
            rest = [self.one(each, each_reader) for each, each_reader in then(first.value)]
            found.append((first.value, *rest))
            if complete(token) and len(found) == 1 and not self._own_line:
                self._note(END, ends_list=True)
                return found

    def line(self, prompt: str) -> str:
        """A whole line of a conversation within the command; it is noted as a line of its own."""
        line = self.source.read(prompt)
        self._note("\n" + line)
        return line

    def _default_list(self, question: Question, reader: Reader[Any], default: Sequence[str]) -> list[tuple[Any, ...]]:
        answers = [reader(token) for token in default]
        self._defaults.append(f"{question.label} {' '.join(default) or 'none'}")
        for answer in answers:
            self._note(answer.text)
        self._note(END, ends_list=bool(answers))
        return [(answer.value,) for answer in answers]

    def _note(self, text: str, ends_list: bool = False) -> None:
        self._noted.append(text)
        self._may_drop_end = ends_list

    # ---- where answers come from

    def _next_item(
        self,
        question: Question,
        reader: Reader[Any],
        on_own_line: bool,
        has_items: bool,
        default: Sequence[str] | None,
    ) -> str | None:
        """The next word of a list; None at its end or for its default."""
        if on_own_line and self._own_line and self._left.is_empty:
            return None
        shown_default = None if default is None else " ".join(default) or "none"
        return self._next(question, reader, shown_default, TOKEN, has_items)

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
        try:
            line = self.source.read(prompt, "" if in_list else question.shown)
        except EndOfInput:
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

    def _refuse(self, error: ParfitError) -> None:
        """What becomes of a wrong answer: it fails the command, but at a terminal it is asked for again."""
        if self._own_line or not self.source.interactive:
            error.where = error.where or self.where
            raise error
        self.console.warn(error.told)
        self._left = Line()

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

    def inner(self, prompt: str) -> tuple[str, Dialogue]:
        """The next line of a conversation within the command: its word, and a dialogue about its rest."""
        line = self.source.read(prompt).strip()
        word, _, rest = line.partition(" ")
        child = Dialogue(word, rest, self.source, self.console, self.run, self.timeline, self.help, self.is_command)
        child.effects, child.reported = self.effects, self.reported
        child._show_read(prompt, line)
        return word, child

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

    def text_lines(self, prompt: str) -> list[str]:
        """A text of several lines: those that begin with `|` in a script, those up to `done` or none at a terminal."""
        lines: list[str] = []
        while True:
            try:
                line = self.source.read(prompt)
            except EndOfInput:
                return lines
            if self.source.interactive:
                if not line:
                    return lines
                lines.append(line)
                if line.strip().lower() == "done":
                    return lines
            elif not line.startswith("|"):
                self.source.unread()
                return lines
            else:
                lines.append(line[1:].removeprefix(" "))

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

    def ask_again(self, error: ParfitError, n: int) -> None:
        """Let the last n answers be asked for again by who is at a terminal; elsewhere raise the error."""
        self._refuse(error)
        self.forget(n)

    def refuse_rest(self) -> None:
        """Raise an error if the command's line says more than was asked for."""
        rest = self._left.rest
        if rest and rest != END:
            raise CommandError(f"{questions.shown(rest)} is more than the command can use; nothing was changed")

    # ---- what it says

    def say(self, text: str = "") -> None:
        """Show text to the user."""
        self.console.say(text)

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

    @property
    def defaults_taken(self) -> str:
        """The questions that the command's line left open, with the answers that were taken for them."""
        return "; ".join(self._defaults) if self._given else ""

    @property
    def entry(self) -> str:
        """The command with all its answers, in a form that can be given again."""
        noted = self._noted[:-1] if self._may_drop_end else self._noted
        return " ".join(noted).replace(" \n", "\n")
