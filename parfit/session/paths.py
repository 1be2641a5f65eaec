"""Names of files: as people give them, in full, and in one line whatever characters they hold."""

from __future__ import annotations

import os
import re

from parfit.errors import ParfitError

URI = "file://"  # before the name of a file in which characters are written as %0A
_CONTROL = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(\\))")


def meant(path: str) -> str:
    """The file that a name stands for: ~ is the user's own folder, and file:///a%20b a name with any characters."""
    if path.startswith(URI):
        from urllib.parse import unquote_to_bytes

        return os.fsdecode(unquote_to_bytes(path.removeprefix(URI)))
    return os.path.expanduser(path)


def full(path: str | os.PathLike[str]) -> str:
    """The name of a file from anywhere."""
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise ParfitError("the current folder does not exist any more; go to another one and begin again") from None


def as_uri(path: str) -> str:
    """A name with any characters as one plain word, which `meant` reads."""
    from urllib.parse import quote_from_bytes

    return URI + quote_from_bytes(os.fsencode(full(path)))


def in_one_line(path: str) -> str:
    """A name without line ends and other controls, from which `out_of_line` gives the name again."""
    return _CONTROL.sub(lambda match: _code(match[0]), path)


def out_of_line(text: str) -> str:
    """The name of which `in_one_line` made a line."""
    return _ESCAPED.sub(lambda match: "\\" if match[3] else chr(int(match[1] or match[2], 16)), text)


def _code(character: str) -> str:
    if character == "\\":
        return "\\\\"
    return f"\\x{ord(character):02x}" if ord(character) < 256 else f"\\u{ord(character):04x}"
