"""START in conversation."""

import numpy as np
import pytest
from coldstarts import begun
from conversation import Session

DIGITS = "1" * 5000  # more than Python makes a number of
MANY = f"START {DIGITS}"


@pytest.fixture
def session(tmp_path):
    _, env = begun("predators", 1, 3.0)
    session = Session(env.model, env.observations, tmp_path / "run")
    yield session
    session.run.close()


def test_it_shows_marks_and_is_written_down(session):
    said = session("START 20")
    assert "SEARCHES, THE BEST FIRST" in said
    assert "sum of squares  searches  first from  mark" in said
    assert session.entries[-1] == "START 20 SEED 0"
    assert "20 searches" in session.report
    session("RECALL start1")
    assert session.env.sum_of_squares == pytest.approx(session.env.marks[0].sum_of_squares)


def test_played_again_it_gives_the_same(session):
    session("START 12 SEED 4")
    other = Session(session.env.model, session.env.observations)
    other(*session.entries)
    assert np.array_equal(other.env.values, session.env.values)


@pytest.mark.parametrize("line", ["START 0", "START few", "START 5 SEED", "START 1e3", MANY, f"START 5 SEED {DIGITS}"])
def test_wrong_lines_change_nothing(session, line):
    session.refused(line)
