"""Lines `noise`, `prior` and `linear` as they are read."""

import pytest

from parfit.errors import ModelError
from parfit.model.said.lines import Read, read_errors, read_line


def test_words_and_expressions():
    assert read_errors("relative") == ("RELATIVE", "")
    assert read_errors("lognormal  .1+b") == ("LOGNORMAL", ".1+b")
    assert read_errors("0.1 + 0.05*c") == ("GIVEN", "0.1 + 0.05*c")
    assert [each.name for each in read_line("noise", "x, y additive s", "")] == ["x", "y"]
    assert read_line("prior", "k normal 2, .5", "") == [Read("k", ("normal", "2", ".5"))]
    assert [each.name for each in read_line("linear", "scale, offset", "")] == ["scale", "offset"]


@pytest.mark.parametrize(
    ("word", "rest"),
    [
        ("noise", "x"),
        ("noise", "x proportional"),
        ("noise", "x 1+"),
        ("prior", "k"),
        ("prior", "k loud 1 2"),
        ("prior", "k normal 1"),
        ("linear", ""),
        ("linear", "a b"),
    ],
)
def test_what_is_wrong_is_told_with_what_was_expected(word, rest):
    with pytest.raises(ModelError, match="expected"):
        read_line(word, rest, f"{word} {rest}")
