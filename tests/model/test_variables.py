"""Names are sorted into states and aux quantities."""

import pytest

from parfit.errors import ParfitError
from parfit.model.model import Model
from parfit.model.variables import split

MODEL = Model.from_text("x'=-x\ny'=x\ninit x=1\naux total=x+y\naux half=x/2\ndone", "small")


def test_both_are_in_the_order_of_the_model():
    assert split(MODEL, ["half", "y", "total", "x", "y"]) == (("x", "y"), ("total", "half"))
    assert split(MODEL, []) == ((), ())


def test_others_are_refused():
    with pytest.raises(ParfitError, match="a, z: neither a state nor an aux quantity of small"):
        split(MODEL, ["z", "x", "a"])
