"""BOUNDS: limits are entered, shown and kept, and fits end at the constrained minimum."""

import numpy as np
import pytest
from certified import LeastSquares, wash_out
from scipy.optimize import least_squares
from washing import START

from parfit.commands.parameters.bounds import LIST
from parfit.errors import ParfitError
from parfit.estimation.parameters import ParameterMap, Scaling

INF = np.inf
FITS = ["FIT 3", "FIT 1 .01 1e-12 1e-20 500", "FIT 1 -1 -1e-12 -1e-20 500"]


def limits(session):
    return session.env.parameters.lower.tolist(), session.env.parameters.upper.tolist()


def optimum(lower, upper):
    """By scipy from the exact solution, without any integration."""
    inside = np.clip(START, np.array(lower) + 1e-3, np.array(upper) - 1e-3)
    tight = dict.fromkeys(("ftol", "xtol", "gtol"), 1e-15)
    found = least_squares(wash_out, inside, LeastSquares(wash_out).jac, (lower, upper), x_scale="jac", **tight)
    return found.x, 2 * found.cost


# ---- entering them


@pytest.mark.parametrize(
    "lines",
    [
        ["BOUNDS k 0 3 a NONE 6"],
        ["BOUNDS 1 0 3 3 none 6 0"],
        ["bounds k=0,3, a=-inf,6"],
        ["BOUNDS", "k 0 3", "a NONE 6", "0"],
        ["BOUNDS", "k", "0", "3", "a", "NONE", "6", ""],
        ["BOUNDS k 1 2", "BOUNDS a NONE 6", "BOUNDS k 0 3"],
    ],
    ids=" / ".join,
)
def test_one_line_and_cards(wash, lines):
    said = wash(*lines)
    assert limits(wash) == ([0.0, -INF, -INF], [3.0, INF, 6.0])
    assert wash.entries[-1] in ("BOUNDS k 0 3 a NONE 6", "BOUNDS k 0 3")
    rows = [line.split() for line in said.split("\n")]
    assert ["1", "k", "1", "0", "3", "1"] in rows
    assert ["3", "a", "5", "6", "5"] in rows
    assert wash.env.values.tolist() == START.tolist()
    assert wash.errors == ""


def test_zero_alone_removes_them_all(wash):
    wash("BOUNDS k 0 3 a 0 6", "BOUNDS 0")
    assert limits(wash) == ([-INF] * 3, [INF] * 3)
    assert " to " not in wash("REPORT 3")


def test_none_none_removes_one(wash):
    wash("BOUNDS k 0 3 a 0 6", "BOUNDS k NONE NONE")
    assert limits(wash) == ([-INF, -INF, 0.0], [INF, INF, 6.0])


def test_undo(wash):
    wash("BOUNDS k 0 3", "UNDO")
    assert limits(wash) == ([-INF] * 3, [INF] * 3)


def test_at_a_terminal(wash):
    typist = wash.typed("BOUNDS", "q", "k", "zero", "0", "NONE", "0")
    assert typist.n_left == 0
    assert typist.questions[0] == LIST.text
    assert "'q' is no parameter" in wash.errors
    assert "'zero' is not a number" in wash.errors
    assert limits(wash) == ([0.0, -INF, -INF], [INF] * 3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("BOUNDS z 0 1", "'z' is no parameter"),
        ("BOUNDS 4 0 1", "'4' is no parameter"),
        ("BOUNDS k 1 x", "'x' is not a number"),
        ("BOUNDS k 2 1", "the lower bound of k is not below its upper bound"),
        ("BOUNDS k 1 1", "the lower bound of k is not below its upper bound"),
    ],
)
def test_what_is_no_bound_is_refused(wash, line, message):
    assert message in wash.refused(line)


def test_a_value_outside_is_warned_of(wash):
    wash("BOUNDS k 2 3 a NONE 4")
    assert "k, a lies outside its bounds; fitting will begin at the nearest bound" in wash.errors


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["SCALE k LOG", "BOUNDS k NONE 0"], "k up to 0 has no logarithm"),
        (["SCALE k LOG", "BOUNDS k -2 -1"], "k up to -1 has no logarithm"),
        (["BOUNDS k NONE 0", "SCALE k LOG"], "k up to 0 has no logarithm"),
        (["BOUNDS k NONE -1", "SCALE k ROOT"], "k up to -1 has no square root"),
    ],
)
def test_bounds_that_a_scaling_cannot_keep_are_refused(wash, lines, message):
    assert message in wash.refused(*lines)


def test_they_are_in_the_journal(wash):
    wash("BOUNDS k .25 NONE c NONE NONE 0")
    assert wash.entries[-1] == "BOUNDS k 0.25 NONE c NONE NONE"


# ---- fitting within them


BOXES = [
    ((0.8, -INF, -INF), (INF, INF, INF), "k"),
    ((-INF, -INF, -INF), (0.4, INF, INF), "k"),
    ((-INF, 1.5, -INF), (INF, INF, 3.8), "c, a"),
    ((0.7, -INF, 4.1), (INF, INF, INF), "k, a"),
    ((-INF, -INF, -INF), (INF, 0.0, INF), "c"),  # at 0, which has no size
]


