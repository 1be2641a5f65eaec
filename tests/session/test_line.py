"""Words are cut off a line one by one."""

from time import process_time

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


def test_a_long_line_takes_as_long_as_it_is():
    def seconds(n):
        text, begun = "12345 " * n, process_time()
        assert len(words(text)) == n
        return process_time() - begun

    seconds(1000)
    short = min(seconds(5_000) for _ in range(3))
    assert seconds(160_000) < 250 * short, "32 times as long; if it were copied with every word, 1,000 times"
