"""A run's journal: a script of the commands that succeeded, with checksums.

It consists of entries. The first is the head and says what was opened; then each command has one, or several if it is
a conversation of its own. A line with a checksum ends an entry: of its lines, and of the checksum before it. So bytes
and lines that were changed, lost or moved are noticed, and an entry without its end is what a crash left of one.
Journals of earlier versions have no checksums and are read, too.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import dropwhile
from pathlib import Path
from typing import Literal, TextIO

from parfit.dataclass import dataclass
from parfit.errors import ParfitError
from parfit.session.paths import in_one_line, out_of_line

TITLE = "# A run of PARFIT: each command that succeeded, before it the time, after it a checksum."
OPENED = "#: "  # in the head: model and data
DEFAULTS = "#! defaults: "  # there, too: those that it was opened with
INPUT = "#< "  # in the head or before a command: a file that was read, after its checksum
STAMP = "#@ "  # begins an entry: when the command was given, and how many lines it has if there are several
MORE = "#+ "  # begins an entry that goes on with the command before: how many lines it has
REMARK = "#- "  # before what is no command
CHECK = "#= "  # ends an entry
UTF8 = "utf-8", "surrogateescape"  # names of files may hold any bytes
_CHECK_WITHIN = re.compile(rf"{CHECK}[0-9a-f]{{12}}")


@dataclass(frozen=True)
class Input:
    """A file that was read: its full name, and the SHA-256 of what it held."""

    path: str
    checksum: str


@dataclass(frozen=True)
class Entry:
    """A command with the lines it took, or a remark."""

    lines: tuple[str, ...]
    stamp: str = ""  # when the command was given
    inputs: tuple[Input, ...] = ()
    is_remark: bool = False
    line: int = 0  # where it begins in the file


@dataclass(frozen=True)
class Content:
    """What a journal was found to hold, up to the first entry that is damaged."""

    opened: tuple[str, ...] = ()
    of_1977: bool = False  # whether it was opened with the manual's defaults
    inputs: tuple[Input, ...] = ()  # that were read when the run was opened
    entries: tuple[Entry, ...] = ()
    is_checked: bool = True  # whether it has checksums
    is_clean: bool = True  # whether more can be added to it as it is
    damage: str = ""  # which entry is damaged


def checksum(data: bytes) -> str:
    """Of the content of a file."""
    return sha256(data).hexdigest()


# ---- writing


def head_lines(opened: Sequence[str], of_1977: bool, inputs: Sequence[Input]) -> list[str]:
    """The first entry."""
    defaults = f"{DEFAULTS}{'1977' if of_1977 else 'accurate'}"
    return [TITLE, *(f"{OPENED}{in_one_line(path)}" for path in opened), defaults, *_input_lines(inputs)]


def entry_lines(entry: Entry) -> list[str]:
    """The entry of a command or a remark."""
    if entry.is_remark:
        return [f"{REMARK}{line}" for line in entry.lines]
    count = f" {len(entry.lines)}" if len(entry.lines) > 1 else ""
    return [f"{STAMP}{entry.stamp}{count}", *_input_lines(entry.inputs), *entry.lines]


def more_lines(lines: Sequence[str]) -> list[str]:
    """The entry that goes on with a command."""
    return [f"{MORE}{len(lines)}", *lines]


def _input_lines(inputs: Sequence[Input]) -> list[str]:
    return [f"{INPUT}{each.checksum} {in_one_line(each.path)}" for each in inputs]


def _check(before: str, lines: Iterable[str]) -> str:
    """The checksum that ends an entry."""
    data = "".join(f"{line}\n" for line in (before, *lines)).encode(*UTF8)
    return sha256(data).hexdigest()[:16]


class Journal:
    """The file: every entry is on the disk before anything else happens."""

    def __init__(self, path: Path):
        self.path = path
        self._stream: TextIO | None = None
        self._last = ""  # the checksum of the last entry

    def open(self) -> None:
        """Open or make the file, for us alone."""
        self._stream = _opened(self.path, "a")
        if not _locked(self._stream) or not _is_at(self._stream, self.path):
            self.close()
            raise ParfitError(f"{self.path.parent}: the run is in use by another parfit")

    def read(self) -> Content:
        """What it holds; more is added after that."""
        content, self._last = parse(self.path.read_bytes())
        return content

    def add(self, lines: Sequence[str]) -> None:
        """Write an entry, through to the disk."""
        if self._stream is None:
            return
        check = _check(self._last, lines)
        self._stream.write("".join(f"{line}\n" for line in (*lines, CHECK + check)))
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._last = check

    def rewrite(self, entries: Iterable[Sequence[str]]) -> None:
        """Give the file other entries: all of them, or if something goes wrong it stays as it is."""
        assert self._stream is not None
        old, last = self._stream, self._last
        part = self.path.with_name(self.path.name + ".part")
        try:
            self._stream, self._last = _opened(part, "w"), ""
            _locked(self._stream)
            for lines in entries:
                self.add(lines)
            os.replace(part, self.path)
        except BaseException:
            self._stream, self._last = old, last
            raise
        sync_folder(self.path.parent)
        old.close()

    def close(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._stream = None


def _opened(path: Path, mode: Literal["a", "w"]) -> TextIO:
    encoding, errors = UTF8
    return open(path, mode, encoding=encoding, errors=errors, newline="\n")


def _locked(stream: TextIO) -> bool:
    """Whether nobody else has the file; where there are no locks, nobody is taken to have it."""
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _is_at(stream: TextIO, path: Path) -> bool:
    """Whether the file is still the one of that name: another parfit may have written it anew."""
    return os.path.samestat(os.fstat(stream.fileno()), os.stat(path))


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where that is possible."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# ---- reading


def parse(data: bytes) -> tuple[Content, str]:
    """What a journal holds, and the checksum of its last entry."""
    lines = data.decode(*UTF8).split("\n")
    if lines[0] != TITLE and not any(line.startswith(CHECK) for line in lines):
        return _parse_unchecked(lines), ""
    content, last, chunk = Content(), "", list[str]()
    for number, line in enumerate(lines, 1):
        if not line.startswith(CHECK):
            chunk.append(line)
            continue
        wanted, is_last = CHECK + _check(last, chunk), number == len(lines)
        if line != wanted:
            is_torn = is_last and wanted.startswith(line)
            return _ending(content, chunk, number - len(chunk), is_torn), last
        content, last, chunk = _with_chunk(content, chunk, number - len(chunk)), wanted[len(CHECK) :], []
        if content.damage:
            return content, last
    if chunk == [""]:
        return content, last
    is_torn = not chunk or _is_torn(chunk)  # if there is no line at all, only the last line end is missing
    return _ending(content, chunk, len(lines) - len(chunk) + 1, is_torn), last


def _with_chunk(content: Content, lines: list[str], number: int) -> Content:
    """With one more entry, which is whole."""
    first, inputs = lines[0] if lines else "", tuple(_input(line) for line in lines if line.startswith(INPUT))
    rest = tuple(line for line in lines[1:] if not line.startswith(INPUT))
    if not content.opened:
        opened = tuple(out_of_line(line[len(OPENED) :]) for line in lines if line.startswith(OPENED))
        return replace(content, opened=opened, of_1977=_is_of_1977(lines), inputs=inputs)
    *before, last = content.entries or (Entry(()),)
    if first.startswith(STAMP):
        line = number + len(lines) - len(rest)
        return _and(content, Entry(rest, first[len(STAMP) :].partition(" ")[0], inputs, line=line))
    if first.startswith(REMARK):
        return _and(content, Entry(tuple(line[len(REMARK) :] for line in lines), is_remark=True, line=number))
    if first.startswith(MORE) and content.entries:
        return replace(content, entries=(*before, replace(last, lines=last.lines + rest)))
    return _ending(content, lines, number, is_torn=False)


def _is_of_1977(lines: Iterable[str]) -> bool:
    """What a head says about the defaults; one that does not say anything knew no others."""
    return next((line[len(DEFAULTS) :] == "1977" for line in lines if line.startswith(DEFAULTS)), True)


def _and(content: Content, entry: Entry) -> Content:
    return replace(content, entries=(*content.entries, entry))


def _input(line: str) -> Input:
    found, _, path = line[len(INPUT) :].partition(" ")
    return Input(out_of_line(path), found)


def _ending(content: Content, lines: list[str], number: int, is_torn: bool) -> Content:
    """With an end that is no entry: half of one after a crash, or else damaged."""
    if is_torn:
        return replace(content, is_clean=False)
    if not content.opened:
        return replace(content, is_clean=False, damage=f"line {number}, in its head")
    n_commands = sum(not entry.is_remark for entry in content.entries)
    command = next((line for line in lines if line and not line.startswith("#")), lines[0] if lines else "")
    shown = command if len(command) <= 60 else command[:57] + "..."
    return replace(content, is_clean=False, damage=f"line {number}, entry {n_commands + 1} ({shown})")


def _is_torn(lines: list[str]) -> bool:
    """Whether lines without a checksum are the beginning of an entry, and not one that was damaged."""
    if any(_CHECK_WITHIN.search(line) for line in lines):
        return False
    *whole, part = lines
    first = lines[0]
    if not whole:
        return any(mark.startswith(part) or part.startswith(mark) for mark in (STAMP, MORE, REMARK, TITLE, CHECK))
    if first.startswith(REMARK):
        return all(line.startswith(REMARK) for line in whole)
    if first.startswith((STAMP, MORE)):
        count = first.split(" ")[-1]
        n_lines = int(count) if count.isdecimal() and len(count) < 9 else 1
        return len(list(dropwhile(lambda line: line.startswith(INPUT), whole[1:]))) <= n_lines
    return first == TITLE and all(line.startswith((OPENED, DEFAULTS, INPUT)) for line in whole[1:])


def _parse_unchecked(lines: list[str]) -> Content:
    """What a journal without checksums holds; the command that a crash left half written is none."""
    whole = lines[:-1]
    opened = tuple(path for line in whole if line.startswith(OPENED) and (path := line[len(OPENED) :]))
    entries: list[Entry] = []
    wanted = 0  # how many lines the last command should have
    for number, line in enumerate(whole, 1):
        if line.startswith(STAMP):
            stamp, _, count = line[len(STAMP) :].partition(" ")
            wanted = int(count) if count.isdecimal() and len(count) < 9 else 1
            entries.append(Entry((), stamp, line=number + 1))
        elif line.startswith(REMARK):
            entries.append(Entry((line[len(REMARK) :],), is_remark=True, line=number))
        elif not line.startswith("#"):
            if not entries or entries[-1].is_remark:
                entries.append(Entry((), line=number))
            entries[-1] = replace(entries[-1], lines=(*entries[-1].lines, line))
    if entries and not entries[-1].is_remark and len(entries[-1].lines) < wanted:
        entries.pop()
    return Content(opened, _is_of_1977(whole), (), tuple(entries), is_checked=False, is_clean=False)
