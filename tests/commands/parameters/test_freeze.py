"""FREEZE and UNFREEZE."""

import pytest

from parfit.estimation.parameters import Scaling

LOG, ROOT, NONE = Scaling.LOGARITHM, Scaling.SQUARE_ROOT, Scaling.NONE


def frozen(session):
    return {session.env.model.parameters[k] for k in session.env.parameters.frozen}


def scaling(session):
    return dict(zip(session.env.model.parameters, session.env.parameters.scaling, strict=True))


@pytest.mark.parametrize(
    "lines",
    [["FREEZE 1 3"], ["FREEZE p1 p3 0"], ["FREEZE", "1 3 0"], ["freeze", "1", "p3", "0"], ["FREEZE", "3 1", ""]],
)
def test_freeze(session, lines):
    session(*lines)
    assert frozen(session) == {"p1", "p3"}
    assert session.env.parameters.active == (1, 3, 4, 5)


def test_freezing_adds_up_until_0_alone_removes_it(session):
    """As in the program of 1977: FRZ(SUB):=1 for those named, all 0 for an entry of 0."""
    session("FREEZE 1", "FREEZE p4 p4")
    assert frozen(session) == {"p1", "p4"}
    session("FREEZE 0")
    assert frozen(session) == set()
    session("FREEZE 2", "FREEZE", "0")
    assert frozen(session) == set()


def test_unfreeze(session):
    session("FREEZE 1 2 3", "UNFREEZE p2 3")
    assert frozen(session) == {"p1"}
    session("UNFREEZE", "p6", "1 0")
    assert frozen(session) == set()


def test_one_parameter_stays_active(session):
    session("FREEZE 1 2 3 4 5")
    assert "at least one parameter must stay active" in session.refused("FREEZE 6")
    assert session.env.parameters.active == (5,)


def test_recall_keeps_freezing_and_scaling(session):
    session("MARK a", "SET 1 2", "FREEZE 1", "SCALE 2 LOG", "RECALL a")
    assert session.env.values[0] == 1
    assert frozen(session) == {"p1"}
    assert scaling(session)["p2"] is LOG


@pytest.mark.parametrize("lines", [["FREEZE ALL BUT p2"], ["freeze", "all but 2", "0"]])
def test_all_but_some(session, lines):
    session("FREEZE p2", *lines)
    assert frozen(session) == {"p1", "p3", "p4", "p5", "p6"}
    assert session.entries[-1] == "FREEZE ALL BUT p2"


@pytest.mark.parametrize("line", ["FREEZE ALL", "FREEZE ALL BUT", "FREEZE p1 ALL", "FREEZE BUT p1", "FREEZE ALL p1"])
def test_all_is_too_much(session, line):
    assert "FREEZE ALL BUT k1" in session.refused(line)
