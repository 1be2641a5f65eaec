"""What all views have in common: typing a number, undoing, the help, and how they are left."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, Self, TypeVar

from parfit import plotting
from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.plotting import Figure
from parfit.session import questions
from parfit.session.console import DISCARDED, KEPT
from parfit.views.keys import Key, bottom, page

HELP, LEAVING = "help", "leaving"
LEAST_SIZE = 40, 12  # columns and lines, below which nothing can be made out
MOST_SAID, MOST_HELP = 2, 3  # lines of what is said, and of keys, below a view
MOST_PAST = 1000  # changes that can be taken back
BEGINS_NUMBER, IN_NUMBER = "0123456789.-", "0123456789.-+eE"
LONGEST_NUMBER = 30
LEAVE = "KEEP the changes?  RETURN or y keeps them, n discards them, other keys go on as usual"
NUMBER = Key("0-9", "set", "Type a number; RETURN sets it, Esc forgets it.")
UNDO = Key("u U", "undo redo", "Take the last change back; make it again.")
END = (
    Key("RETURN", "leave", "Leave, and say whether to keep what was changed; q does the same."),
    Key("Esc", "discard", "Leave without keeping anything; Ctrl-C does the same."),
    Key("?", "help", "Show this."),
)

Content = TypeVar("Content")
Actions = Mapping[str, Callable[[Any], Any]]  # by keys: what each makes of a view


@dataclass(frozen=True, eq=False, kw_only=True)
class View(ABC, Generic[Content]):
    """Something that is edited on the whole screen; `outcome` is empty until it is left.

    The content is another object after every change, so that what was can be had again.
    """

    content: Content
    first: Content  # in the beginning
    colour: bool = False
    unicode: bool = True
    past: tuple[Content, ...] = ()
    future: tuple[Content, ...] = ()
    gesture: str = ""  # what kind of change was the last: the same kind again is undone together with it
    message: str = ""
    typed: str = ""  # what there is of a number
    mode: str = ""
    outcome: str = ""

    title: ClassVar[str]
    keys: ClassVar[tuple[Key, ...]]
    actions: ClassVar[Actions]

    # ---- what a view of its own has

    @abstractmethod
    def entered(self, value: float) -> Self:
        """With the number that was typed."""

    @abstractmethod
    def body(self, width: int, height: int) -> list[str]:
        """Its lines, without message and keys."""

    @property
    @abstractmethod
    def target(self) -> str:
        """What a number that is typed now is for."""

    # ---- what a key does

    def press(self, key: str) -> Self:
        """What a key makes of it; what cannot be done is told, and changes nothing."""
        try:
            return self._pressed(key)
        except ParfitError as error:
            return replace(self, message=error.told, typed="")

    def _pressed(self, key: str) -> Self:
        if self.outcome:
            return self
        if key in ("c-c", "c-d"):
            return replace(self, outcome=DISCARDED)
        if self.mode == HELP:
            return replace(self, mode="")
        if self.mode == LEAVING:
            return self._answered(key)
        if self.typed:
            return self._typing(key)
        if key == "escape":
            return replace(self, outcome=DISCARDED)
        fresh = replace(self, message="")
        if len(key) == 1 and key in BEGINS_NUMBER:
            return replace(fresh, typed=key)
        if key in ("enter", "q"):
            return replace(fresh, mode=LEAVING) if self.changed else replace(fresh, outcome=DISCARDED)
        if key == "?":
            return replace(fresh, mode=HELP)
        if key in ("u", "U"):
            return fresh._undone() if key == "u" else fresh._redone()
        new: Self = self.actions.get(key, lambda view: view)(fresh)
        return new

    def _answered(self, key: str) -> Self:
        """After the question whether to keep what was changed."""
        outcome = KEPT if key in ("enter", "y", "Y") else DISCARDED if key in ("n", "N") else ""
        view = replace(self, mode="", outcome=outcome)
        return view if outcome or key == "escape" else view._pressed(key)

    def _typing(self, key: str) -> Self:
        if key == "enter":
            value = questions.number()(self.typed).value
            return replace(self, typed="").entered(value)
        if key == "escape":
            return replace(self, typed="")
        if key == "backspace":
            return replace(self, typed=self.typed[:-1])
        key = "." if key == "," else key  # as decimals are written elsewhere
        if len(key) == 1 and key in IN_NUMBER and len(self.typed) < LONGEST_NUMBER:
            return replace(self, typed=self.typed + key)
        return self

    # ---- what was changed

    def edited(self, content: Content, gesture: str = "") -> Self:
        """With another content; a change of the same kind as the last one is undone together with it."""
        is_same = bool(gesture) and gesture == self.gesture
        past = self.past if is_same else (*self.past, self.content)[-MOST_PAST:]
        return replace(self, content=content, past=past, future=(), gesture=gesture)

    @property
    def changed(self) -> bool:
        return self.content is not self.first

    @property
    def before(self) -> Content:
        """The content to which undoing would lead."""
        return self.past[-1] if self.past else self.content

    def _undone(self) -> Self:
        if not self.past:
            return replace(self, message="there is nothing to undo")
        future = (*self.future, self.content)
        return replace(self, content=self.past[-1], past=self.past[:-1], future=future, gesture="").settled()

    def _redone(self) -> Self:
        if not self.future:
            return replace(self, message="there is nothing to redo")
        past = (*self.past, self.content)
        return replace(self, content=self.future[-1], past=past, future=self.future[:-1], gesture="").settled()

    def settled(self) -> Self:
        """Fit for another content, of which there may be less."""
        return self

    # ---- how it looks

    def render(self, width: int, height: int) -> str:
        """The screen: as many lines as it has or fewer, none wider."""
        if width < LEAST_SIZE[0] or height < LEAST_SIZE[1]:
            return "\n".join(text[:width] for text in (f"{self.title}: make this", "window larger", self._prompt))
        keys = (*self.keys, NUMBER, UNDO, *END)
        if self.mode == HELP:
            return "\n".join(line[:width] for line in page(self.title, keys, width, height)[:height])
        said = textwrap.wrap(self._prompt, width, max_lines=MOST_SAID, placeholder=" ...") or [""]
        below = [*said, *bottom(keys, width, MOST_HELP)]
        room = height - len(below)
        lines = self.body(width, room)[:room]
        return "\n".join([*lines, *[""] * (room - len(lines)), *below])

    @property
    def _prompt(self) -> str:
        """The line between the view and the keys: a question, a number being typed, or what there is to say."""
        if self.mode == LEAVING:
            return LEAVE
        if self.typed:
            return f"{self.target} = {self.typed}_    RETURN sets it, Esc forgets it"
        return " ".join(self.message.split())

    def drawn(self, figure: Figure, width: int, height: int) -> list[str]:
        """A figure in the room there is, with its legend."""
        text = plotting.draw(figure, width, height, self.colour, self.unicode, legend_within=True)
        return text.split("\n")

    def highlighted(self, line: str) -> str:
        """A line that is seen to be chosen."""
        return f"\x1b[7m{line}\x1b[0m" if self.colour else line