@pytest.mark.parametrize("line", FITS)
@pytest.mark.parametrize(("lower", "upper", "at"), BOXES)
def test_the_constrained_minimum(wash, lower, upper, at, line):
    texts = [
        f"{name} {'NONE' if np.isinf(low) else low} {'NONE' if np.isinf(high) else high}"
        for name, low, high in zip("kca", lower, upper, strict=True)
    ]
    best, least = optimum(lower, upper)
    said = wash("BOUNDS " + " ".join(texts), line)
    assert wash.env.values == pytest.approx(best, rel=1e-4, abs=1e-6)
    assert wash.env.sum_of_squares == pytest.approx(least, rel=1e-6)
    assert (wash.env.values >= lower).all()
    assert (wash.env.values <= upper).all()
    assert f"at a bound: {at}\n" in said
    assert f"standard errors with {at} held at {'their bounds' if ',' in at else 'its bound'}\n" in said
    assert "this is a minimum" in said or "a minimum all the same" in wash.errors


@pytest.mark.parametrize("line", FITS)
@pytest.mark.parametrize("scaling", ["LOG", "ROOT"])
def test_scaled_parameters_keep_their_bounds_to_the_last_bit(wash, scaling, line):
    wash(f"SCALE k {scaling} a {scaling}", "BOUNDS k .7 NONE a NONE 3.9", line)
    best, least = optimum((0.7, -INF, -INF), (INF, INF, 3.9))
    assert wash.env.sum_of_squares == pytest.approx(least, rel=1e-5)
    assert wash.env.values == pytest.approx(best, rel=1e-3)
    assert wash.env.values[0] >= 0.7
    assert wash.env.values[2] <= 3.9


@pytest.mark.parametrize("line", FITS)
def test_bounds_of_frozen_parameters_do_not_count(wash, line):
    """Nor do those that are far away."""
    wash("FREEZE c", "BOUNDS c 3 4", line)
    free = wash.env.values
    wash("BOUNDS 0", "SET 1 1 3 5", line)
    assert wash.env.values == pytest.approx(free, rel=1e-5)
    assert free[1] == 2.0


def test_the_negative_root_does_not_escape_an_upper_bound():
    given = ParameterMap(("k",), np.array([1.0]), frozenset(), (Scaling.SQUARE_ROOT,), upper=np.array([4.0]))
    lower, upper = given.active_bounds
    assert (lower.tolist(), upper.tolist()) == ([-2.0], [2.0])
    assert given.expand(given.project([-30.0])).tolist() == [4.0]
    assert given.pressed([-2.0], np.array([1.0])).tolist() == [True], "downhill is towards still larger squares"
    assert given.pressed([-2.0], np.array([-1.0])).tolist() == [False]


def test_a_logarithm_too_small_for_numbers_is_no_zero():
    given = ParameterMap(("k",), np.array([1.0]), frozenset(), (Scaling.LOGARITHM,), upper=np.array([4.0]))
    assert given.moved([-1e4]).full[0] > 0.0
    assert given.project([-1e4]).tolist() == [-1e4]
    assert given.expand(given.project([1e4])).tolist() == [4.0]


def test_a_map_refuses_what_cannot_be():
    with pytest.raises(ParfitError, match="k up to 0 has no logarithm"):
        ParameterMap(("k",), np.array([1.0]), frozenset(), (Scaling.LOGARITHM,), upper=np.array([0.0]))


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("p1>0", "p1 0 NONE"),
        ("p1 > 0", "p1 0 NONE"),
        ("0<p1", "p1 0 NONE"),
        ("p1<=2", "p1 NONE 2"),
        ("0<p1<1", "p1 0 1"),
        ("1 >= P1 > -.5", "p1 -0.5 1"),
        ("p1>0, p2<3 p3 0 1", "p1 0 NONE p2 NONE 3 p3 0 1"),
    ],
)
def test_inequalities(session, typed, written):
    session(f"BOUNDS {typed}")
    assert session.entries == [f"BOUNDS {written}"]
    here = limits(session)
    session("UNDO", f"BOUNDS {written}")
    assert limits(session) == here


def test_an_inequality_leaves_the_other_bound(session):
    session("BOUNDS p1<2", "BOUNDS p1>1")
    assert [each[0] for each in limits(session)] == [1, 2]


@pytest.mark.parametrize("line", ["p1>p2", "0<1", "0<p1>1", "p1<0<1", "0<zz"])
def test_what_is_no_inequality(session, line):
    assert "is no" in session.refused(f"BOUNDS {line}")


@pytest.mark.parametrize("line", ["BOUNDS ALL 0 NONE", "BOUNDS all>0", "BOUNDS ALL > 0"])
def test_bounds_of_all_parameters(session, line):
    session(line)
    assert (session.env.parameters.lower == 0).all()
    assert np.isinf(session.env.parameters.upper).all()
    assert session.entries[-1] == "BOUNDS ALL 0 NONE"
