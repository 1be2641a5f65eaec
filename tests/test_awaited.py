"""Values that wait until somebody asks for them."""

import copy
import pickle

import pytest

from parfit.awaited import Awaited, known


def test_computed_once_and_not_before():
    asked = []
    value = Awaited(lambda: asked.append("") or len(asked))
    assert not asked
    assert [value(), value()] == [1, 1]


def test_a_failure_is_not_remembered():
    results = iter([ZeroDivisionError(), 3.0])

    def compute():
        found = next(results)
        if isinstance(found, Exception):
            raise found
        return found

    value = Awaited(compute)
    with pytest.raises(ZeroDivisionError):
        value()
    assert value() == 3.0


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_have_the_value(copied):
    assert copied(Awaited(lambda: (1, 2)))() == copied(known((1, 2)))() == (1, 2)
