"""Words are cut off a line one by one."""

import tracemalloc

from parfit.session.line import Line
from parfit.session.questions import TOKEN, WORD


def words(text, pattern=TOKEN):
    line, found = Line(text), []
    while (word := line.word(pattern)) is not None:
        found.append(word)
    return found


def test_words():
    assert words(' a, b=3 "c d" , = = e') == ["a", "b", "3", "c d", "=", "e"]
    assert words(" a,b  c=1.csv", WORD) == ["a,b", "c=1.csv"]
    assert words("") == words(" ,, ") == []


def test_what_is_left():
    line = Line("one, two  three ,")
    assert line.word(TOKEN) == "one"
    assert line.rest == "two  three"
    assert not line.is_empty
    words = [line.word(TOKEN), line.word(TOKEN)]
    assert words == ["two", "three"]
    assert line.is_empty
    assert line.rest == ""
    commas = Line(" ,, ")
    assert commas.is_empty
    assert not commas.is_blank


def test_a_long_line_is_not_copied_with_every_word():
    """Otherwise it would take the square of its length."""
    line = Line("12345 " * 100_000)
    line.word(TOKEN)
    tracemalloc.start()
    try:
        line.word(TOKEN)
        line.is_empty, line.is_blank  # noqa: B018
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10_000, "of 600,000 characters"
