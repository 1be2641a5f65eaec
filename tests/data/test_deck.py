"""Numbers of a deck, one after another over its cards."""

import pytest

from parfit.data.deck import Deck, words
from parfit.errors import DataError
from parfit.model.textfile import integer, real


@pytest.fixture
def deck():
    return Deck("deck.dat", [(3, "1 2,3"), (5, "4.5")], 6)


@pytest.mark.parametrize("card", ["1 2 3", " 1,2 , 3", "1 2 3,", "1\t2  3 ,"])
def test_words_are_parted_by_blanks_or_a_comma(card):
    assert words(card) == ["1", "2", "3"]


def test_numbers_go_on_over_cards(deck):
    assert deck.take("count", 2, integer) == [1, 2]
    assert not deck.starts_new_card()
    assert deck.take("count", 1, integer) == [3]
    assert deck.starts_new_card()
    assert deck.left() == [(5, "4.5")]
    assert deck.take("value", 1, real) == [4.5]
    assert deck.left() == []


def test_what_is_no_number_is_named_with_its_line(deck):
    with pytest.raises(DataError, match=r"expected count 4 of 4, found '4\.5'") as refusal:
        deck.take("count", 4, integer)
    assert refusal.value.line == 5
    assert deck.left()[0] == (3, "1"), "nothing was taken"


def test_a_deck_that_ends_too_early(deck):
    with pytest.raises(DataError, match="expected value 5 of 9, found the end of the file") as refusal:
        deck.take("value", 9, real)
    assert refusal.value.line == 6


def test_each_is_checked_with_those_before_it(deck):
    def increasing(number, before):
        if before and number != before[-1] + 1:
            raise DataError("is not the next")

    assert deck.take("time", 3, real, increasing) == [1, 2, 3]
    deck.n_taken = 2
    with pytest.raises(DataError, match="is not the next") as refusal:
        deck.take("time", 2, real, increasing)
    assert refusal.value.line == 5
