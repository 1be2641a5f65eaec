"""Lines as they are understood."""

import pytest

from parfit.session.sources import cleaned


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("SET p1 3  # larger", "SET p1 3"),
        ("# nothing else", ""),
        ("MARK a#b", "MARK a#b"),
        ('LOAD "a #b.csv" # data', 'LOAD "a #b.csv"'),
        ("NOTE see issue #3", "NOTE see issue #3"),
        ("  note # of one", "note # of one"),
        ("TRY NOTE a # b", "TRY NOTE a # b"),
        ("NOTES # all of them", "NOTES"),
        ("SET\tp1\x1b 3", "SET p1  3"),
        ("NOTE \U0001f469\u200d\U0001f52c works", "NOTE \U0001f469\u200d\U0001f52c works"),
        ("NOTE \u0645\u06cc\u200c\u062e", "NOTE \u0645\u06cc\u200c\u062e"),
    ],
)
def test_comments_and_controls(line, text):
    assert cleaned(line) == text
    assert cleaned(cleaned(line)) == text


def test_a_note_keeps_its_text_in_the_journal(session):
    session("NOTE see issue #3")
    assert session.env.notes[0].text == "see issue #3"
    assert session.entries == ["NOTE see issue #3"]


def test_a_name_with_a_hash_is_quoted_in_the_journal(session):
    session("INTEG N", 'PLOT 1 "#a.svg"')
    assert cleaned(session.entries[-1]) == session.entries[-1], "what is written down is no comment"
    assert '"#a.svg"' in session.entries[-1]
