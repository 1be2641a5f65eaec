"""Models written as Python functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import parfit
from parfit import functions as f
from parfit.errors import ModelError
from parfit.model.model import Model

ODE = """
par a=1.5, b=.5, c=.2
x'=a*x-b*x*y
y'=-y+b*x*y*exp(-c*t)
x(0)=1
y(0)=2*c
aux total=x+sqrt(y)
done
"""


def volterra(t, y, p):
    x, fox = y
    eaten = p["b"] * x * fox
    return [p["a"] * x - eaten, -fox + eaten * np.exp(-p["c"] * t), {"total": x + f.sqrt(y["y"])}]


def test_a_traced_function_is_the_same_model_as_its_text():
    traced = Model.trace(volterra, {"x": 1.0, "y": lambda p: 2 * p["c"]}, {"a": 1.5, "b": 0.5, "c": 0.2})
    written = Model.from_text(ODE)
    runs = [parfit.simulate(model, [1, 2, 3], sensitivities=True) for model in (traced, written)]
    assert runs[0].y == pytest.approx(runs[1].y, rel=1e-14)
    assert runs[0].s == pytest.approx(runs[1].s, rel=1e-13)
    assert runs[0].column("total") == pytest.approx(runs[1].column("total"), rel=1e-14)
    assert runs[0].sensitivity("total") == pytest.approx(runs[1].sensitivity("total"), rel=1e-13)
    assert traced.name == "volterra"


def test_numpy_functions_and_arrays_can_be_used():
    matrix = np.array([[-1.0, 2.0], [0.0, -3.0]])

    def linear(t, y, p):
        return matrix @ np.array(list(y), dtype=object) + np.array([np.sin(t), p[0] ** 2], dtype=object)

    model = Model.trace(linear, {"u": 1.0, "v": 1.0}, {"k": 3.0})
    tape = model.compiled((0,)).system.dynamics
    g, g_y, g_p = tape.evaluate(np.array([0.5]), np.array([[2.0, 5.0]]), np.array([3.0]), 3)
    assert g[0] == pytest.approx([-2.0 + 10.0 + math.sin(0.5), -15.0 + 9.0])
    assert g_y[0] == pytest.approx([-1.0, 2.0, -3.0])
    assert g_p[0] == pytest.approx([6.0])


def test_functions_of_numbers_are_numbers():
    assert f.exp(1.0) == math.exp(1.0)
    assert f.where(0.0, 1.0, 2.0) == 2.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, y, p: [y[0] if y[0] > 1 else 0], "parfit.where"),
        (lambda t, y, p: [math.exp(y[0])], "parfit.functions"),
        (lambda t, y, p: [y[0], 1], "2 derivatives for 1 states"),
        (lambda t, y, p: [y["z"]], "no 'z' among x"),
        (lambda t, y, p: [y[3]], "no 3 among x"),
        (lambda t, y, p: ["x"], "made of numbers and expressions"),
        (lambda t, y, p: [np.cbrt(y[0])], "cbrt cannot be used"),
        (lambda t, y, p: [y[0], {"k": p[0]}], "used twice"),
    ],
)
def test_what_cannot_be_traced_is_explained(function, message):
    with pytest.raises(ModelError, match=message):
        Model.trace(function, {"x": 1.0}, {"k": 1.0})


def test_names_must_differ():
    with pytest.raises(ModelError, match="'k' is used twice"):
        Model.trace(lambda t, y, p: [1.0], {"k": 1.0}, {"K": 1.0})
    with pytest.raises(ModelError, match="`t` is the time"):
        Model.trace(lambda t, y, p: [1.0], {"T": 1.0}, {})


def test_comparisons_are_traced():
    def switched(t, y, p):
        return [parfit.where(y[0] == 0, p[0], y[0] != 2)]

    model = Model.trace(switched, {"x": 1.0}, {"k": 5.0})
    tape = model.compiled(()).system.dynamics
    points = np.array([[0.0], [1.0], [2.0]])
    assert tape.evaluate(np.zeros(3), points, np.array([5.0]), 1)[0].ravel().tolist() == [5.0, 1.0, 0.0]


def test_lists_of_names_do():
    """States begin at 0 and parameters at 1, as the data may say otherwise."""
    model = Model.trace(lambda t, y, p: [p["k1"] - p[1] * y["a"], p[1] * y[0]], ["a", "b"], ["k1", "k2"])
    assert (model.states, model.parameters, model.values.tolist()) == (("a", "b"), ("k1", "k2"), [1.0, 1.0])
    assert model.unset == ("a", "b")
    assert parfit.simulate(model, [0.0]).y.tolist() == [[0.0, 0.0]]
    y = parfit.simulate(model, [2.0], method=parfit.Method(eps=1e-9)).y
    np.testing.assert_allclose(y, [[1 - np.exp(-2), 2 - (1 - np.exp(-2))]], rtol=1e-7)


def test_a_string_is_no_list_of_names():
    with pytest.raises(ModelError, match=r"\['a', 'b'\]"):
        Model.trace(lambda t, y, p: [0, 0], "a, b", ["k"])
