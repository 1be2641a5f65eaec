"""The whole screen, for commands that need one."""

from __future__ import annotations

from parfit.console import ShowView
from parfit.dialogue import Dialogue
from parfit.errors import CommandError


def screen_of(ask: Dialogue, what: str, instead: str) -> ShowView:
    """What shows a view to somebody at a terminal; where there is no whole screen, an error says what to do."""
    show = ask.console.show_view
    if show is None or not ask.source.interactive:
        raise CommandError(f"{what} needs a terminal with a whole screen, and there is none; {instead}")
    return show


def look_of(ask: Dialogue) -> dict[str, bool]:
    """How a view is drawn on this terminal."""
    return {"colour": ask.console.colour, "unicode": ask.console.unicode}
