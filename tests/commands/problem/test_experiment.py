"""Several experiments in conversation: EXPERIMENT, LOAD ADD, names of families, pictures, journals."""

import json

import numpy as np
import pytest

from parfit.data.csvfile import read_csv
from parfit.model.model import Model

MODEL = "par k=.3, b=.01\na'=b-k*a\nz'=k*a-z\ninit a=1\nlocal k\ndone\n"
DATA = """experiment,t,a(0),a,z
low,0,1,1.02,0
low,2,,.55,.2
low,4,,.31,.1
high,0,5,4.9,0
high,2,,2.2,.8
high,4,,1.01,.4
"""


@pytest.fixture
def decay(begin, tmp_path):
    model = Model.from_text(MODEL, "decay")
    (tmp_path / "decay.csv").write_text(DATA)
    return begin(model, read_csv(tmp_path / "decay.csv", model))


def test_the_table_has_settings_observations_and_residuals(decay):
    said = decay("EXPERIMENT")
    rows = [line.split() for line in said.splitlines() if line.startswith(("low", "high"))]
    assert [row[:3] for row in rows] == [["low", "a(0)=1", "6"], ["high", "a(0)=5", "6"]]
    decay("INTEG N")
    assert sum(float(row[3]) for row in rows) == pytest.approx(decay.env.sum_of_squares, rel=1e-5)


def test_an_experiment_is_left_out_and_taken_in_again(decay):
    weights = decay.env.observations.weights
    assert "low (off)" in decay("WEIGHT a[low] 3", "EXPERIMENT low OFF")
    assert "nothing that was observed depends on k[low]" in decay("FIT")
    assert decay.env.values[0] == 0.3
    assert "low is off already" in decay.refused("EXPERIMENT low OFF")
    assert "at least one experiment must stay on" in decay.refused("EXPERIMENT high OFF")
    decay("EXPERIMENT low ON")
    np.testing.assert_array_equal(decay.env.observations.weights, weights * [3, 1, 1, 1])


def row_of(said, experiment):
    return next(line for line in said.splitlines() if line.startswith(experiment))


def test_one_that_is_left_out_shows_how_well_it_is_predicted(decay):
    before = row_of(decay("WEIGHT a[low] 3", "EXPERIMENT"), "low").split()
    after = row_of(decay("EXPERIMENT low OFF"), "low").split()
    assert after == ["low", "(off)", *before[1:]]
    assert float(before[3]) > 0
    noisy = row_of(decay("NOISE a additive", "EXPERIMENT"), "low").split()
    assert noisy == ["low", "(off)", "a(0)=1", "6"]  # a noise model has no residual of what it does not see


def test_what_statements_say_of_one_experiment_is_in_the_table(decay):
    said = decay("MODEL experiment low: dose a=2 over 3 at 1", "MODEL experiment low: init z=2*b", "EXPERIMENT")
    assert "a(0)=1, z(0)=2*b  dose a=2 over 3 at 1  " in row_of(said, "low ")
    assert "dose" not in row_of(said, "high ")


def test_create_knows_families(decay):
    decay("CREATE k .5 0 1 2 4 0 a 0 1e-8 5 0 0 1 k .25 0 N")
    assert decay.env.values[:2].tolist() == [0.25, 0.25]
    simulated = decay.env.observations.values[0]
    np.testing.assert_allclose(simulated, 0.02 + (np.array([1, 5]) - 0.02) * np.exp(-0.5), rtol=1e-6)


def test_an_experiment_that_is_left_out_stays_out_of_what_is_created(decay):
    decay("EXPERIMENT low OFF", "CREATE k .5 0 1 2 4 0 a 0 1e-8 5 0 0 1 0 N")
    assert decay.env.observations.weights.sum(axis=0).tolist() == [0, 3]
    assert "low (off)" in decay("EXPERIMENT")
    decay("EXPERIMENT low ON")
    assert decay.env.observations.weights.sum(axis=0).tolist() == [3, 3]


def test_numbers_of_subjects_are_names_and_no_subscripts(begin, tmp_path):
    model = Model.from_text(MODEL, "decay")
    (tmp_path / "ids.csv").write_text(DATA.replace("low", "2").replace("high", "7") + "5,1,3,2,1\n")
    session = begin(model, read_csv(tmp_path / "ids.csv", model))
    assert "2 (off)" in session("EXPERIMENT 2 OFF")
    assert "'3' is no experiment; enter one of 2, 7, 5" in session.refused("EXPERIMENT 3 OFF")


def test_weights_given_while_one_is_off_are_there_when_it_is_on(decay):
    decay("EXPERIMENT low OFF", "WEIGHT a 2")
    assert decay.env.observations.weights.sum(axis=0).tolist() == [0, 0, 6, 3]
    decay("EXPERIMENT low ON")
    assert decay.env.observations.weights.sum(axis=0).tolist() == [6, 3, 6, 3]
    decay("EXPERIMENT low OFF", "WEIGHT ONE", "EXPERIMENT low ON")
    assert (decay.env.observations.weights == 1).all()


