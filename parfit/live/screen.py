"""The whole screen, for commands that need one."""

from __future__ import annotations

from collections.abc import Callable

from parfit.errors import CommandError
from parfit.session.console import AnyView, ShowView, Signalled
from parfit.session.dialogue import Dialogue


def screen_of(ask: Dialogue, what: str, instead: str) -> ShowView:
    """What shows a view to somebody at a terminal; where there is no whole screen, an error says what to do.

    Who reads a session of the book looks on, though the command is not typed; nobody does where a script is played.
    """
    show = ask.console.show_view
    if show is None or not (ask.source.interactive or ask.source.echoed):
        raise CommandError(f"{what} needs a terminal with a whole screen, and there is none; {instead}")
    return show


def show_view(ask: Dialogue, show: ShowView, view: AnyView, written: Callable[[AnyView], str]) -> AnyView:
    """A view as it was left; if the program is ended meanwhile, the journal remarks what was `written` of it."""
    try:
        return show(view)
    except Signalled as end:
        text = written(end.view)
        if text:
            ask.run.remark(f"cut off, and not kept: {text}")
        raise


def look_of(ask: Dialogue) -> dict[str, bool]:
    """How a view is drawn on this terminal."""
    return {"colour": ask.console.colour, "unicode": ask.console.unicode}
