"""SET."""

import numpy as np
import pytest

from parfit.estimation.parameters import Scaling

LOG, ROOT, NONE = Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE


def frozen(session):
    return {session.env.model.parameters[k] for k in session.env.parameters.frozen}


def scaling(session):
    return dict(zip(session.env.model.parameters, session.env.parameters.scaling, strict=True))


@pytest.mark.parametrize(
    "lines",
    [
        ["SET 1 3. 4 6.2 0"],  # as the manual writes it
        ["SET 1 3. 4 6.2"],
        ["set p1=3 P4 = 6.2"],
        ["SET p1 3, 4 6.2"],
        ["SET", "1 3. 4 6.2 0"],
        ["SET", "1", "3.", "4", "6.2", "0"],
        ["SET", "p1 3 p4 6.2", ""],
        ["SET 4 6.2 1 5 p1 3"],  # the last one counts
    ],
)
def test_set(session, lines):
    session(*lines)
    np.testing.assert_array_equal(session.env.values, [3, 0.1, 3, 6.2, 0.1, 0.15])
    np.testing.assert_array_equal(session.env.first_values, [1, 0.1, 3, 1, 0.1, 0.15], "the starting values stay")


def test_set_ignores_freezing_and_scaling(session):
    """Manual: subscripts refer to the full vector, and scaling is ignored."""
    session("FREEZE 1 2", "SCALE 3 LOG", "SET 2 .7 3 5")
    assert session.env.values[[1, 2]].tolist() == [0.7, 5.0]
    assert frozen(session) == {"p1", "p2"}
    assert session.env.parameters.point[0] == pytest.approx(np.log(5))


def test_set_shows_what_holds_now(session):
    said = session("SET p6 .25")
    row = next(line.split() for line in said.split("\n") if line.startswith("6 "))
    assert row == ["6", "p6", "0.25", "0.15"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("SET 7 1", "'7' is no parameter"),
        ("SET p9 1", "'p9' is no parameter"),
        ("SET 1 x", "'x' is not a number"),
        ("SET 1 1e999", "is not a number"),
        ("SET 1", "the input ends where an answer is needed: NEW VALUE"),
    ],
)
def test_set_refuses(session, line, message):
    assert message in session.refused(line)


def test_set_refuses_what_a_scaling_does_not_allow(session):
    assert "p1 = -1 has no logarithm" in session.refused("SCALE 1 LOG 2 ROOT", "SET 1 -1")
    assert "p2 = -1 has no square root" in session.refused("SET 2 -1")
    session("SET 2 0")
