"""SCAN."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model

T = np.arange(0.5, 5.1, 0.5)
ACCURATE = "OPTION PROCEDURE GEAR EPS 1e-8 HMIN 0"


@pytest.fixture
def decaying(begin):
    """x = a exp(-k t) with k = .5 and a = 2."""
    model = Model.from_text("par k=.1, a=1\nx'=-k*x\nx(0)=a\n", "decay")
    session = begin(model, make_observations(T, ["x"], 2 * np.exp(-0.5 * T)[:, np.newaxis]))
    session(ACCURATE)
    return session


def test_the_best_value_is_taken_and_shown(decaying):
    shown = decaying("SCAN k 0 1 11 FIT")
    assert decaying.env.values == pytest.approx([0.5, 2.0], abs=1e-3)
    assert "SCAN has taken k = " in shown
    assert "SUM OF SQUARES (log)" in shown
    assert decaying.env.sum_of_squares < 1e-6
    assert "SCAN has taken" in decaying.report


def test_without_fit_the_others_are_held(decaying):
    decaying("SET a 2", "SCAN k .4 .6 3")
    assert decaying.env.values == pytest.approx([0.5, 2.0], abs=1e-3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SCAN k .6 1.6 6", True),
        ("SCAN k .1 .4 4", True),
        ("SCAN k .6 1.6 2", True),
        ("SCAN k .3 .8 6", False),
        ("SCAN k .45 .8 6", False),  # between the end and its neighbour
        ("BOUNDS k .6 NONE / SCAN k .6 1.6 6", False),  # where it could not go further
    ],
)
def test_that_the_range_ends_where_it_is_best_is_said(decaying, line, said):
    decaying("SET a 2 k 3", *line.split(" / "))
    assert ("is the end of the range" in decaying.errors) is said


def test_where_all_values_are_as_good_no_end_is_the_best(begin):
    model = Model.from_text("par k=.1, idle=1\nx'=-k*x\nx(0)=1\n", "decay")
    session = begin(model, make_observations(T, ["x"], 2 * np.exp(-0.5 * T)[:, np.newaxis]))
    session("SCAN idle 0 1 5")
    assert session.errors == ""


def test_nothing_is_changed_where_nothing_is_better(decaying):
    decaying("SET k .5 a 2")
    before = decaying.env
    assert "none is better than k = 0.5" in decaying("SCAN k 1 2 5")
    assert decaying.env is before


@pytest.mark.parametrize(
    ("before", "line", "message"),
    [
        ("SET k .1", "SCAN k 2 1 5", "the values must go up"),
        ("BOUNDS k 0 1", "SCAN k 0 2 5", "stay within them"),
        ("SCALE k LOG", "SCAN k 0 2 5", "has to stay positive"),
        ("SET k .1", "SCAN b 0 2 5", "b"),
    ],
)
def test_refusals(decaying, before, line, message):
    assert message in decaying.refused(before, line)