def test_weights_of_experiments_are_stored_and_read(decay):
    decay("WEIGHT 2 a[low] z[high] 0 1 5 0 2 7 0 Y")
    weights = decay.env.observations.weights
    assert (weights[0, 0], weights[1, 3]) == (5, 7)
    decay("WEIGHT ONE", "WEIGHT FILE weights.csv")
    np.testing.assert_array_equal(decay.env.observations.weights, weights)


def test_statistics_and_probe_speak_of_each_experiment(decay):
    rows = [line.split() for line in decay("FIT", "STATS").splitlines()]
    found = {row[0]: row for row in rows if row and row[0] in ("low", "high")}
    parts = [float(found[name][2]) for name in ("low", "high")]
    assert sum(parts) == pytest.approx(decay.env.sum_of_squares, rel=1e-6)
    assert "EXPERIMENT BY EXPERIMENT" in decay("STATS FULL")
    said = decay("PROBE N")
    assert ["low", "6", "2", "2"] in [line.split() for line in said.splitlines()]  # k[low] and b


def test_a_name_stands_for_all_experiments(decay):
    decay("SET k=.4 k[low]=.2")
    assert decay.env.values.tolist() == [0.2, 0.4, 0.01]
    decay("FREEZE k", "BOUNDS k 0 2")
    assert decay.env.parameters.frozen == {0, 1}
    assert decay.env.parameters.upper[:2].tolist() == [2, 2]
    decay("UNFREEZE k", "SCALE k LOG")
    assert decay.env.parameters.labels == ("log k[low]", "log k[high]", "b")
    decay("WEIGHT a 2 z[low] 3")
    assert decay.env.observations.weights[0].tolist() == [2, 3, 2, 1]
    assert "a[low]" in (said := decay("PLOT a"))
    assert "z[" not in said


def test_many_curves_are_small_plots_by_experiment(decay):
    said = decay("PLOT")
    assert "- low -" in said
    assert "- high -" in said
    assert "z[low]" not in said


def test_data_are_added_and_the_model_follows(begin, tmp_path):
    (tmp_path / "second.csv").write_text("t,a(0),a\n0,5,4.9\n2,5,2.2\n")
    (tmp_path / "first.csv").write_text("t,a\n0,1\n2,.5\n")
    model = Model.from_text(MODEL, "decay")
    session = begin(model, read_csv(tmp_path / "first.csv", model))
    session("SET k=.7", "LOAD ADD second.csv")
    assert session.env.observations.names == ("a[first]", "a[second]")
    assert dict(zip(session.env.model.parameters, session.env.values, strict=True)) == {
        "k[first]": 0.7,
        "k[second]": 0.7,
        "b": 0.01,
    }
    assert "there are two experiments second" in session.refused("LOAD ADD second.csv")
    session("MODEL b=.5")
    assert session.env.model.parameters == ("k[first]", "k[second]", "b")
    assert session.env.values.tolist() == [0.7, 0.7, 0.5]
    session("LOAD DATA first.csv")
    assert session.env.model.parameters == ("k", "b")


def test_statements_of_experiments_are_changed_like_any_other(decay):
    decay("MODEL local b", "MODEL experiment low: init z=.5")
    assert decay.env.model.parameters == ("k[low]", "k[high]", "b[low]", "b[high]")
    assert "z[low]         0.5" in decay("INIT")
    assert "there is no experiment lo in the data" in decay.refused("MODEL experiment lo: init z=1")
    decay("INIT z 2", "INIT z[low] 3")
    assert "z[low]           3" in (said := decay("INIT"))
    assert "z[high]          2" in said
    assert "the data say where a begins in low, high" in decay.refused("INIT a FREE")


def test_json_tells_of_experiments(decay, tmp_path):
    decay("REPORT JSON found.json")
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["data"]["experiments"][1] == {
        "name": "high",
        "settings": {"a(0)": 5.0},
        "doses": [],
        "is_fitted": True,
        "n_observations": 6,
    }


def test_simulated_data_have_the_same_experiments(decay):
    decay("CREATE 0 0(1)4 0 a 0 1e-8 5 0 0 1 0 N")
    env = decay.env
    assert env.observations.names == ("a[low]", "a[high]")
    k, b = 0.3, 0.01
    exact = b / k + (np.array([1.0, 5.0]) - b / k) * np.exp(-k * np.arange(5.0))[:, np.newaxis]
    np.testing.assert_allclose(env.observations.values, exact, rtol=1e-6)


def test_one_experiment_says_so(session):
    assert "(the data)" in session("EXPERIMENT")
    assert "there is one experiment only" in session.refused("EXPERIMENT low OFF")
