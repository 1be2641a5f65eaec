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
