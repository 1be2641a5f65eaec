"""What is said of a model and its data when they come together."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.text import observations

TEXT = "par a=1\nH'=a*H\nL'=-a*L\nG'=a\n"


def opened(text=TEXT, times=(1900, 1901, 1902), values=((30.2, 3), (40, 4), (50, 5)), weights=None):
    return Environment.of(Model.from_text(text), make_observations(times, ["H", "L"], values, weights))


def test_what_was_taken_is_said_with_the_commands_that_change_it():
    time, states = observations.beginnings(opened())
    assert "t = 1900, the first time of the data, is taken; MODEL @ t0=TIME" in time
    assert "H, L, G have no initial value and begin at 0" in states
    assert "INIT H L OBSERVED\n" in states
    assert states.endswith("INIT H L FREE")


def test_nothing_is_said_of_what_the_model_says():
    said = opened(TEXT + "init H=1, L=2, G=3\n@ t0=1900\n")
    assert observations.beginnings(said) == []
    at_zero = opened(TEXT + "init H=1, L=2, G=3\n", times=(1, 2, 3))
    assert observations.beginnings(at_zero) == []


def test_data_load_and_model_say_it(tmp_path, session):
    (tmp_path / "m.ode").write_text("par a=.1\nH'=a*H\n")
    (tmp_path / "d.csv").write_text("Year,H\n1900,30.2\n1901,33\n1902,37\n")
    shown = session(f"LOAD {tmp_path / 'm.ode'} {tmp_path / 'd.csv'}")
    assert shown.count("H has no initial value") == 1
    for line in ("DATA", "MODEL"):
        assert session(line).count("t = 1900, the first time of the data") == 1
    shown = session("MODEL init H=30.2")
    assert "Initial values at t = 1900" in shown
    assert "no initial value" not in shown


def test_sizes_that_differ_much_are_pointed_out_unless_weighted():
    unlike = ((1e-3, 0.7), (2e-3, 0.1), (4e-3, 0.4))
    (remark,) = observations.sizes(opened(values=unlike))
    assert "so that H hardly counts" in remark
    assert observations.sizes(opened(values=unlike, weights=(1000.0, 1.0))) == []
    assert observations.sizes(opened(values=((0.1, 0.7), (0.2, 0.1), (0.4, 0.4)))) == []


@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_sizes_are_compared_with_each_other_and_not_with_an_offset(factor):
    unlike = np.array([(1e-3, 0.7), (2e-3, 0.1), (4e-3, 0.4)])
    assert observations.are_unlike(opened(values=factor * unlike).observations)
    assert observations.are_unlike(opened(values=unlike + np.array([5.0, 0.0])).observations)


def test_the_command_that_weights_them_can_be_typed(tmp_path, session):
    (tmp_path / "m.ode").write_text(TEXT + "init H=1, L=2\n")
    (tmp_path / "d.csv").write_text("t,H,L\n1,1e-3,.7\n2,2e-3,.1\n3,4e-3,.4\n")
    shown = session(f"LOAD {tmp_path / 'm.ode'} {tmp_path / 'd.csv'}")
    session(shown.split("count:\n")[1].split("\n")[0].strip())
    data = session.env.observations
    weighted = np.std(data.weights * data.values, axis=0)
    np.testing.assert_allclose(weighted, 1.0, rtol=0.05)
    assert observations.sizes(session.env) == []
