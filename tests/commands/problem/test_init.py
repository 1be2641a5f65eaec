"""INIT."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model

HARE = "par a=.5, b=.02\ndH/dt=a*H-b*H*L\ndL/dt=-a*L+b*H*L\ninit L=4\n"


@pytest.fixture
def hares(begin):
    data = make_observations([1900, 1901, 1902], ["H", "L"], [[30.0, 5.0], [47.2, 6.1], [70.2, 9.8]])
    return begin(Model.from_text(HARE, "hare"), data)


def beginning(session):
    return session.env.simulator()(session.env.values).y[0].tolist()


def rows(text):
    return [line.split() for line in text.split("\n")]


def test_alone_it_lists_where_states_begin_and_why(hares):
    env = hares.env
    listed = rows(hares("INIT"))
    assert ["H", "0", "not", "given", "30"] in listed
    assert ["L", "4", "the", "model", "5"] in listed
    assert hares.env is env


@pytest.mark.parametrize(
    ("line", "begun"),
    [
        ("INIT H 30", [30, 4]),
        ("INIT H 12.5 L 0", [12.5, 0]),
        ("INIT h OBSERVED", [30, 4]),
        ("INIT H L OBSERVED", [30, 5]),
        ("INIT L OBSERVED H 1", [1, 5]),
    ],
)
def test_values_are_given(hares, line, begun):
    hares(line)
    assert beginning(hares) == begun
    assert hares.env.model.parameters == ("a", "b")
    hares("UNDO")
    assert beginning(hares) == [0, 4]


def test_initial_values_become_parameters_at_the_first_observations(hares):
    hares("SET a .7", "INIT H L FREE")
    assert hares.env.model.parameters == ("a", "b", "H0", "L0")
    np.testing.assert_array_equal(hares.env.values, [0.7, 0.02, 30, 5])
    assert ["H", "30", "parameter", "H0", "30"] in rows(hares("INIT"))
    hares("SET H0 31")
    assert beginning(hares) == [31, 5]
    assert "begins at the parameter H0 already" in hares.refused("INIT H FREE")
    assert hares.entries[:2] == ["SET a 0.7", "INIT H L FREE"]


def test_a_state_that_was_not_observed_begins_where_it_is(begin):
    session = begin(Model.from_text(HARE, "hare"), make_observations([0, 1], ["H"], [[30.0], [40.0]]))
    session("INIT L FREE")
    assert dict(zip(session.env.model.parameters, session.env.values, strict=True))["L0"] == 4


def test_a_parameter_that_a_number_takes_the_place_of_is_said_to_be_without_use(hares):
    hares("INIT H L FREE")
    assert hares.errors == ""
    hares("INIT H 35")
    assert "the model no longer makes any use of H0" in hares.errors
    assert "L0" not in hares.errors


def test_a_parameter_that_waits_for_it_is_used(hares):
    hares("MODEL par H0=33", "INIT H FREE")
    assert hares.env.model.parameters == ("a", "b", "H0")
    assert beginning(hares) == [33, 4]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("INIT 30", "a state stands before"),
        ("INIT H", "what H is to begin at is missing"),
        ("INIT X 3", "'X' is no state"),
        ("INIT FREE", "a state stands before"),
    ],
)
def test_init_refuses(hares, line, message):
    assert message in hares.refused(line)
