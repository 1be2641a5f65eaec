"""Data files of either kind."""

from __future__ import annotations

from os import PathLike

from parfit.model.cards import is_create, looks_like_cards, read_cards
from parfit.model.csvfile import read_csv
from parfit.model.model import Array, Model
from parfit.model.observations import Observations
from parfit.model.textfile import read_lines


def is_deck(path: str | PathLike[str]) -> bool:
    """Whether data are a deck of cards of 1977."""
    return looks_like_cards(read_lines(path))


def read_data(path: str | PathLike[str], model: Model) -> Observations:
    """Read the observations of a model from a CSV file or a card file, whichever it is."""
    if is_deck(path):
        return read_cards(path).observations(model)
    return read_csv(path, model)


def read_problem(path: str | PathLike[str], model: Model) -> tuple[Observations | None, Array | None]:
    """Observations, and the starting values that a card file has beside them; none of either if it is for CREATE."""
    if not is_deck(path):
        return read_csv(path, model), None
    cards = read_cards(path)
    if is_create(cards.model_name):
        return None, None
    return cards.observations(model), cards.start
