"""One of several experiments in sight: pictures, guesses and curves speak of it."""

import math

import numpy as np
import pytest

from parfit.data.csvfile import read_csv
from parfit.model.model import Model

MODEL = "par k=.3, b=.1\na'=b-k*a\nz'=k*a-z\ninit a=1\ndone\n"


@pytest.fixture
def study(begin, tmp_path):
    """Two experiments in which z was not observed."""
    rows = [f"{name},{t},{y0},{y0 * math.exp(-0.3 * t)!r}" for name, y0 in (("low", 1), ("high", 5)) for t in range(9)]
    (tmp_path / "study.csv").write_text("\n".join(["experiment,t,a(0),a", *rows]) + "\n")
    model = Model.from_text(MODEL, "study")
    return begin(model, read_csv(tmp_path / "study.csv", model))


def test_pictures_show_what_is_in_sight(study):
    assert "in sight is low" in study("EXPERIMENT low")
    for line in ("PLOT", "PLOT a", "SMOOTH SPLINE AUTO"):
        said = study(line).partition("variable")[0]
        assert "a[low] observed" in said
        assert "a[high] observed" not in said
    assert "a[high] observed" in study("PLOT a[high]")
    assert "a[high] observed" in study("EXPERIMENT ALL", "PLOT")


def test_guesses_and_joints_are_those_of_the_experiment_in_sight(study):
    study("SMOOTH SPLINE 0 0")
    assert "'z' is in several experiments; write z[low] or z[high]" in study.refused("CREOBS z 2 0 8 1 2")
    assert "'a' is in several experiments" in study.refused("RESMOOTH a ADD 4")
    study("EXPERIMENT high", "CREOBS z 2 0 8 1 2", "RESMOOTH a ADD 4")
    assert list(study.env.guesses) == ["z[high]"]
    assert study.env.smoothing.joints["a[high]"].tolist() == [4]
    assert study.env.smoothing.joints["a[low]"].tolist() == []


def test_what_is_fitted_stays_as_it_is(study):
    study("INTEG N")
    before = study.env.sum_of_squares
    study("EXPERIMENT low", "INTEG N")
    assert study.env.sum_of_squares == before


def test_an_experiment_may_be_called_all(begin, tmp_path):
    (tmp_path / "d.csv").write_text("run,t,a\nall,0,1\nall,1,2\nother,0,3\nother,2,1\n")
    model = Model.from_text(MODEL, "study")
    session = begin(model, read_csv(tmp_path / "d.csv", model))
    session("EXPERIMENT ALL")
    assert session.env.in_sight == "all"


def test_bands_of_many_experiments_are_those_of_what_was_observed(begin, tmp_path):
    rng = np.random.default_rng(2)
    rows = [
        f"{name},{t},{name},{name * math.exp(-0.3 * t) + 0.02 * rng.standard_normal()!r}"
        for name in range(1, 7)
        for t in range(9)
    ]
    (tmp_path / "many.csv").write_text("\n".join(["experiment,t,a(0),a", *rows]) + "\n")
    model = Model.from_text(MODEL, "many")
    said = begin(model, read_csv(tmp_path / "many.csv", model))("FIT MORE", "PLOT BAND")
    assert "z[" not in said
    assert said.count("is known to +-") == 1
    assert "In the other experiments the band is no wider." in said


def test_a_parameter_that_a_group_shares_is_that_of_its_experiments(study):
    study("MODEL local b")
    assert "'b' is in several experiments" in study.refused("SCAN b .1 .2")
    assert "b[high]" in study("EXPERIMENT high", "SCAN b .1 .2")
    assert study.env.sighted(["k[low+mid]", "k[top+high]"]) == ["k[top+high]"]
