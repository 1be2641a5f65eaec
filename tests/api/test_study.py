"""A whole study in Python gives the very numbers of the same conversation, bit for bit."""

import json

import numpy as np
import pytest
from conversation import MODELS, assert_same

import parfit
from parfit.data.loading import read_data
from parfit.export.appraisal import appraised
from parfit.model.language.reader import read_model

TOUR = (MODELS / "tour.ode", MODELS / "tour.csv")


@pytest.fixture
def session(begin):
    """The conversation, at its beginning."""
    model = read_model(TOUR[0])
    return begin(model, read_data(TOUR[1], model))


def test_a_study_is_the_conversation(session, tmp_path):
    problem = parfit.load(*TOUR)
    assert_same(problem.environment, session.env)

    smoothed = problem.smooth()
    session("SMOOTH SPLINE AUTO AUTO")
    assert_same(smoothed.environment, session.env)

    start = smoothed.ifit()
    session("IFIT REGULAR")
    assert_same(start.environment, session.env)

    fit = start.problem.fit()
    session("FIT MORE")
    assert_same(fit.environment, session.env)
    assert fit.sum_of_squares == session.env.sum_of_squares
    assert fit.is_minimum

    stats = fit.problem.stats(95)
    session("STATS 95")
    errors = dict(zip(session.env.model.parameters, session.env.statistics.errors.values.tolist(), strict=True))
    assert stats.errors == errors
    assert fit.errors == errors

    band = fit.problem.band("y1")
    width = band.upper["y1"] - band.curves["y1"]
    assert (width >= 0).all()
    np.testing.assert_array_equal(band.curves["y1"], session.env.integrated.column("y1"))

    fit.plot(tmp_path / "band.png", "y1", what="band")
    assert (tmp_path / "band.png").read_bytes().startswith(b"\x89PNG")

    session(f"REPORT JSON {tmp_path / 'r.json'}")
    told, written = json.loads(fit.to_json()), json.loads((tmp_path / "r.json").read_text())
    for part in ("parameters", "sum_of_squares", "degrees_of_freedom", "residuals", "settings"):
        assert told[part] == written[part]
    assert appraised(session.env).verdict == told["verdict"]["code"]


WAYS = {
    "DFIT REGULAR": lambda p: p.dfit(),
    "IFIT REGULAR .01 1e-4 1e-4": lambda p: p.ifit(lam=0.01, rtol=1e-4, atol=1e-4),
    "CONTIN .2 .6 1": lambda p: p.contin([0.2, 0.6, 1.0]),
    "CONTIN .5 BREAKS 3. 6. STOP": lambda p: p.contin([0.5], breaks=[6, 3], stop=True),
    "SHOOT AUTO": lambda p: p.shoot(),
    "SEQ 10 15": lambda p: p.seq(10, 15),
    "SCAN p1 .4 .6 5 FIT": lambda p: p.scan("p1", 0.4, 0.6, 5, fitted=True),
    "FIT MARQUARDT": lambda p: p.fit("marquardt"),
    "FIT MORE 1e-6 200 HUBER .05": lambda p: p.fit(tol=1e-6, max_evaluations=200, loss="huber", loss_scale=0.05),
}


@pytest.mark.parametrize("line", WAYS)
def test_every_way_to_fit_is_its_command(session, line):
    start = parfit.load(*TOUR).smooth(kind="hermite").ifit().problem
    session("SMOOTH HERMITE AUTO AUTO", "IFIT REGULAR", line)
    assert_same(WAYS[line](start).environment, session.env)


def test_the_last_fit_of_a_session_is_that_of_python():
    with parfit.Session(*map(str, TOUR)) as conversation:
        assert conversation.fit is None
        conversation("SMOOTH SPLINE AUTO AUTO", "IFIT REGULAR", "FIT MORE", "SET p1 3")
        told = conversation.fit
    fit = parfit.load(*TOUR).smooth().ifit().problem.fit()
    assert (told.values, told.errors, told.verdict) == (fit.values, fit.errors, fit.verdict)
    assert conversation.problem.values["p1"] == 3.0


def test_guessed_states_take_part(begin):
    model = read_model(TOUR[0])
    data = read_data(TOUR[1], model)
    columns = {"t": data.times, "y1": data.values[:, 0]}
    problem = parfit.load(TOUR[0], columns)
    session = begin(model, problem.data)
    session("SMOOTH SPLINE AUTO", "CREOBS 4 0 4 9 12.5 5 19 5 13", "IFIT ITERATED Y .01 .01 1e-4 1e-4 N 2")
    guessed = problem.smooth().guess("y2", [0, 4, 9, 12.5], [5, 19, 5, 13])
    found = guessed.ifit(n_rounds=3, lam=0.01, rtol=1e-4, atol=1e-4)
    assert_same(found.environment, session.env)
