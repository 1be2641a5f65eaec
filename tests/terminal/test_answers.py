"""What a terminal answers is taken out of what is typed, whole, in pieces and late."""

import pytest

from parfit.terminal import answers as module
from parfit.terminal.answers import Answers

KITTY, SIXEL, PLAIN, CELL = "\x1b_Gi=31;OK\x1b\\", "\x1b[?62;4;22c", "\x1b[?6c", "\x1b[6;21;9t"
ARROW = "\x1b[A"


@pytest.mark.parametrize(
    ("heard", "kitty", "sixel", "known"),
    [
        (KITTY + PLAIN, True, False, True),
        (SIXEL, False, True, True),
        (KITTY + SIXEL, True, True, True),
        ("\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\" + PLAIN, False, False, True),
        ("\x1b[?4c", False, False, True),  # the class of the terminal is no ability
        ("\x1b[?1;2c", False, False, True),
        (KITTY, True, False, False),
        ("", False, False, False),
    ],
)
def test_what_it_says(heard, kitty, sixel, known):
    answers = Answers()
    assert answers.without(heard) == ""
    assert (answers.has_kitty, answers.has_sixel, answers.is_known) == (kitty, sixel, known)


def test_what_is_typed_between_answers_stays():
    answers = Answers()
    assert answers.without(f"S{KITTY}E{CELL}T{SIXEL} a{ARROW}") == f"SET a{ARROW}"
    assert answers.cell(80, 24) == (9, 21)


def test_every_way_of_cutting_answers_in_pieces():
    text = f"F{KITTY}I{CELL}{SIXEL}T\r"
    for first in range(len(text)):
        for second in range(first, len(text)):
            answers = Answers()
            answers.expect()
            pieces = text[:first], text[first:second], text[second:]
            assert "".join(map(answers.without, pieces)).replace("\x1b", "") == "FIT\r"
            assert answers.has_kitty
            assert answers.has_sixel


def test_keys_come_at_once_when_no_answer_is_expected(monkeypatch):
    answers = Answers()
    assert [answers.without(key) for key in ("\x1b", ARROW, "\x1b[", "A")] == ["\x1b", ARROW, "\x1b[", "A"]
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    answers.expect()
    assert answers.without("\x1b") == "\x1b", "nobody waits for this key"
    assert answers.without("x") == "x"
    assert answers.without("\x1b[1") == "", "it may be the beginning of an answer"
    now[0] += module.LATEST + 1
    assert answers.without(";2A") == "\x1b[1;2A"
    assert answers.without("\x1b") == "\x1b"
    assert answers.without("[A") == "[A"


def test_what_never_becomes_an_answer_is_not_typed_either(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    answers = Answers()
    answers.expect()
    assert answers.without("\x1b_Gi=31;O") == ""
    now[0] += module.LATEST + 1
    assert answers.without("K") == ""
    assert answers.without("FIT") == "FIT"


def test_the_size_of_a_cell_from_that_of_the_window():
    answers = Answers()
    assert answers.cell(80, 24) is None
    answers.without("\x1b[4;480;800t")
    assert answers.cell(80, 24) == (10, 20)
