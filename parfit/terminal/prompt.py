"""Lines typed at a terminal: with history, completion and editing, or plain where the terminal can do no more."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from parfit.console import Console
from parfit.dialogue import EndOfInput
from parfit.errors import Abandoned
from parfit.runs import state_folder
from parfit.sources import cleaned
from parfit.terminal.drawing import draw_points

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

ABANDONED = "abandoned; nothing was changed"


class Terminal:
    """Somebody who types; `words` gives what may be typed next, for completion."""

    interactive = True
    place = ""

    def __init__(self, console: Console, command_prompt: str, words: Callable[[str], Iterable[str]]):
        self._console = console
        self._command_prompt = command_prompt
        self._at_end = False  # whether the input has ended, as when the terminal is closed
        self._pasted: list[str] = []  # lines that came with the last one
        self._last = ""
        self._session = _session(words) if _is_capable() else None
        if self._session is None:
            sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
        else:
            console.draw_points = draw_points

    def read(self, prompt: str, text: str = "") -> str:
        """A line; Ctrl-C clears the line of a command, and abandons a command that asks."""
        if text:
            self._console.say(text)
        asking = prompt != self._command_prompt
        while True:
            try:
                line = self._line(prompt, asking)
            except KeyboardInterrupt:
                self._pasted.clear()
                if self._session is None:
                    self._console.say()  # behind the ^C
                if asking:
                    raise Abandoned(ABANDONED) from None
                continue
            except EOFError:
                return self._ended(asking)
            self._at_end, self._last = False, line
            self._console.typed(f"{prompt}{line}")
            return cleaned(line, prompt)

    def unread(self) -> None:
        self._pasted.insert(0, self._last)

    def _line(self, prompt: str, asking: bool) -> str:
        if self._pasted:
            line = self._pasted.pop(0)
            self._console.out.write(f"{prompt}{line}\n")
            return line
        if self._session is None:
            return input(prompt)
        completer = None if asking else self._session.completer
        line, *self._pasted = self._session.prompt(prompt, completer=completer).rstrip("\n").split("\n")
        return line

    def _ended(self, asking: bool) -> str:
        """Ctrl-D quits, and abandons a command that asks; twice in a row, the input is gone for good."""
        if self._at_end:
            raise EndOfInput
        self._at_end = True
        if asking:
            raise Abandoned(ABANDONED)
        self._console.say("QUIT")
        return "QUIT"


def _is_capable() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "")


def _session(words: Callable[[str], Iterable[str]]) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    class Remembered(FileHistory):
        """The lines of all sessions; where they cannot be kept, those of this one."""

        def load_history_strings(self) -> Iterable[str]:
            try:
                yield from super().load_history_strings()
            except OSError:
                return

        def store_string(self, string: str) -> None:
            with suppress(OSError, ValueError):
                super().store_string(string)

    class Words(Completer):
        """What begins with the word before the cursor."""

        def get_completions(self, document: Document, complete_event: object) -> Iterable[Completion]:
            start = document.get_word_before_cursor(WORD=True)
            for word in words(document.text_before_cursor):
                if word.lower().startswith(start.lower()):
                    yield Completion(word, -len(start))

    try:
        folder = state_folder()
        folder.mkdir(parents=True, exist_ok=True)
        history: History = Remembered(str(folder / "history"))
    except OSError:
        history = InMemoryHistory()
    return PromptSession(history=history, completer=Words(), complete_while_typing=False, enable_suspend=True)
