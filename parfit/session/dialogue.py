"""Questions and answers: one dialogue for the rest of a command line, for a script, and for the prompt.

A command asks; answers come from what is left of its line, then from the source of lines. Once a line has given some
answers, the questions that it leaves open take their defaults. Every accepted answer is noted in its plainest form,
so that the command can be written down as one line that does the same again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from parfit.errors import CommandError, ParfitError
from parfit.model.naming import family
from parfit.session import questions
from parfit.session.answering import END, Answering
from parfit.session.line import Line, Source
from parfit.session.questions import TOKEN, WORD, Answer, Item, NumberReader, Question, Reader

if TYPE_CHECKING:
    from parfit.session.console import Console
    from parfit.session.runs.run import Run
    from parfit.session.timeline import Timeline

T = TypeVar("T")
WHOLE = re.compile(r"[+-]?\d+")
COMMA = Question(
    "decimal comma",
    "IS {} MEANT? Y OR N",
    "A comma parts answers from each other, and decimals are written with a point. Y takes the comma for a decimal "
    "point, N for what stands between two answers.",
)
REST = re.compile(r"(.+?)\s*\Z", re.DOTALL)


class Dialogue(Answering):
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
        super().__init__(command, rest, source, console, run, is_command)
        self.timeline, self.help = timeline, help
        self._defaults: list[str] = []
        self.failure: BaseException | None = None  # what went wrong after something that is to be kept
        self.is_minimum: bool | None = None  # whether a fit ended at a minimum, if there was one
        self.then: tuple[str, ...] = ()  # lines to be obeyed after the command, as if they had been typed
        self.then_quietly = False  # whether only the last of them is to be seen at work
        self.finally_said = ""  # after all of that

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
        """Names or subscripts, 0 to end; each counts once, and k stands for k[low] and k[high]."""
        reader = questions.name(names, what, families=True)
        given = [family(found, names) for (found,) in self.many(question, reader, default=default)]
        return list(dict.fromkeys(name for each in given for name in each))

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
                self._refuse(error, token or "", question.words)
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
                self._refuse(error, token, question.words)
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

    def ask_again(self, error: ParfitError, n: int) -> None:
        """Let the last n answers be asked for again by who is at a terminal; elsewhere raise the error."""
        self._refuse(error)
        self.forget(n)

    @property
    def defaults_taken(self) -> str:
        """The questions that the command's line left open, with the answers that were taken for them."""
        return "; ".join(self._defaults) if self._given else ""
