"""PARAMETERS: the table, or some of its lines, under any of the words that people type for it."""

import re

import pytest


@pytest.mark.parametrize("word", ["PARAMETERS", "par", "show", "params", "list", "print"])
def test_words_for_the_table(session, word):
    assert [line.split()[1] for line in session(word).split("\n")[2:8]] == ["p1", "p2", "p3", "p4", "p5", "p6"]
    assert session.entries == []


def test_some_of_them(session):
    said = session("SET p3 7", "show p3 1").split("> show")[1]
    assert re.search(r"^3  p3 +7 ", said, re.MULTILINE)
    assert "p2" not in said
    assert "'zz' is no parameter" in session.refused("show zz")


def test_a_parameter_alone_says_what_one_can_do(session):
    assert "p3 is a parameter: PARAMETERS p3 shows it, p3=NUMBER sets it" in session.refused("P3")
