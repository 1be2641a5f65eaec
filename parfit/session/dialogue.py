"""Questions and answers: one dialogue for the rest of a command line, for a script, and for the prompt.

A command asks; answers come from what is left of its line, then from the source of lines. Once a line has given some
answers, the questions that it leaves open take their defaults. Every accepted answer is noted in its plainest form,
so that the command can be written down as one line that does the same again.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from parfit.errors import CommandError, ParfitError
from parfit.session import questions
from parfit.session.line import EndOfInput, Line, Source
from parfit.session.noting import Noting
from parfit.session.questions import TOKEN, WORD, Answer, Item, NumberReader, Question, Reader

if TYPE_CHECKING:
    from parfit.session.console import Console
    from parfit.session.runs.run import Run
    from parfit.session.timeline import Timeline

T = TypeVar("T")
END = "0"  # ends a list
MORE = "  more (0 ends): "
WHOLE = re.compile(r"[+-]?\d+")
COMMA = Question(
    "decimal comma",
    "IS {} MEANT? Y OR N",
    "A comma parts answers from each other, and decimals are written with a point. Y takes the comma for a decimal "
    "point, N for what stands between two answers.",
)
REST = re.compile(r"(.+?)\s*\Z", re.DOTALL)


class Dialogue(Noting):
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
        super().__init__(command, console, run)
        self.source, self.timeline = source, timeline
        self.help, self.is_command = help, is_command
        self._left = Line(rest)  # what is left of the line that is being read
        self._given = bool(rest.strip())  # whether the command's own line gave answers
        self._own_line = True  # whether what is left belongs to it
        self._defaults: list[str] = []
        self._is_over = False  # whether the input has ended, so that nobody can be asked again
        self._leaving = f"Ctrl-C leaves {command}"
        self.where: tuple[str, str] | None = None  # place and text of the last line of answers
        self.failure: BaseException | None = None  # what went wrong after something that is to be kept
        self.is_minimum: bool | None = None  # whether a fit ended at a minimum, if there was one
        self.then: tuple[str, ...] = ()  # lines to be obeyed after the command, as if they had been typed

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

    def insist(self, question: Question, default: bool = True) -> bool:
        """Yes or no from who is there, also if the command's line gave answers to other questions."""
        given, self._given = self._given, False
        try:
            return self.yes(question, default)
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
            if token is not None and isinstance(reader, NumberReader):
                token = self._without_comma(token)
            try:
                answer = reader(token if token is not None else default or "")
            except CommandError as error:
                self._refuse(error, token or "")
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
        pattern: re.Pattern[str] = TOKEN,
    ) -> list[tuple[Any, ...]]:
        """A list that a 0, an empty line or the end of the command's line ends; `then` says what follows each item.

        `complete` knows words that are the whole list, after which nothing more is asked for.
        """
        found: list[tuple[Any, ...]] = []
        on_own_line = self._own_line and not self._left.is_empty
        while True:
            token = self._next_item(question, reader, on_own_line, bool(found), default, pattern)
            if token is None and not found and default is not None:
                return self._default_list(question, reader, default)
            if token is None or token == END:
                self._note(END, ends_list=bool(found))
                return found
            try:
                first = reader(token)
            except CommandError as error:
                self._refuse(error, token)
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

    def _without_comma(self, token: str) -> str:
        """A number that was written with a decimal comma, if whoever wrote it says so."""
        digits = self._left.decimals() if WHOLE.fullmatch(token) and not self.run.replaying else ""
        if not digits:
            return token
        written = f"{token}.{digits}"
        if not self.source.interactive:
            error = CommandError(
                f"'{token},{digits}' has a comma; write {written} or, for two answers, {token} {digits}"
            )
            error.where = self.where
            raise error
        left, self._left, is_own, self._own_line = self._left, Line(), self._own_line, False
        is_meant = self.insist(replace(COMMA, text=COMMA.text.format(written)))
        self.forget(1)
        self._left, self._own_line = left, is_own
        if is_meant:
            self._left.pass_over(len(digits))
        return written if is_meant else token

    def _default_list(self, question: Question, reader: Reader[Any], default: Sequence[str]) -> list[tuple[Any, ...]]:
        answers = [reader(token) for token in default]
        self._defaults.append(f"{question.label} {' '.join(default) or 'none'}")
        for answer in answers:
            self._note(answer.text)
        self._note(END, ends_list=bool(answers))
        return [(answer.value,) for answer in answers]

    # ---- where answers come from

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

    def _refuse(self, error: ParfitError, answer: str = "") -> None:
        """What becomes of a wrong answer: it fails the command, but at a terminal it is asked for again."""
        if self._own_line or not self.can_repeat:
            error.where = error.where or self.where
            raise error
        is_command = bool(answer) and self.is_command(answer)
        self.console.warn(f"{error.told} ({self._leaving}; then type {answer.upper()})" if is_command else error.told)
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

    def inner(self, prompt: str, meant: Callable[[str], str] = str) -> tuple[str, Dialogue]:
        """The next line of a conversation within the command: its word, as `meant` spells it, and a dialogue about
        its rest."""
        line = self.source.read(prompt).strip()
        typed, _, rest = line.partition(" ")
        word = meant(typed)
        child = Dialogue(word, rest, self.source, self.console, self.run, self.timeline, self.help, self.is_command)
        child.effects, child.reported = self.effects, self.reported
        child._show_read(prompt, line)
        return word, child

    @property
    def can_repeat(self) -> bool:
        """Whether somebody is there who can be asked once more."""
        return self.source.interactive and not self._is_over

    def ask_again(self, error: ParfitError, n: int) -> None:
        """Let the last n answers be asked for again by who is at a terminal; elsewhere raise the error."""
        self._refuse(error)
        self.forget(n)

    @property
    def defaults_taken(self) -> str:
        """The questions that the command's line left open, with the answers that were taken for them."""
        return "; ".join(self._defaults) if self._given else ""

    def refuse_rest(self) -> None:
        """Raise an error if the command's line says more than was asked for."""
        rest = self._left.rest
        if rest and rest != END:
            raise CommandError(f"{questions.shown(rest)} is more than the command can use; nothing was changed")
