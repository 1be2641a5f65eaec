"""When a model begins that does not say so."""

import numpy as np
import pytest

from parfit.data.beginning import beginning, begun, first_observation
from parfit.data.cards import read_cards
from parfit.data.csvfile import read_csv
from parfit.data.observations import make_observations
from parfit.errors import DataError
from parfit.model.model import Model
from parfit.session.environment import Environment

SILENT = "par k=1\nx'=-k*x\n"


def observed(*times, begin=None):
    return make_observations(times, ["x"], np.ones((len(times), 1)), begin=begin)


@pytest.mark.parametrize(
    ("times", "t0"),
    [
        ((1900, 1910, 1920), 1900.0),
        ((-1920, -1910, -1900), -1920.0),
        ((1, 2, 3), 0.0),
        ((20, 22), 0.0),  # ten times their length is not further than that
        ((20.1, 22.1), 20.1),
        ((2000.0,), 0.0),
        ((2000.0, 2000.0), 0.0),
        ((1.9e-6, 1.92e-6), 1.9e-6),
    ],
)
def test_without_a_word_in_the_model_time_begins_at_0_or_with_data_that_are_far_from_it(times, t0):
    model = Model.from_text(SILENT)
    assert beginning(model, observed(*times)) == t0
    assert begun(model, observed(*times)).t0 == t0
    assert Environment.of(model, observed(*times)).samples.times[0] == t0


@pytest.mark.parametrize("text", [SILENT + "@ t0=0\n", SILENT + "x(0)=t\n"])
def test_a_model_that_speaks_of_its_initial_time_keeps_it(text):
    model = Model.from_text(text)
    assert begun(model, observed(1900, 1920)) is model
    assert model.t0 == 0


@pytest.mark.parametrize("dose", ["dose x=5 at 3", "dose x=5 over 2 at 3"])
def test_what_is_given_long_before_the_first_observation_is_given(dose):
    assert begun(Model.from_text(f"{SILENT}{dose}\n"), observed(1900, 1920)).t0 == 3


def test_the_initial_time_that_came_with_the_data_counts():
    assert beginning(Model.from_text(SILENT), observed(1900, 1920, begin=0.0)) == 0.0


def test_other_data_and_other_text_begin_the_model_anew():
    env = Environment.of(Model.from_text(SILENT), observed(1900, 1920))
    assert env.with_observations(observed(1, 2)).model.t0 == 0
    assert env.with_observations(None).model.t0 == 0
    assert env.with_model(Model.from_text("par k=2\nx'=-k*x\n")).model.t0 == 1900
    assert env.with_model(Model.from_text("par k=2\nx'=-k*x\n@ t0=1800")).model.t0 == 1800
    assert env.with_weights(np.full((2, 1), 2.0)).model.t0 == 1900


def test_times_before_the_initial_time_are_refused_at_their_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("t,x\n-1,2\n5,3\n")
    with pytest.raises(DataError, match="before the initial time 0") as error:
        read_csv(path, Model.from_text(SILENT))
    assert error.value.line == 2
    path.write_text("t,x\n-1905,2\n-1900,3\n")
    assert read_csv(path, Model.from_text(SILENT)).times[0] == -1905


def test_a_deck_keeps_its_own_initial_time(tmp_path):
    path = tmp_path / "deck"
    path.write_text("MODEL\n0\n1 1 1 2 10\n1 2\n1900 1920\n1\n1\n")
    data = read_cards(path).observations(Model.from_text(SILENT))
    assert Environment.of(Model.from_text(SILENT), data).model.t0 == 0


def test_states_without_initial_value_are_known():
    model = Model.from_text("par k=1\nx'=-k*x\ny'=k*x\nz'=k\ninit x=1\nz(0)=0\n")
    assert model.unset == ("y",)


def test_the_first_observation_is_the_mean_of_replicates():
    data = make_observations([1, 1, 2], ["x", "y"], [[np.nan, np.nan], [np.nan, 4], [5, 6]])
    assert first_observation(data, "x") == (2.0, 5.0)
    assert first_observation(data, "y") == (1.0, 4.0)
    assert first_observation(data, "z") is None
    assert first_observation(make_observations([1, 1], ["x"], [[2], [4]]), "x") == (1.0, 3.0)
