"""`parfit convert IN OUT`: a model or a problem from one format to another, without a conversation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from parfit.api.problem import load
from parfit.errors import DONE, USAGE, CommandError
from parfit.export.exchange import with_data
from parfit.model.textfile import write_text
from parfit.terminal.usage import CONVERT_USAGE


def main(words: Sequence[str]) -> int:
    """Convert, or say how that is asked for; gives the exit code."""
    if len(words) >= 2 and not any(word.startswith("-") for word in words):
        sys.stdout.write(convert(words) + "\n")
        return DONE
    is_asked = any(word in ("-h", "--help") for word in words)
    sys.stdout.write(CONVERT_USAGE) if is_asked else sys.stderr.write(CONVERT_USAGE)
    return DONE if is_asked else USAGE


def convert(words: Sequence[str]) -> str:
    """Do what the words say, and tell what was written."""
    model, *data, out = words
    given = data[0] if len(data) == 1 else list(data) or None
    files = with_data(load(model, given).environment, Path(out))
    if any(path.resolve() == Path(each).resolve() for path in files for each in (model, *data)):
        raise CommandError(f"{out} is what is to be converted; give another name")
    for path, text in files.items():
        write_text(path, text)
    return "\n".join(str(path) for path in files)
