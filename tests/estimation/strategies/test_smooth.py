"""Smoothing without a dialogue: the curves of SMOOTH and RESMOOTH to the last bit."""

import numpy as np
import pytest
from conversation import data_of, model_of

from parfit.data.observations import make_observations
from parfit.errors import ParfitError, StateError
from parfit.estimation.strategies.smooth import Request, resmooth, smooth
from parfit.model.model import Model
from parfit.session.environment import Environment


def assert_same_curves(one, other):
    assert one.smoothing.kind == other.smoothing.kind
    assert list(one.smoothing.curves) == list(other.smoothing.curves)
    t = np.linspace(0.0, 12.5, 101)
    for name, curve in one.smoothing.curves.items():
        np.testing.assert_array_equal(one.smoothing.joints[name], other.smoothing.joints[name])
        np.testing.assert_array_equal(curve(t), other.smoothing.curves[name](t))


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request(), "SMOOTH SPLINE AUTO AUTO"),
        (Request("spline", {"y1": [4, 8], "y2": [10.5, 7]}), "SMOOTH SPLINE 2 4 8 2 7 10.5"),
        (Request("hermite", {"y1": [6]}), "SMOOTH HERMITE 1 6 AUTO"),
    ],
)
def test_three_lines_of_python_are_the_command(begin, request_, line):
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey"))
    result = smooth(env, request_)
    session = begin()
    session(line)
    assert_same_curves(result.env, session.env)
    assert env.smoothing is None


@pytest.mark.parametrize(("joints", "line"), [([5, 8], "RESMOOTH y1 4 5"), ([8], "RESMOOTH y1 4 REMOVE")])
def test_other_joints_for_one_variable(begin, joints, line):
    session = begin()
    session("SMOOTH SPLINE 2 4 8 2 7 10.5")
    result = resmooth(session.env, Request(joints={"y1": joints}))
    session(line)
    assert_same_curves(result.env, session.env)
    assert result.before["y1"].joints.tolist() == [4, 8]
    assert result.curves["y1"].root_mean_square != result.before["y1"].root_mean_square


def test_variables_with_too_few_values_are_left_out():
    model = Model.from_text("par a=1\nx'=a\ny'=-a\ninit x=0, y=0\ndone", "two")
    values = np.column_stack((np.arange(6.0), [0, 1, 2, *[np.nan] * 3]))
    env = Environment.of(model, make_observations(np.arange(6.0), ["x", "y"], values))
    heard = []
    result = smooth(env, Request(joints={"x": []}), heard.append)
    assert list(result.curves) == heard == ["x"]
    assert result.left_out == {"y": 3}
    few = Environment.of(model, make_observations(np.arange(3.0), ["x"], np.arange(3.0)[:, np.newaxis]))
    with pytest.raises(StateError, match="values at 4 different times"):
        smooth(few, Request())


def test_joints_that_the_data_do_not_determine_are_refused():
    env = Environment.of(model_of("predator-prey"), data_of("predator-prey"))
    with pytest.raises(ParfitError, match="not between the first and the last observation"):
        smooth(env, Request(joints={"y1": [99]}))
