"""Text files as people have them: any usual encoding, any line end, numbers of several dialects."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from parfit.arguments import shown
from parfit.errors import DataError

# Plain, FORTRAN and scientific notation: 2, -.1, 1., 1.5D-3, .25E+02; nothing else that float() would take.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?(\d+)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
MOST_SLIPS, LONG_WORD = 2, 6  # of the fingers in a word, two only from so many letters on
LONGEST_NAME = 200  # characters of a file's name that leave room for an ending
MOST_BYTES = 100_000_000  # of a file: more is a mistake, and would take all memory

Read = Callable[[str | PathLike[str]], bytes]  # what gives the content of a file


def file_bytes(path: str | PathLike[str]) -> bytes:
    """The content of a file, or of what a shell writes into a pipe of its own: `<(command)`."""
    if not isinstance(path, str | PathLike):  # a number would be a file that is open already
        raise DataError(f"a file is given by its path, not by {shown(path)}")
    try:
        _check_kind(os.stat(path), path)
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            _check_kind(os.fstat(stream.fileno()), path)
            os.set_blocking(stream.fileno(), True)
            data = stream.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise DataError("is a directory; give the name of a data file in it", path) from None
    except FileNotFoundError:
        raise DataError("there is no such file; check its name and folder", path) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None
    _check_size(len(data), path)
    return data


def _check_kind(status: os.stat_result, path: str | PathLike[str]) -> None:
    """Refuse what never ends, or may never begin: devices, sockets, and pipes that anybody may write to."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if stat.S_ISFIFO(mode) and "/fd/pipe:" in os.path.realpath(path):
        return
    if not stat.S_ISREG(mode):
        what = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise DataError(f"is {what}, not a file; copy what it gives to a file first", path)
    _check_size(status.st_size, path)


def _check_size(size: int, path: str | PathLike[str]) -> None:
    if size > MOST_BYTES:
        raise DataError(
            f"has more than {MOST_BYTES // 1_000_000} MB, the most that is read; leave out what is not needed", path
        )


def read_lines(path: str | PathLike[str], read: Read = file_bytes) -> list[str]:
    """The lines of a text file in UTF-8, UTF-16 with a byte order mark, or else Latin-1."""
    text = _decode(read(path))
    if text is None or _CONTROL.search(text):
        raise DataError("is not a text file; save the data as CSV", path)
    return re.split(r"\r\n|\r|\n", text)


def _decode(data: bytes) -> str | None:
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None if encoding == "utf-16" else data.decode("latin-1")


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text file in UTF-8 with plain line ends."""
    try:
        write_whole(path, text.encode("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be written: {getattr(error, 'strerror', None) or error}", path) from None


def write_whole(path: str | PathLike[str], data: bytes) -> None:
    """Write a file as a whole or not at all: on a full disk the one that was there stays."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # such as /dev/stdout
        target.write_bytes(data)
        return
    part = target.with_name(f"{target.name[:LONGEST_NAME]}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        if target.exists():
            shutil.copymode(target, part)
        os.replace(part, target)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise


def real(text: str) -> float | None:
    """The number that a text stands for (infinite if it overflows), or None; a typeset minus sign counts."""
    text = text.replace("\N{MINUS SIGN}", "-")
    return float(text.upper().replace("D", "E")) if _NUMBER.fullmatch(text) else None


def exact(value: float) -> str:
    """A number as it reads back exactly, without needless digits."""
    return repr(float(value)).removesuffix(".0")


def integer(text: str, most_digits: int = 9) -> int | None:
    """The whole number that a text stands for, or None, also where it has too many digits for any use."""
    found = _INTEGER.fullmatch(text)
    return int(text) if found is not None and len(found[1]) <= most_digits else None


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of some words that a slip of the fingers makes another of; nothing if there is none."""
    found = [
        (_slips(word.lower(), each.lower()), -_shared(word, each), each)
        for each in words
        if abs(len(each) - len(word)) <= MOST_SLIPS
    ]
    slips, _, near = min(found, default=(0, 0, ""), key=lambda each: each[:2])
    return near if slips <= (1 if len(word) < LONG_WORD else MOST_SLIPS) else ""


def _shared(first: str, second: str) -> int:
    """How many letters two words have in common: one that is missing is likelier than another one."""
    return (Counter(first.lower()) & Counter(second.lower())).total()


def _slips(first: str, second: str) -> int:
    """How many letters are missing, wrong, too many or in the place of their neighbours (Damerau's distance).

    The same letters in another order are one slip.
    """
    if first != second and sorted(first) == sorted(second):
        return 1
    before: list[int] = []
    last = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        row = [i]
        for j, b in enumerate(second, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == second[j - 2] and b == first[i - 2]:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def excerpt(text: str) -> str:
    """A text in quotes for a message: one line, not too long."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


@contextmanager
def at_place(path: str | PathLike[str] | None, line: int | None = None) -> Iterator[None]:
    """Give data errors from the inside the place where they were found."""
    try:
        yield
    except DataError as error:
        raise DataError(error.message, path, line, error.advice) from None
