"""NOTE and NOTES."""

from datetime import datetime


def test_notes_have_the_date_and_the_parameters(session, monkeypatch):
    monkeypatch.setattr(session.run, "now", lambda: datetime(2026, 3, 4, 15, 16, 17))
    session("SET 1 2.5", "NOTE p5 wants to be negative", "NOTE", "a second, on a card", "SET 1 7")
    notes = session.env.notes
    assert [note.text for note in notes] == ["p5 wants to be negative", "a second, on a card"]
    assert {note.time for note in notes} == {datetime(2026, 3, 4, 15, 16, 17)}
    said = session("NOTES")
    assert "2026-03-04 15:16  p5 wants to be negative" in said
    assert "p1 = 2.5" in said
    assert "p1 = 7" not in said


def test_notes_take_the_line_as_it_stands(session):
    texts = ["a = b, c", 'say "so"', "0", "1 2 0", "y", "ends with 0"]
    session(*(f"NOTE {text}" for text in texts))
    assert [note.text for note in session.env.notes] == texts


def test_notes_refuse(session):
    assert "NOTE TEXT makes one" in session.refused("NOTES")
    assert "an answer is needed: TEXT OF THE NOTE" in session.refused("NOTE")
