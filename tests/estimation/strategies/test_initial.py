"""Initial values as numbers and as parameters."""

import pytest

from parfit.data.observations import make_observations
from parfit.errors import CommandError
from parfit.estimation.strategies.initial import first_values, freed, initial_name, initial_values, unused_parameters
from parfit.model.model import Model
from parfit.session.environment import Environment

DATA = make_observations([1.0, 2.0, 3.0], ["H", "L"], [[30.2, 3.0], [40.0, 4.0], [50.0, 5.0]])


def opened(text):
    return Environment.of(Model.from_text(text), DATA)


def test_a_taken_name_is_not_taken_again():
    assert initial_name(opened("par a=1, h0=2\nH'=a*H+h0\nL'=-a*L\ninit L=1\n"), "H") == "H0_1"


def test_a_parameter_that_waits_for_it_is_taken():
    env = opened("par a=1, H0=2\nH'=a*H\nL'=-a*L\ninit L=1\n")
    assert unused_parameters(env) == ["H0"]
    assert initial_name(env, "H") == "H0"


def test_freed_values_begin_at_what_was_observed_first():
    env = opened("par a=1\nH'=a*H\nL'=-a*L\n")
    new = freed(env, ["H", "L"])
    assert dict(zip(new.model.parameters, new.values.tolist(), strict=True)) == {"a": 1.0, "H0": 30.2, "L0": 3.0}
    assert initial_values(new) == [30.2, 3.0]
    assert first_values(new, ["H", "L"]) == {"H": 30.2, "L": 3.0}


def test_what_is_free_is_not_freed_again():
    env = freed(opened("par a=1\nH'=a*H\nL'=-a*L\n"), ["H"])
    with pytest.raises(CommandError, match="begins at the parameter H0 already"):
        freed(env, ["H"])
