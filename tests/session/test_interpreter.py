"""The interpreter: what a line means."""

import pytest


@pytest.mark.parametrize("line", ["p1=3", "p1 = 3", "P1=3.0", "TRY p1=3"])
def test_a_value_given_to_a_parameter(session, line):
    session(line)
    assert session.env.values[0] == 3
    assert session.entries == ["SET p1 3"]
    session("UNDO")
    assert session.env.values[0] == 1


def test_several_values(session):
    session("p1=3 p2=4")
    assert session.env.values[:2].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("line", "hint"),
    [("q1=3", "did you mean p1?"), ("y1'=-p1*y1", "MODEL y1'=-p1*y1 would change the model")],
)
def test_a_value_of_what_is_no_parameter(session, line, hint):
    assert hint in session.refused(line)


def test_the_parameters_are_shown_by_any_of_their_words(session):
    session("FREEZE p2")
    said = [session(word).partition("\n")[2] for word in ("PARAMETERS", "show", "par")]
    assert said[0] == said[1] == said[2]
    assert "frozen" in said[0]
    assert session.entries == ["FREEZE p2"]
