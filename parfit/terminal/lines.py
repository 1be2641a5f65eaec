"""Lines that are edited as they are typed: completion with help, history, suggestions, and a line of status below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import takewhile
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, completion_is_selected, has_completions, is_searching
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.output import Output
from prompt_toolkit.search import accept_search
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from parfit.terminal.answers import Answers
from parfit.terminal.completion import Offer
from parfit.terminal.history import commands_given
from parfit.terminal.signals import leaving

LEAST_LINES = 6  # of a terminal that has room for the status
CTRL_C, PASTE_ENDS = "\x03", "\x1b[201~"
# Dim and reverse instead of colours: they tell what was typed from what is only shown without colours too.
STYLE = Style.from_dict(
    {
        "auto-suggestion": "noinherit dim",
        "placeholder": "dim",
        "bottom-toolbar": "reverse",
        "completion-menu.meta.completion.current": "reverse",
    }
)

Complete = Callable[[str], Iterable[Offer]]
Line = Callable[[], str]
Status = Callable[[int, Callable[[str], int]], str]  # of a width, and what measures it


class LineEditor:
    """Reads lines; commands are remembered across sessions, answers to questions for this one."""

    def __init__(
        self, complete: Complete, status: Status | None, answers: Answers | None = None, proposed: Line = lambda: ""
    ):
        self._complete = complete
        self._status = status
        self._of_terminal = answers or Answers()
        self._placeholder = ""
        self._proposed = proposed

    def read(self, prompt: str, asking: bool, placeholder: str, begun: str = "") -> str:
        """A line, or several that were pasted; `begun` is what was typed of it already."""
        self._placeholder = placeholder
        session = self._answers if asking else self._commands
        has_room = self._status is not None and session.output.get_size().rows >= LEAST_LINES
        session.bottom_toolbar = self._below if has_room else None
        _clear_line(session.output)
        with leaving(session.app):
            return session.prompt(prompt, default=begun, placeholder=[("class:placeholder", placeholder)]).rstrip("\n")

    @property
    def is_ahead(self) -> bool:
        """Whether keys that came together with the last line wait for the next."""
        keyboard = self._commands.input
        waiting = get_typeahead(keyboard)
        store_typeahead(keyboard, waiting)
        return bool(waiting)

    @cached_property
    def _commands(self) -> PromptSession[str]:
        return self._session(commands_given(), self._proposed)

    @cached_property
    def _answers(self) -> PromptSession[str]:
        return self._session(InMemoryHistory())

    def _session(self, history: History, proposed: Line = lambda: "") -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            history=history,
            completer=Words(self._complete),
            complete_while_typing=False,
            auto_suggest=AutoSuggestFromHistory(),
            enable_history_search=True,
            search_ignore_case=True,
            enable_suspend=True,
            key_bindings=merge_key_bindings([_keys(lambda: self._placeholder), _moving_keys(proposed)]),
            style=STYLE,
        )
        _filter_input(session.input, self._of_terminal)
        session.app.renderer.cpr_not_supported_callback = None  # there is no status then; that needs no warning
        return session

    def _below(self) -> str:
        assert self._status is not None
        return self._status(get_app().output.get_size().columns, get_cwidth)


class Words(Completer):
    """What may be typed next, with its help."""

    def __init__(self, complete: Complete):
        self._complete = complete

    def get_completions(self, document: Document, complete_event: object) -> Iterable[Completion]:
        for offer in self._complete(document.text_before_cursor):
            yield Completion(offer.word, -offer.replaces, display_meta=offer.help)


def _keys(placeholder: Callable[[], str]) -> KeyBindings:
    """What RETURN and other keys do to a line that is proposed, in the menu of words, and in a search.

    RETURN gives what is proposed or was found, other keys let it be edited; in the menu RETURN only chooses.
    """
    keys = KeyBindings()
    proposed = Condition(lambda: bool(placeholder()) and not get_app().current_buffer.text)

    @keys.add("enter", filter=proposed)
    def give(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(placeholder())
        event.current_buffer.validate_and_handle()

    @keys.add("right", filter=proposed)
    @keys.add("end", filter=proposed)
    @keys.add("c-e", filter=proposed)
    @keys.add("tab", filter=proposed)
    def take(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(placeholder())

    @keys.add("tab", filter=~proposed & ~has_completions & ~is_searching)
    def complete(event: KeyPressEvent) -> None:
        _complete(event.current_buffer)

    @keys.add("enter", filter=completion_is_selected)
    def choose(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @keys.add("enter", filter=is_searching)
    def found(event: KeyPressEvent) -> None:
        accept_search()
        event.app.layout.current_buffer.validate_and_handle()  # type: ignore[union-attr]

    @keys.add("right", filter=is_searching)
    @keys.add("left", filter=is_searching)
    @keys.add("home", filter=is_searching)
    @keys.add("end", filter=is_searching)
    @keys.add("c-a", filter=is_searching)
    @keys.add("c-e", filter=is_searching)
    @keys.add("tab", filter=is_searching)
    def edit_found(event: KeyPressEvent) -> None:
        accept_search()

    @keys.add("escape", filter=has_completions)
    def close(event: KeyPressEvent) -> None:
        event.current_buffer.cancel_completion()

    return keys


def _moving_keys(line: Line) -> KeyBindings:
    """Keys that mean nothing on an empty line give one that is proposed, and then move the picture that it shows."""
    keys = KeyBindings()
    is_empty = Condition(lambda: bool(line()) and not get_app().current_buffer.text)

    @keys.add("+", filter=is_empty)
    @keys.add("-", filter=is_empty)
    @keys.add("left", filter=is_empty)
    @keys.add("right", filter=is_empty)
    def give(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text(line())
        event.current_buffer.validate_and_handle()
        store_typeahead(event.app.input, event.key_sequence)

    return keys


def _complete(buffer: Buffer) -> None:
    """Type what all words have in common, and if there are several show them: at once, for who types on."""
    found = _completions(buffer)
    n_replaced = {-each.start_position for each in found}
    if len(n_replaced) == 1:
        (n,) = n_replaced
        columns = zip(*(each.text for each in found), strict=False)
        common = "".join(column[0] for column in takewhile(lambda column: len(set(column)) == 1, columns))
        if len(common) > n or len(found) == 1:
            buffer.delete_before_cursor(n)
            buffer.insert_text(common)
    if len(found) > 1:
        buffer.complete_state = CompletionState(buffer.document, _completions(buffer))


def _completions(buffer: Buffer) -> list[Completion]:
    return list(buffer.completer.get_completions(buffer.document, CompleteEvent(completion_requested=True)))


def _clear_line(output: Output) -> None:
    """Remove what the terminal has shown of keys that came too early; the prompt shows them in their place."""
    output.write_raw("\r")
    output.erase_end_of_line()
    output.flush()


def _filter_input(keyboard: Input, answers: Answers) -> None:
    """Keep answers of the terminal from what is typed, here and in views, which share the input.

    And let Ctrl-C end a paste whose end was lost on the way; all that is typed would be taken for a part of it.
    """
    parser: Any = getattr(keyboard, "vt100_parser", None)
    if parser is None or hasattr(parser, "is_filtered"):
        return
    feed, parser.is_filtered = parser.feed, True

    def fed(data: str) -> None:
        if data == CTRL_C and getattr(parser, "_in_bracketed_paste", False):
            feed(PASTE_ENDS)
        feed(answers.without(data))

    parser.feed = fed
