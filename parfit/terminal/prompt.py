"""Lines typed at a terminal: with history, completion and editing, or plain where the terminal can do no more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from parfit import interrupts
from parfit.errors import Abandoned
from parfit.session.console import Console
from parfit.session.interpreter import PROMPT, UNCHANGED, Interpreter
from parfit.session.line import EndOfInput, Source
from parfit.session.questions import Question
from parfit.session.sources import cleaned
from parfit.terminal.answers import Answers
from parfit.terminal.completion import Offer, words_for
from parfit.terminal.fullscreen import show
from parfit.terminal.graphics import Graphics
from parfit.terminal.keys import Keyboard, TypeAhead, listen
from parfit.terminal.pager import page
from parfit.terminal.pasting import Pasted, left_out
from parfit.terminal.toolbar import status

if TYPE_CHECKING:
    from parfit.terminal.lines import LineEditor, Status

ABANDONED = "abandoned; nothing was changed"


class Terminal:
    """Somebody who types.

    `complete` gives what may be typed next, `below` the status for a width; `obey` plays a script that was pasted and
    says whether the session goes on. Without it, pasted lines are read one by one.
    """

    interactive = echoed = True
    place = ""

    def __init__(
        self,
        console: Console,
        command_prompt: str,
        complete: Callable[[str], Iterable[Offer]] = lambda text: (),
        below: Status | None = None,
        obey: Callable[[Source], bool] | None = None,
    ):
        self._console = console
        self._command_prompt = command_prompt
        self._obey = obey
        self._at_end = False  # whether the input has ended, as when the terminal is closed
        self._waiting: list[str] = []  # lines that were pasted, typed ahead, or given back
        self._ahead = TypeAhead()  # what was typed while something ran
        self._is_pasted = False  # whether they are a script
        self._n_warned = 0  # warnings when the last of them was taken for an answer
        self._last = ""
        self._complete = complete
        self._asking = False  # whether the line that is typed is part of a command
        answers = Answers()  # of the terminal itself
        self._editor = _editor(self._words, below, answers, lambda: console.proposed) if is_capable() else None
        if self._editor is None:
            sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        else:
            console.show_view = show
            hearing = partial(listen, self._ahead, answers)
            console.page = partial(self._page, hearing)
            console.listen = hearing
            console.pixels = Graphics(console, answers, hearing)

    def read(self, prompt: str, text: str = "", placeholder: str = "") -> str:
        """A line; Ctrl-C clears the line of a command, and abandons a command that asks.

        A placeholder is a line that is proposed: RETURN alone takes it.
        """
        if text:
            self._console.say(text)
            self._console.hint(self._console.way_out)
        asking = self._asking = prompt != self._command_prompt
        if asking and self._is_pasted and self._console.n_warned > self._n_warned:
            self._drop()
        while True:
            try:
                line = self._next(prompt, asking, placeholder)
            except KeyboardInterrupt:
                interrupts.answered()
                self._waiting.clear()
                if self._editor is None:
                    self._console.say()  # behind the ^C
                if asking:
                    raise Abandoned(ABANDONED) from None
                continue
            except EOFError:
                return self._ended(asking)
            self._at_end = False
            self._n_warned = self._console.n_warned
            if line is not None and not (asking and _is_comment(line, prompt)):
                self._last = line
                return cleaned(line, prompt)

    def _page(self, hearing: Callable[[], AbstractContextManager[Keyboard]], text: str) -> bool:
        """Show a text page by page, unless somebody has typed on: that would be taken for keys of the pager."""
        assert self._editor is not None
        with hearing() as keyboard:
            keyboard.keep(keyboard.typed_on())
        return not (self._waiting or self._ahead or self._editor.is_ahead) and page(text)

    def _words(self, text: str) -> Iterable[Offer]:
        """What may be typed next; within a command that has a language of its own, nobody knows."""
        return () if self._asking and self._console.asked is None else self._complete(text)

    def unread(self) -> None:
        self._waiting.insert(0, self._last)

    def _next(self, prompt: str, asking: bool, placeholder: str) -> str | None:
        """A line that waits or is typed; None when a script was pasted and has been obeyed."""
        self._waiting += self._ahead.take_lines()
        if not self._waiting:
            line, *self._waiting = self._typed(prompt, asking, placeholder).split("\n")
            self._is_pasted = bool(self._waiting)
            if asking or not self._is_pasted or self._obey is None:
                self._console.typed(f"{prompt}{line}")
                return line
            self._waiting.insert(0, line)
        if self._is_pasted and not asking and len(self._waiting) > 1 and self._obey is not None:
            self._play(self._obey)
            return None
        line = self._waiting.pop(0)
        self._console.say(f"{prompt}{cleaned(line, prompt)}")
        return line

    def _drop(self) -> None:
        """What was pasted together with a wrong answer is no answer either."""
        n = sum(bool(cleaned(line)) for line in self._waiting)
        self._waiting, self._is_pasted = [], False
        if n:
            self._console.warn(left_out(n))

    def _play(self, obey: Callable[[Source], bool]) -> None:
        lines, self._waiting, self._is_pasted = self._waiting, [], False
        script = Pasted(lines, self._command_prompt, self.read)
        pages, self._console.page = self._console.page, None  # nobody reads while a script is played
        try:
            goes_on = obey(script)
        except KeyboardInterrupt:  # between two of its commands
            interrupts.answered()
            self._console.warn(UNCHANGED)
            goes_on = True
        finally:
            self._console.page = pages
        if script.left:
            self._console.warn(script.left)
        if not goes_on:
            raise EndOfInput

    def _typed(self, prompt: str, asking: bool, placeholder: str) -> str:
        if self._editor is not None:
            try:
                return self._editor.read(prompt, asking, placeholder, self._ahead.take_rest())
            finally:
                interrupts.rearm()  # for the editor leaves Ctrl-C as it usually is
        if placeholder:
            self._console.say(f"RETURN: {placeholder}")
        return input(prompt) or placeholder

    def _ended(self, asking: bool) -> str:
        """Ctrl-D quits, and abandons a command that asks; twice in a row, the input is gone for good."""
        if self._at_end:
            raise EndOfInput
        self._at_end = True
        if asking:
            raise Abandoned(ABANDONED)
        self._console.say("QUIT")
        return "QUIT"


def terminal_of(interpreter: Interpreter, obeys_pastes: bool = True) -> Terminal:
    """Who is at the terminal of a session; `obeys_pastes` plays what is pasted as a script."""
    console = interpreter.console
    remembered = lru_cache(maxsize=1)(status)  # it is drawn after every key

    def complete(text: str) -> Iterable[Offer]:
        asked = console.asked if isinstance(console.asked, Question) else None
        return words_for(text, interpreter.table, interpreter.env, asked)

    def obey(source: Source) -> bool:
        interpreter.converse(source)
        return not interpreter.ended

    return Terminal(
        console,
        PROMPT,
        complete,
        lambda width, measure: remembered(interpreter.timeline, width, measure, console.reached),
        obey if obeys_pastes else None,
    )


def is_capable() -> bool:
    """Whether lines can be edited here."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "")


def _is_comment(line: str, prompt: str) -> bool:
    return bool(line.strip()) and not cleaned(line, prompt)


def _editor(
    complete: Callable[[str], Iterable[Offer]], below: Status | None, answers: Answers, proposed: Callable[[], str]
) -> LineEditor:
    from parfit.terminal.lines import LineEditor

    return LineEditor(complete, below, answers, proposed)
