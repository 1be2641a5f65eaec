"""Where the name of a line stands: on it, in the middle, and away from other lines."""

import numpy as np
import pytest

from parfit.plotting.figure import Series
from parfit.plotting.labels import _clearest, written
from parfit.plotting.style import Style

ROWS, COLUMNS = 7, 21
STYLE = Style(colour=False, unicode=True)


def line(label):
    return Series(label, np.zeros(1), np.zeros(1), "solid")


def cells(*rows, columns=slice(None)):
    mask = np.zeros((ROWS, COLUMNS), dtype=bool)
    mask[list(rows), columns] = True
    return mask


def test_in_the_middle_of_a_line():
    assert _clearest(cells(3), cells(), 3) == (3, 9)


def test_where_most_of_it_is_covered():
    own = cells(1, columns=slice(9, 10)) | cells(5, columns=slice(2, 8))
    row, column = _clearest(own, cells(), 3)
    assert row == 5
    assert 2 <= column <= 5


def test_not_beside_another_line():
    assert _clearest(cells(1, 4), cells(0), 3)[0] == 4
    others = cells(3, columns=slice(8, 21))
    row, column = _clearest(cells(3), others, 3)
    assert (row, column + 3) <= (3, 7), "with a cell between them"


def test_nowhere():
    assert _clearest(cells(3), cells(*range(ROWS)), 3) is None
    assert _clearest(cells(), cells(), 3) is None
    assert _clearest(cells(3), cells(), COLUMNS) is None


@pytest.mark.parametrize(
    ("label", "short"),
    [("linear theory", "linear"), ("profile", "profile"), ("profiles of", "profiles"), ("concentration", "concentr")],
)
def test_a_long_label_is_cut_between_words(label, short):
    assert written([line(label)], STYLE, 40) == [short]


def test_a_label_is_longer_where_there_is_room_and_never_looks_like_another():
    both = [line("phosphorylated_kinase_a"), line("phosphorylated_kinase_b"), line("x")]
    assert written(both[:1], STYLE, 75) == ["phosphorylated_"]
    assert written(both, STYLE, 75) == ["phospho..nase_a", "phospho..nase_b", "x"]
