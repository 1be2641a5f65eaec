"""Quantities that somebody asks for, in the names of a model."""

from dataclasses import replace

import numpy as np
import pytest

from parfit.errors import ModelError
from parfit.model.language.expression import Name, value
from parfit.model.language.quantity import quantity, uses_solution, with_quantity
from parfit.model.model import Model
from parfit.simulation.simulator import Simulator

TEXT = "par k=2, V=3\nrate=k*x\nshare=k/(k+V)\nx'=-rate\ninit x=1\naux c=x/V\ndone"
MODEL = Model.from_text(TEXT)


@pytest.mark.parametrize(
    ("text", "expected"), [("k*V", 6.0), ("K * v + 1", 7.0), ("exp(-k)", np.exp(-2.0)), ("c*V", 5.0), ("2^V", 8.0)]
)
def test_names_are_those_of_the_model_in_either_case(text, expected):
    assert value(quantity(MODEL, text), {"k": 2.0, "V": 3.0, "x": 5.0}) == pytest.approx(expected)


def test_what_belongs_to_one_experiment_can_be_named():
    """The language has no brackets, but k[low] is the name of a parameter."""
    labels = ("low", "low+1 b")
    names = tuple(f"k[{label}]" for label in labels)
    model = replace(MODEL, parameters=(*names, "V"), aux=((f"c[{labels[0]}]", Name("V")),))
    values = dict(zip((*names, "V"), (2.0, 7.0, 3.0), strict=True))
    assert value(quantity(model, "K[low]/v"), values) == pytest.approx(2.0 / 3.0)
    assert value(quantity(model, "k[low+1 b]*k[low] + c[low]"), values) == pytest.approx(17.0)
    with pytest.raises(ModelError, match=r"unknown name `k`"):
        quantity(model, "k/V")
    with pytest.raises(ModelError) as error:
        quantity(model, "k[low] V")
    assert "own_" not in str(error.value)


@pytest.mark.parametrize("text", ["k*", "nothing*2", "sine(k)", "k*(V", ""])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(ModelError):
        quantity(MODEL, text)


@pytest.mark.parametrize(
    ("text", "expected"), [("k*V", False), ("share", False), ("x", True), ("rate", True), ("c", True), ("k*t", True)]
)
def test_what_changes_with_the_solution_is_known(text, expected):
    assert uses_solution(MODEL, quantity(MODEL, text)) is expected


def test_a_quantity_is_computed_along_the_solution_with_its_derivatives():
    wider = with_quantity(MODEL, "asked", quantity(MODEL, "k*c"))
    run = Simulator(wider, [0.5, 1.0])(sensitivities=True)
    exact = np.exp(-2.0 * run.times)
    assert run.column("asked") == pytest.approx(2.0 * exact / 3.0, rel=1e-4)
    assert run.sensitivity("asked")[:, 0] == pytest.approx((1.0 - 2.0 * run.times) * exact / 3.0, rel=1e-3, abs=1e-5)
    assert run.sensitivity("asked")[:, 1] == pytest.approx(-2.0 * exact / 9.0, rel=1e-3)
