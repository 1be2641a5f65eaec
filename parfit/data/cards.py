"""The card file of 1977 (thesis, Appendix A, section 2): model name, initial time, counts, then the data.

Numbers are in free format, separated by blanks or a comma. After the third card come the observations, state
by state; their times; the subscripts of the observed states, from 1; starting values of the parameters; and,
from a new card on, weights in the order of the observations if there are any. CREATE as the name of the model
means that observations are still to be simulated: then nothing after the third card counts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from itertools import islice
from os import PathLike
from typing import NamedTuple

import numpy as np

from parfit.arrays import Array, read_only
from parfit.data.deck import Card, Deck, words
from parfit.data.observations import Observations, make_observations
from parfit.dataclass import dataclass
from parfit.errors import DataError
from parfit.model.model import Model
from parfit.model.textfile import Read, at_place, excerpt, file_bytes, integer, read_lines, real

NAME_LENGTH = 30  # characters of a model name
CARD_LENGTH = 80  # columns of a card


class Counts(NamedTuple):
    """The third card."""

    n_states: int
    n_params: int
    n_observed: int
    n_times: int
    max_samples: int


@dataclass(frozen=True, eq=False)
class Cards:
    """The contents of a card file; arrays are read-only, and empty if the model name is CREATE."""

    model_name: str
    t0: float
    n_states: int
    n_params: int
    n_observed: int
    n_times: int
    max_samples: int  # a limit of the original's storage, without meaning here
    values: Array  # (n_times, n_observed)
    times: Array  # (n_times,), increasing
    observed: tuple[int, ...]  # indices of the observed states, from 0
    start: Array  # (n_params,)
    weights: Array | None = None  # (n_times, n_observed)
    source: str = ""

    def observations(self, model: Model) -> Observations:
        """The observations, named like the states of the model that they belong to."""
        with at_place(self.source or None):
            if is_create(self.model_name):
                raise DataError("has no observations, because the name of its model is CREATE; simulate them first")
            self._check(model, model.t0 if model.says_t0 else self.t0)
        names = [model.states[state] for state in self.observed]
        return make_observations(self.times, names, self.values, self.weights, source=self.source, begin=self.t0)

    def check_for_create(self, model: Model) -> None:
        """Refuse cards that are for another model than the one that is to be simulated."""
        with at_place(self.source or None):
            self._check(model, model.t0)

    def _check(self, model: Model, t0: float) -> None:
        for what, found, wanted in (
            ("states", self.n_states, len(model.states)),
            ("parameters", self.n_params, len(model.parameters)),
        ):
            if found != wanted:
                raise DataError(f"is for a model with {found} {what}, but {model.name} has {wanted}")
        if self.t0 != t0:
            raise DataError(
                f"begins at time {self.t0:g}, but {model.name} at {t0:g}; "
                "correct the second card, or `@ t0=` in the model"
            )


def is_create(model_name: str) -> bool:
    """Whether the name says that observations are still to be simulated."""
    return model_name.upper() == "CREATE"


def looks_like_cards(lines: list[str]) -> bool:
    """Whether this is a card file: one number alone on the second card, where a table would have several."""
    cards = [words(line) for line in islice(filter(str.strip, lines), 3)]
    if len(cards) < 2 or len(cards[1]) != 1 or real(cards[1][0]) is None:
        return False
    return len(cards[0]) == 1 or [integer(word) is None for word in cards[-1]] == [False] * len(Counts._fields)


def read_cards(path: str | PathLike[str], read: Read = file_bytes) -> Cards:
    """Read a card file; what is not as it must be is a `DataError` that says what was expected and found."""
    cards = [(line, text.strip()) for line, text in enumerate(read_lines(path, read), 1) if text.strip()]
    if len(cards) < 3:
        raise DataError("has fewer than three cards; expected a model name, the initial time, five counts", path)
    with at_place(path, cards[0][0]):
        name = _model_name(cards[0][1])
    with at_place(path, cards[1][0]):
        t0 = _initial_time(cards[1][1])
    with at_place(path, cards[2][0]):
        counts = _counts(cards[2][1], is_create(name))
    if is_create(name):
        none = read_only(np.empty(0))
        return Cards(name, t0, *counts, read_only(np.empty((0, 0))), none, (), none, source=str(path))
    return _read_numbers(path, cards, name, t0, counts)


def _model_name(card: str) -> str:
    if len(card.split()) != 1:
        raise DataError(f"expected the name of the model, without blanks, found {excerpt(card)}")
    return card


def _initial_time(card: str) -> float:
    number = real(card)
    if number is None or np.isinf(number):
        raise DataError(f"expected the initial time alone on the second card, found {excerpt(card)}")
    return number


def _counts(card: str, create: bool) -> Counts:
    numbers = [integer(word) for word in words(card)]
    if len(numbers) != len(Counts._fields) or None in numbers:
        raise DataError(
            "expected five integers on the third card (the numbers of states, parameters, observed states, "
            f"observation times, and the maximum of sample times), found {excerpt(card)}"
        )
    counts = Counts(*(number or 0 for number in numbers))
    if min(counts) < 0 or counts.n_states == 0 or (min(counts.n_observed, counts.n_times) == 0 and not create):
        raise DataError(f"a count on the third card is too small: {excerpt(card)}")
    if counts.n_observed > counts.n_states:
        raise DataError(f"the third card has {counts.n_observed} observed states, but {counts.n_states} states")
    return counts


def _read_numbers(path: str | PathLike[str], cards: list[Card], name: str, t0: float, counts: Counts) -> Cards:
    def check_time(time: float, before: list[float]) -> None:
        if time < t0:
            raise DataError(f"observation time {len(before) + 1} ({time:g}) is before the initial time {t0:g}")
        if before and time <= before[-1]:
            raise DataError(
                f"observation time {len(before) + 1} ({time:g}) does not follow {before[-1]:g}; "
                "compare with the counts on the third card"
            )

    def check_subscript(subscript: int, before: list[int]) -> None:
        if not 1 <= subscript <= counts.n_states or subscript in before:
            raise DataError(
                f"subscript {len(before) + 1} of {counts.n_observed} is {subscript}; expected the number of "
                f"an observed state, from 1 to {counts.n_states}, each once"
            )

    shape = counts.n_observed, counts.n_times
    deck = Deck(path, cards[3:], last_line=cards[-1][0])
    values = deck.take("observation", shape[0] * shape[1], real)
    times = deck.take("observation time", counts.n_times, real, check_time)
    subscripts = deck.take("subscript", counts.n_observed, integer, check_subscript)
    start = deck.take("starting value of parameter", counts.n_params, real)
    weights = _weights(deck, shape[0] * shape[1]) if deck.left() else None
    return Cards(
        name,
        t0,
        *counts,
        read_only(np.reshape(values, shape).T),
        read_only(times),
        tuple(subscript - 1 for subscript in subscripts),
        read_only(start),
        None if weights is None else read_only(np.reshape(weights, shape).T),
        str(path),
    )


def _weights(deck: Deck, count: int) -> list[float]:
    def check(weight: float, before: list[float]) -> None:
        if weight < 0:
            raise DataError(f"weight {len(before) + 1} of {count} is negative ({weight:g}); a weight is 0 or more")

    line, word = deck.left()[0]
    if not deck.starts_new_card():
        raise DataError(
            f"found {excerpt(word)} after the last starting value of a parameter; weights begin on a new card",
            deck.path,
            line,
        )
    weights = deck.take("weight", count, real, check)
    if deck.left():
        line, word = deck.left()[0]
        raise DataError(
            f"found {excerpt(word)} after the last weight; compare with the counts on the third card",
            deck.path,
            line,
        )
    return weights


def cards_text(model: Model, observations: Observations, start: Array, max_samples: int | None = None) -> str:
    """The text of a card file with observations, starting values of the parameters, and weights other than 1."""
    with at_place(observations.source or None):
        _check_writable(model, observations)
    n_samples = observations.sample_times(model.t0).size
    counts = Counts(
        len(model.states),
        len(model.parameters),
        len(observations.names),
        observations.times.size,
        n_samples if max_samples is None else max_samples,
    )
    subscripts = [model.states.index(name) + 1 for name in observations.names]
    cards = [
        _name_for(model),
        _cards([model.t0]),
        _cards(counts),
        *(_cards(column) for column in observations.values.T),
        _cards(observations.times),
        _cards(subscripts),
        _cards(start),
    ]
    if (observations.weights != 1).any():
        cards += [_cards(column) for column in observations.weights.T]
    return "\n".join(cards) + "\n"


def _check_writable(model: Model, observations: Observations) -> None:
    remedy = "; write a CSV file instead"
    for name in observations.names:
        if name not in model.states:
            raise DataError(f"a card file holds observations of states only, and {name} is none{remedy}")
    if observations.n_observations == 0:
        raise DataError("there are no observations to write")
    if not observations.observed.all():
        raise DataError(f"a card file cannot hold missing values{remedy}")
    if observations.has_rest:
        raise DataError(f"a card file cannot hold the time inf{remedy}")
    if (np.diff(observations.times) <= 0).any():
        raise DataError(f"a card file cannot hold several observations at the same time{remedy}")


def _name_for(model: Model) -> str:
    """The model's name as the first card can hold it."""
    name = "_".join(model.name.split())[:NAME_LENGTH]
    return "MODEL" if not name or is_create(name) else name


def _cards(numbers: Iterable[float]) -> str:
    """Numbers that read back exactly, on as many cards as they need."""
    text = " ".join(repr(number).upper() for number in np.asarray(numbers).tolist())
    return textwrap.fill(text, CARD_LENGTH, break_long_words=False, break_on_hyphens=False)
