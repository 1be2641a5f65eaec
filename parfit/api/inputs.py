"""Models and data as they are handed over: paths, values, columns."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from os import PathLike
from typing import Any

from parfit.arrays import Array
from parfit.data.columns import columns_of, observations_from
from parfit.data.loading import is_deck, read_experiments, read_problem
from parfit.data.observations import Observations
from parfit.errors import DataError, ModelError
from parfit.formats.kinds import read_model
from parfit.library import from_library
from parfit.model.model import Model
from parfit.model.textfile import Read, file_bytes
from parfit.session.paths import full, meant

TEXT_OF_MODEL = re.compile(r"\n|'\s*=")  # the name of no file has a new line, or an equation


class Files:
    """The files that were read, by their full names, each with the checksum of what it held."""

    def __init__(self) -> None:
        self.checksums: dict[str, str] = {}

    def __call__(self, path: str | PathLike[str]) -> bytes:
        data = file_bytes(path)
        self.checksums[full(os.fspath(path))] = sha256(data).hexdigest()
        return data


def path_of(path: str | PathLike[str]) -> str:
    """Where a file is, which may be one of the library."""
    return from_library(meant(os.fspath(path)))


def model_of(model: object, read: Read) -> tuple[Model, str]:
    """A model, and the folder where its tables are."""
    if isinstance(model, Model):
        return model, ""
    if not isinstance(model, str | PathLike):
        raise ModelError(f"a model is the path of a model file, or a Model, not {type(model).__name__}")
    if isinstance(model, str) and TEXT_OF_MODEL.search(model):
        raise ModelError("this is the text of a model; parfit.Model.from_text(text) makes a Model of it")
    path = path_of(model)
    return read_model(path, read), os.path.dirname(path)


def data_of(
    data: Any, model: Model, read: Read, is_part: bool = False
) -> tuple[Observations | None, Array | None, bool]:
    """The observations, the starting values that came with them, and whether they are a deck of 1977.

    `is_part`: there are other experiments beside these.
    """
    if data is None or isinstance(data, Observations):
        return data, None, False
    if isinstance(data, str | PathLike):
        path = path_of(data)
        content = read(path)  # once, for a pipe cannot be read again
        return *read_problem(path, model, lambda _: content, is_part), is_deck(path, lambda _: content)
    if isinstance(data, list | tuple) and data and all(isinstance(each, str | PathLike) for each in data):
        return *read_experiments([path_of(each) for each in data], model, read), False
    columns = columns_of(data)
    if columns is None:
        raise DataError(f"data are the path of a file, columns by name, or Observations, not {type(data).__name__}")
    return observations_from(columns, model), None, False
