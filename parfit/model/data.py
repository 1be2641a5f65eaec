"""Data files of either kind."""

from __future__ import annotations

from os import PathLike

from parfit.model.cards import is_create, looks_like_cards, read_cards
from parfit.model.csvfile import read_csv
from parfit.model.model import Array, Model
from parfit.model.observations import Observations
from parfit.model.textfile import Read, file_bytes, read_lines


def is_deck(path: str | PathLike[str], read: Read = file_bytes) -> bool:
    """Whether data are a deck of cards of 1977."""
    return looks_like_cards(read_lines(path, read))


def read_data(path: str | PathLike[str], model: Model, read: Read = file_bytes) -> Observations:
    """Read the observations of a model from a CSV file or a card file, whichever it is."""
    read = _once(path, read)
    if is_deck(path, read):
        return read_cards(path, read).observations(model)
    return read_csv(path, model, read)


def read_problem(
    path: str | PathLike[str], model: Model, read: Read = file_bytes
) -> tuple[Observations | None, Array | None]:
    """Observations, and the starting values that a card file has beside them; none of either if it is for CREATE."""
    read = _once(path, read)
    if not is_deck(path, read):
        return read_csv(path, model, read), None
    cards = read_cards(path, read)
    if is_create(cards.model_name):
        return None, None
    return cards.observations(model), cards.start


def _once(path: str | PathLike[str], read: Read) -> Read:
    """What gives the content again that was read now: that of a pipe can be read once only."""
    data = read(path)
    return lambda _: data
