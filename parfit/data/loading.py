"""Data files of either kind."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from parfit.arguments import instance
from parfit.arrays import Array
from parfit.data.beginning import begun
from parfit.data.cards import cards_text, is_create, looks_like_cards, read_cards
from parfit.data.csvfile import read_csv
from parfit.data.observations import Observations
from parfit.data.stacking import added
from parfit.data.tabulating import csv_text
from parfit.errors import DataError
from parfit.model.foreign import foreign, looks_like_model
from parfit.model.model import Model
from parfit.model.textfile import Read, file_bytes, read_lines

MODEL = instance(Model, "a Model")
CARDS = (".dat", ".cards")  # endings of files of cards


def is_deck(path: str | PathLike[str], read: Read = file_bytes) -> bool:
    """Whether data are a deck of cards of 1977."""
    return looks_like_cards(read_lines(path, read))


def read_data(path: str | PathLike[str], model: Model, read: Read = file_bytes, is_part: bool = False) -> Observations:
    """Read the observations of a model from a CSV file or a card file; `is_part`: other files have more."""
    model = MODEL("model", model).template or model
    read = _once(path, read)
    if is_deck(path, read):
        return read_cards(path, read).observations(model)
    return read_csv(path, model, read, is_part)


def read_problem(
    path: str | PathLike[str], model: Model, read: Read = file_bytes, is_part: bool = False
) -> tuple[Observations | None, Array | None]:
    """Observations, and the starting values that a card file has beside them; none of either if it is for CREATE."""
    model = model.template or model
    read = _once(path, read)
    if not is_deck(path, read):
        return read_csv(path, model, read, is_part), None
    cards = read_cards(path, read)
    if is_create(cards.model_name):
        cards.check_for_create(model)
        return None, None
    return cards.observations(model), cards.start


def read_experiments(
    paths: Sequence[str | PathLike[str]], model: Model, read: Read = file_bytes
) -> tuple[Observations | None, Array | None]:
    """The same of several files, whose experiments are put together; one without a name is called like its file."""
    found, start = read_problem(paths[0], model, read, len(paths) > 1) if paths else (None, None)
    for path in paths[1:]:
        new, values = read_problem(path, model, read, is_part=True)
        if new is None or values is not None or start is not None:
            raise DataError("is a deck of cards, which cannot be put together with other files", path)
        found = added(found, new)
    if found is not None and len(paths) > 1:
        checked(found, model)
    return found, start


def checked(observations: Observations, model: Model) -> Observations:
    """The observations, unless the model cannot be made for their experiments."""
    begun(model, observations)
    return observations


def _once(path: str | PathLike[str], read: Read) -> Read:
    """What gives the content again that was read now: that of a pipe can be read once only."""
    data = read(path)
    other = foreign(data) or ("holds a model; give the model first, then the data" if looks_like_model(data) else "")
    if other:
        raise DataError(other, path)
    return lambda _: data


def data_text(path: str, model: Model, observations: Observations, start: Array) -> str:
    """What a data file of this name holds: cards, which have starting values too, or CSV."""
    if Path(path).suffix.lower() in CARDS:
        return cards_text(model, observations, start)
    return csv_text(observations)
