"""What the user sees: standard output and error, and the echo of both."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, Protocol, Self, TextIO, TypeVar

from parfit import plotting
from parfit.errors import without_controls
from parfit.plotting import Picture

FILE_SIZE = (72, 20)  # columns and lines of a plot where there is no terminal
AUTO_PICTURES = "AUTO"  # pixels where the terminal says that it shows them
BRIEF, NORMAL, FULL = "BRIEF", "NORMAL", "FULL"  # how much is said
LEAST_LINES = 12  # of a picture, even if what is said below it makes the screen scroll


C1 = re.compile(r"[\x80-\x9f]")  # controls that are no part of anything we show; colours begin with another
COLOUR = re.compile(r"\x1b\[[\d;]*m")  # what a terminal takes for one
DIM, PLAIN = "\x1b[2m", "\x1b[0m"
KEPT, DISCARDED = "kept", "discarded"  # what can become of a view


class FullScreen(Protocol):
    """What fills the whole screen: a value, of which every key makes the next one."""

    @property
    def outcome(self) -> str:
        """Empty while it goes on, then `KEPT` or `DISCARDED`."""

    def press(self, key: str) -> Self:
        """After a key: a character, or a name such as up, enter, escape or c-c."""

    def render(self, width: int, height: int) -> str:
        """The lines of the screen."""


AnyView = TypeVar("AnyView", bound=FullScreen)


class ShowView(Protocol):
    """What has a view change on the whole screen until there is an outcome."""

    def __call__(self, view: AnyView) -> AnyView: ...


class Keys(Protocol):
    """Keys that are pressed while something else goes on."""

    def pressed(self, wait: bool = False, alone: bool = False) -> str:
        """The next key, or nothing if none was pressed; to wait for one takes no processor time.

        Where only a key `alone` counts, several that come at once are text that waits for the next prompt. A
        screen of another size is a key, too, of no character: `RESIZED`.
        """

    @property
    def in_line(self) -> bool:
        """Whether somebody is in the middle of a line that waits for the next prompt."""

    def keep(self, text: str) -> None:
        """Let keys be text that waits for the next prompt."""


class Pixels(Protocol):
    """What a terminal is sent to show a picture as pixels."""

    def __call__(self, picture: Picture, columns: int, lines: int, wish: str) -> str:
        """In so many cells; nothing where it is to be shown as text."""


RESIZED = "resized"


class OutputLost(BaseException):
    """What is shown cannot be written any more: the reader has gone away, or the disk is full."""

    def __init__(self, error: OSError):
        self.error = error
        super().__init__(str(error))


class Signalled(BaseException):
    """A signal ends the program while it has the terminal in its hands, which is given back first."""

    def __init__(self, number: int):
        self.number = number
        self.view: Any = None  # what was on the whole screen, if anything was
        super().__init__(f"ended by signal {number}")


class Console:
    """Text to the user; whatever is shown or typed also goes to `echo` while there is one."""

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None, quiet: bool = False):
        self.out, self.err = out or sys.stdout or _nowhere(), err or sys.stderr or _nowhere()
        self.quiet = quiet
        self.echo: Callable[[str], None] | None = None
        self.show_view: ShowView | None = None  # of a terminal that has a whole screen
        self.listen: Callable[[], AbstractContextManager[Keys]] | None = None  # of one whose keys can be read at once
        self.pixels: Pixels | None = None  # of one that may show more than text
        self.pictures = AUTO_PICTURES  # how pictures are wanted, as OPTION PICTURES has it
        self.talk = NORMAL  # how much is said, as OPTION TALK has it
        self.is_writing = False  # whether a write has begun that has not come to its end
        self.n_warned = 0  # times that something was wrong, or not to be overlooked
        self.page: Callable[[str], bool] | None = None  # of a terminal at which somebody reads
        self.proposed = ""  # a line that a key gives at an empty prompt, after what was shown last
        self.way_out = ""  # how the question is left
        self.reached = ""  # the sum of squares that a command which goes on has come to, for the status below
        self.asked: object = None  # the question that waits for an answer (`questions.Question`), for completion

    def say(self, text: str = "") -> None:
        """Show a result or a remark."""
        text = C1.sub(lambda match: without_controls(match[0]), text)
        self.typed(text)
        if not self.quiet and not self._paged(f"{self._fitted(text)}\n"):
            self._show(f"{self._fitted(text)}\n")

    def _paged(self, text: str) -> bool:
        """Whether a text that is longer than the screen was shown page by page."""
        return self.page is not None and text.count("\n") >= self.screen[1] and self.page(text)

    def hint(self, text: str) -> None:
        """Show a dim line to who is at a terminal; it is no part of what was said."""
        if text and self.is_terminal and not self.quiet and self.talk != BRIEF:
            self._show(f"{DIM}{text}{PLAIN}\n" if self.colour else f"({text})\n")

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Nothing is shown meanwhile, nor echoed: what is done was announced, and is worth no more words."""
        quiet, err, echo = self.quiet, self.err, self.echo
        self.quiet, self.err, self.echo = True, io.StringIO(), None
        try:
            yield
        finally:
            self.quiet, self.err, self.echo = quiet, err, echo

    def _show(self, text: str) -> None:
        try:
            self._write(self.out, text)
        except OSError as error:
            raise OutputLost(error) from None

    def _write(self, stream: TextIO, text: str) -> None:
        """Write a text at once; `is_writing` tells whoever is called meanwhile, by a signal, that nobody else can."""
        encoding, before = stream.encoding or "ascii", self.is_writing
        self.is_writing = True
        try:
            stream.write(text.encode(encoding, "replace").decode(encoding))
            stream.flush()
        finally:
            self.is_writing = before

    def show(self, picture: Picture, below: int = 0) -> None:
        """Show a picture, with so many lines of text below it: as pixels where there are any; the echo has text."""
        text = self.drawn(picture, below)
        lines = min(text.count("\n") + 1, self.screen[1] - 2)
        image = "" if self.quiet or self.pixels is None else self.pixels(picture, self.size[0], lines, self.pictures)
        if image:
            self.typed(text)
            self._show(f"{image}\n")
        else:
            self.say(text)

    def proposes(self, line: str) -> None:
        """Let keys at an empty prompt give this line, until the next command."""
        self.proposed = line

    def control(self, text: str) -> None:
        """Send the terminal what is no text."""
        self._show(text)

    def warn(self, text: str) -> None:
        """Show what must not be overlooked, --quiet or not."""
        self.n_warned += 1
        text = without_controls(text)
        with suppress(OSError):  # an error that nobody sees is no reason to stop
            self._write(self.err, f"{self._fitted(text)}\n")
        self.typed(text)

    def _fitted(self, text: str) -> str:
        """Lines that are too long for the terminal, broken between words."""
        if not self.is_terminal:
            return text
        room = shutil.get_terminal_size().columns - 1
        return "\n".join(_broken(line, room) for line in text.split("\n"))

    def typed(self, text: str) -> None:
        """Put into the echo what is seen on the screen without having been shown by us; colours are no text."""
        if self.echo is not None:
            self.echo(COLOUR.sub("", text))

    def redraw(self, text: str, rows: int, afresh: bool = False) -> int:
        """Write text over the last `rows` lines of the terminal; gives how many lines it takes.

        `afresh` begins with an empty screen, because nobody knows where the lines are after its size has changed.
        """
        if self.quiet:
            return 0
        above = "\x1b[H\x1b[2J" if afresh else f"\r\x1b[{rows}A" if rows else ""
        # What was there is overwritten line by line, for an empty screen in between would flicker.
        self._show(above + text.replace("\n", "\x1b[K\n") + "\x1b[K\x1b[J\n")
        return text.count("\n") + 1

    def erase(self, rows: int) -> None:
        """Take the last `rows` lines off the terminal."""
        if rows and not self.quiet:
            self._show(f"\r\x1b[{rows}A\x1b[J")

    @property
    def screen(self) -> tuple[int, int]:
        """Columns and lines of the whole terminal."""
        columns, lines = shutil.get_terminal_size()
        return columns, lines

    @property
    def is_live(self) -> bool:
        """Whether what is on the screen can be written over."""
        return self.is_terminal and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def is_terminal(self) -> bool:
        return self.out.isatty()

    @property
    def width(self) -> int:
        """Columns for text."""
        return max(min(shutil.get_terminal_size().columns - 1, 110), 40) if self.is_terminal else 79

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines for a plot."""
        if not self.is_terminal:
            return FILE_SIZE
        columns, lines = shutil.get_terminal_size()
        return max(columns - 1, 30), max(min(lines - 6, columns // 3), 8)

    def drawn(self, picture: Picture, below: int = 0, height: int | None = None, colour: bool = True) -> str:
        """A picture as this terminal shows it, with so many lines of text below it, or of a height."""
        columns, lines = self.size
        room = max(lines - (below if self.is_terminal else 0), min(lines, LEAST_LINES))
        return plotting.draw(picture, columns, height or room, colour and self.colour, self.unicode)

    @property
    def colour(self) -> bool:
        """Whether colours are wanted: at a terminal that has them, unless NO_COLOR says otherwise."""
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") == "dumb"
        return self.is_terminal and not plain

    @property
    def unicode(self) -> bool:
        """Whether more than ASCII can be shown."""
        return "utf" in (self.out.encoding or "").lower() and not _is_ascii_locale()


def _is_ascii_locale() -> bool:
    """Whether the user asked for the C locale: Python takes it for UTF-8, which such a terminal cannot show."""
    kind = os.environ.get("LC_CTYPE", "")
    chosen = "" if kind == "C.UTF-8" and sys.flags.utf8_mode else kind  # that is what Python made of it
    return (os.environ.get("LC_ALL") or chosen or os.environ.get("LANG")) in ("C", "POSIX")


def _broken(line: str, room: int) -> str:
    """A line in lines of a width, the later ones indented; pictures in colour are left as they are."""
    if len(line) <= room or room < 20 or "\x1b" in line:
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    parts = textwrap.wrap(
        line, room, subsequent_indent=indent, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts)


def _nowhere() -> TextIO:
    """In place of a standard stream that was closed before we began."""
    return open(os.devnull, "w", encoding="utf-8")
