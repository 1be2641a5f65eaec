"""Models of any kind: `.ode` files, and those of other programs, which are told by their content."""

from __future__ import annotations

import re
from dataclasses import replace
from os import PathLike
from pathlib import Path

from parfit.errors import DataError, ModelError
from parfit.model.language.reader import model_from_text
from parfit.model.language.reader import read_model as read_ode
from parfit.model.language.syntax import short
from parfit.model.model import Model
from parfit.model.textfile import Read, file_bytes

BEGINNING = 4000  # bytes of a file that are looked at
_SBML = re.compile(rb"(?s).*?<(\w+:)?sbml\b")
_PETAB = re.compile(rb"^format_version\s*:", re.MULTILINE)
YAML = (".yaml", ".yml")
ENDINGS = (".xml", ".sbml", *YAML)  # of what is taken for a model, whatever it holds


def is_sbml(data: bytes) -> bool:
    """Whether a file is SBML, in whatever encoding."""
    return _SBML.match(data[:BEGINNING].replace(b"\0", b"")) is not None


def is_petab(path: str | PathLike[str], read: Read = file_bytes) -> bool:
    """Whether a file lists those of a PEtab problem, or has a name that says so; one that cannot be read does not."""
    try:
        data = read(path)
        return str(path).lower().endswith(YAML) or _PETAB.search(data[:BEGINNING]) is not None
    except (OSError, ValueError, DataError):
        return False


def read_model(path: str | PathLike[str], read: Read = file_bytes) -> Model:
    """Read a model; whatever is wrong with it is a `ModelError` with file and line."""
    try:
        data = read(path)
    except (OSError, ValueError, DataError):
        return read_ode(path, read)  # which says what is wrong
    if not is_sbml(data):
        return read_ode(path, lambda each: data if each == path else read(each))
    return sbml_model(data, path)


def sbml_model(data: bytes, path: str | PathLike[str]) -> Model:
    """The model of an SBML file; its text is that of an `.ode` file."""
    from parfit.formats.sbml.document import components_of
    from parfit.formats.sbml.text import Writing

    try:
        found = components_of(data, Path(path).stem)
        writing = Writing(found)
        text = writing.text()
    except ModelError as error:
        raise ModelError(error.message, path, error.line) from None
    model = model_of_text(text, path)
    return replace(model, remarks=(*found.remarks, *writing.names.told(), *model.remarks))


def model_of_text(text: str, path: str | PathLike[str]) -> Model:
    """The model of a text that was made of a file, of which a statement is told where its line would be another."""
    try:
        return model_from_text(text, Path(path).stem)
    except ModelError as error:
        made = f", read as `{short(text.splitlines()[error.line - 1])}`" if error.line else ""
        raise ModelError(error.message + made, path) from None
