"""Loops of XPPAUT: what they stand for, and what is wrong with those that stand for nothing."""

import numpy as np
import pytest

from parfit import Method, Model, Trajectory
from parfit import simulate as integrate
from parfit.errors import ModelError
from parfit.model.language.editing import edit
from parfit.model.language.loops import written_out
from parfit.model.language.reader import model_from_text

CHAIN = "par k=.5\nx1'=-k*x1\nx[2..4]'=k*(x[j-1]-x[j])\ninit x1=1\n"
BY_HAND = "par k=.5\nx1'=-k*x1\nx2'=k*(x1-x2)\nx3'=k*(x2-x3)\nx4'=k*(x3-x4)\ninit x1=1\n"
ACCURATE = Method("gear", "auto", eps=1e-8, h_min=0.0, h_max=np.inf)


def simulate(model: Model, times: list[float]) -> Trajectory:
    return integrate(model, times, method=ACCURATE)


def test_a_line_stands_for_one_in_each_turn():
    assert written_out("x[2..4]'=k*(x[j-1]-x[j])+[j]") == [
        "x2'=k*(x1-x2)+2",
        "x3'=k*(x2-x3)+3",
        "x4'=k*(x3-x4)+4",
    ]
    assert written_out("y[0..1]=[j+1]*w5_[j]+[ j * 2 ]") == ["y0=1*w5_0+0", "y1=2*w5_1+2"]
    assert written_out("z[1..1]=[j-3]") == ["z1=(-2)"]
    assert written_out("b100'=-flux[100]") == ["b100'=-flux100"]
    assert written_out("x'=-x") == ["x'=-x"]


def test_a_chain_is_the_one_written_by_hand():
    looped, plain = model_from_text(CHAIN), model_from_text(BY_HAND)
    assert looped.states == plain.states == ("x1", "x2", "x3", "x4")
    assert repr(looped.equations) == repr(plain.equations)
    t = np.array([0.5, 1.0, 4.0])
    exact = np.exp(-0.5 * t) * (0.5 * t) ** 3 / 6  # of the last in a chain of equal rates
    assert simulate(looped, t.tolist()).y[:, 3] == pytest.approx(exact, rel=1e-4)


def test_a_block_is_repeated_as_a_whole():
    block = model_from_text("par k=1\n%[1..3]\nx[j]'=-k*x[j]*[j]\ninit x[j]=[j]\naux d[j]=2*x[j]\n%\ny'=1\n")
    assert block.states == ("x1", "x2", "x3", "y")
    assert [name for name, _ in block.aux] == ["d1", "d2", "d3"]
    assert simulate(block, [1.0]).y[0] == pytest.approx([np.exp(-1), 2 * np.exp(-2), 3 * np.exp(-3), 1], rel=1e-4)


def test_lists_and_initial_values_are_looped_too():
    model = model_from_text("par a[1..2]=.5\nnumber q[1..2]=3\nu[1..2]'=-a[j]*u[j]*q[j]\nu[1..2](0)=[j]\n")
    assert model.parameters == ("a1", "a2")
    assert model.values.tolist() == [0.5, 0.5]
    assert simulate(model, [1.0]).y[0] == pytest.approx([np.exp(-1.5), 2 * np.exp(-1.5)], rel=1e-4)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x'=1\ny[1..9", 2, "`[1..9`"),
        ("x'=1\ny[5..2]'=1", 2, "[5..2]"),
        ("x'=1\ny[1..99999]'=1", 2, "[1..99999]"),
        ("x'=1\ny[1..2]'=y[k]", 2, "`[k]`"),
        ("x'=1\ny[1..2]'=y[j-2]", 2, "element -1"),
        ("x'=1\ny[1..2]'=z[1..3]", 2, "two loops"),
        ("x'=1\n%[1..3]\ny[j]'=1\n", 2, "no end"),
        ("x'=1\n%[3..1]\ny[j]'=1\n%\n", 2, "[3..1]"),
        ("x'=1\nz=sum(0,9)of(shift(x,i'))", 2, "sums over arrays"),
    ],
)
def test_a_loop_that_cannot_be_written_out_says_so(text, line, words):
    with pytest.raises(ModelError) as raised:
        model_from_text(text)
    assert raised.value.line == line
    assert words in str(raised.value)


def test_a_table_of_an_expression_is_a_broken_line():
    model = model_from_text("number c=2\nf(u)=c*u^2\ntable w % 3 0 4 f(t)\nx'=w(t)\naux a=w(3)\n")
    run = simulate(model, [2.0, 4.0])
    assert run.y[:, 0] == pytest.approx([8, 8 + 40], rel=1e-7), "areas of trapezia of heights 0, 8, 32"
    assert run.aux[:, 0] == pytest.approx([20, 20])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("table w % 11 -5 5 k*t", "`k`"),
        ("table w % 1 0 5 t", "2 to 100000 points"),
        ("table w % 2.5 0 5 t", "whole number"),
        ("table w % 5 5 0 t", "before the last"),
        ("table w % 5 0 1", "% points first last expression"),
        ("table w % 5 0 1 1/t", "finite"),
        ("table w @ 5 0 1 1/t", "two variables"),
    ],
)
def test_a_table_that_cannot_be_computed_says_so(table, words):
    with pytest.raises(ModelError, match=r"model:2") as raised:
        model_from_text(f"par k=1\n{table}\nx'=w(t)*k\n")
    assert words in str(raised.value)


def test_a_model_with_loops_can_still_be_changed():
    model = edit(model_from_text(CHAIN), "par m=3")
    assert model.parameters == ("k", "m")
    assert len(model.states) == 4
