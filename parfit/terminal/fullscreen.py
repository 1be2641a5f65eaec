"""A view on the whole screen: keys go to it, and what it renders is painted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from parfit.session.console import AnyView, Signalled
from parfit.terminal.signals import leaving

if TYPE_CHECKING:
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyPressEvent
    from prompt_toolkit.output import Output

# As prompt_toolkit names what a view knows by other names.
NAMES = {"c-m": "enter", "c-j": "enter", "c-h": "backspace", "<sigint>": "c-c"}
PASTE = "<bracketed-paste>"
IN_NUMBER = set("0123456789.eE+-")
ESCAPE_TIME = 0.05  # seconds after which Esc is a key of its own and not the beginning of an arrow


def show(view: AnyView, **devices: Any) -> AnyView:
    """Have keys change a view until it has an outcome; raises `Signalled` with the view. Tests give other devices."""
    from prompt_toolkit.application import Application
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.layout import Layout, Window

    bindings, painter = KeyBindings(), Painter()

    @bindings.add("<any>", eager=True)
    def pressed(event: KeyPressEvent) -> None:
        nonlocal view
        if event.app.future is None or event.app.future.done():  # keys that came after the last one
            return
        with _leaving_with_errors(event.app):
            for key in _keys(event):
                view = view.press(key)
            if view.outcome:
                event.app.exit()

    @bindings.add("c-z", eager=True)
    def suspended(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    def paint(application: Application[None]) -> None:
        if application.is_done:
            return
        size = application.output.get_size()
        with _leaving_with_errors(application):
            painter.paint(view.render(size.columns - 1, size.rows), application.output)

    application: Application[None] = Application(
        Layout(Window(always_hide_cursor=True)),
        key_bindings=bindings,
        full_screen=True,
        erase_when_done=True,
        before_render=painter.look,
        after_render=paint,
        **devices,
    )
    application.ttimeoutlen = ESCAPE_TIME
    try:
        with leaving(application):
            application.run()
    except EOFError:  # the terminal is gone, of which the signal may be on its way
        raise _ended(view, Signalled(signal.SIGHUP)) from None
    except Signalled as end:
        raise _ended(view, end) from None
    return view


def _ended(view: AnyView, end: Signalled) -> Signalled:
    end.view = view
    return end


@contextmanager
def _leaving_with_errors(application: Application[None]) -> Iterator[None]:
    """A mistake of ours leaves the screen and is raised where the view was shown, not within prompt_toolkit."""
    try:
        yield
    except Exception as error:
        application.exit(exception=error)


class Painter:
    """Writes the lines that have changed over those that are on the screen.

    prompt_toolkit would compare every character, which takes longer than to simulate and to draw the view.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []  # on the screen now

    def look(self, application: Application[None]) -> None:
        """Before prompt_toolkit renders: what it erases, as after a change of size, is to be painted again."""
        if application.renderer.last_rendered_screen is None:
            self._lines = []

    def paint(self, text: str, output: Output) -> None:
        """Bring a text to the screen; afterwards the cursor is in the corner, where prompt_toolkit takes it to be."""
        lines = text.split("\n")
        before = [*self._lines, *[""] * (len(lines) - len(self._lines))]
        changed = [k for k, line in enumerate(before) if k >= len(lines) or lines[k] != line]
        for k in changed:
            output.cursor_goto(k + 1, 1)
            output.write_raw(lines[k] if k < len(lines) else "")
            output.erase_end_of_line()
        if changed:
            output.cursor_goto(1, 1)
            output.flush()
        self._lines = lines


def _keys(event: KeyPressEvent) -> list[str]:
    """The names of what was pressed; a number can be pasted, other texts would press keys at random."""
    found = []
    for press in event.key_sequence:
        name = str(getattr(press.key, "value", press.key))
        if name == PASTE:
            pasted = press.data.strip()
            found += list(pasted) if set(pasted) <= IN_NUMBER else []
        else:
            found.append(NAMES.get(name, name))
    return found
