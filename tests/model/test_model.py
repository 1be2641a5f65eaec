"""The model as an object of Python."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from parfit import ModelError, ParfitError, Simulator, simulate
from parfit.model.model import Model

TEXT = "par a=2, b=.5\nx'=-a*x*y\ny'=a*x*y-b*y\nx(0)=1\ny(0)=b\naux sum=x+y\ndone"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("used", [False, True])
def test_copies_simulate_alike(duplicate, used):
    model = Model.from_text(TEXT)
    expected = simulate(Model.from_text(TEXT), [1.0, 2.0], sensitivities=True)
    if used:
        simulate(model, [1.0])
    run = simulate(duplicate(model), [1.0, 2.0], sensitivities=True)
    assert np.array_equal(run.y, expected.y)
    assert np.array_equal(run.s, expected.s)


def test_objects_say_briefly_what_they_are():
    model = Model.from_text(TEXT, "epidemic")
    assert repr(model) == "<Model epidemic: 2 states, 2 parameters>"
    assert repr(simulate(model, [1.0])) == "<Trajectory of epidemic at 1 times: finished>"


def test_columns_go_by_name_whatever_the_case():
    run = simulate(Model.from_text(TEXT), [1.0, 2.0], sensitivities=True)
    assert run.column("SUM") == pytest.approx(run.y.sum(axis=1))
    assert run.sensitivity("sum") == pytest.approx(run.s.sum(axis=1))
    with pytest.raises(ParfitError, match="'z' is neither a state nor an aux quantity"):
        run.column("z")
    with pytest.raises(ParfitError, match="without sensitivities"):
        simulate(Model.from_text(TEXT), [1.0]).sensitivity("x")


def test_the_values_of_a_model_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Model.from_text(TEXT).values[0] = 3.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"times": []}, "a list of finite numbers"),
        ({"times": [[1.0]]}, "a list of finite numbers"),
        ({"times": [1.0, np.nan]}, "a list of finite numbers"),
        ({"times": [2.0, 1.0]}, "must not decrease"),
        ({"times": [-1.0]}, "initial time 0"),
        ({"times": [1.0], "scale": [1.0]}, "scale must be 2 numbers"),
        ({"times": [1.0], "active": (0, 2)}, "0 to 1"),
        ({"times": [1.0], "active": (0, -1)}, "0 to 1"),
        ({"times": [1.0], "active": (0, 0)}, "once"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments, message):
    with pytest.raises(ParfitError, match=message):
        Simulator(Model.from_text(TEXT), **arguments)


@pytest.mark.parametrize("parameters", [[1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]]])
def test_parameters_must_fit(parameters):
    with pytest.raises(ParfitError, match="parameters must be 2 numbers"):
        Simulator(Model.from_text(TEXT), [1.0])(parameters)


def test_errors_of_models_are_errors_of_the_program():
    assert issubclass(ModelError, ParfitError)


def test_a_model_is_printed_as_text_that_is_the_same_model():
    """Also one that was no text before."""
    traced = Model.trace(lambda t, y, p: [-p["k"] * y["x"]], {"x": 2}, {"k": 0.5})
    again = Model.from_text(str(traced))
    assert (again.parameters, again.values.tolist(), again.states) == (("k",), [0.5], ("x",))
    np.testing.assert_array_equal(simulate(again, [1.0, 2.0]).y, simulate(traced, [1.0, 2.0]).y)
