"""PRIOR in conversation: against the posterior of a normal mean, which is known in closed form."""

import json

import numpy as np
import pytest
from conversation import Session
from schemas import violations
from scipy.optimize import minimize
from scipy.stats import norm

from parfit.data.observations import make_observations
from parfit.errors import ModelError
from parfit.model.model import Model
from parfit.session.environment import Environment

T = np.arange(1.0, 9.0)
V = 3.0 + 0.5 * np.random.default_rng(5).normal(size=8)
CONSTANT = "par a=2, k=1\nx'=0*k\ninit x=a\ndone"
DECAY = "par a=2, k=.5\nx'=-k*x\ninit x=a\ndone"


def begin(text=CONSTANT, values=V, sds=None, folder=None):
    given = None if sds is None else np.full((T.size, 1), sds)
    return Session(Model.from_text(text, "one"), make_observations(T, ["x"], values[:, np.newaxis], sds=given), folder)


def test_with_known_errors_it_is_the_mean_of_data_and_prior():
    session = begin(sds=0.5)
    said = session("FREEZE k", "PRIOR a NORMAL 2 .25", "FIT MORE", "STATS")
    weights = 8 / 0.25, 1 / 0.0625
    mean = (weights[0] * V.mean() + weights[1] * 2.0) / sum(weights)
    assert session.env.values[0] == pytest.approx(mean, rel=1e-6)
    sd = 1.0 / np.sqrt(sum(weights))
    half = norm.ppf(0.975) * sd
    assert f"{mean - half:.5g} to {mean + half:.5g}" in said
    assert f"{(mean - 2.0) / 0.25:+.2f} sd" in said
    assert f"{V.mean():.5g}" in said  # where it would be without
    session("PROFILE a")
    assert session.env.profiles[0].limits == pytest.approx((mean - half, mean + half), rel=1e-5)


def test_with_unknown_errors_these_are_estimated_beside_it():
    values = 2.5 * np.exp(-0.4 * T) * (1.0 + 0.05 * np.random.default_rng(2).normal(size=8))
    session = begin(DECAY, values)
    said = session("OPTION EPS 1e-9", "PRIOR k LOGNORMAL .6 .02", "FIT MORE")
    assert "CONVERGED" in said

    def fall(p):
        rest = values - p[0] * np.exp(-p[1] * T)
        return 8 * np.log(rest @ rest) + (np.log(p[1] / 0.6) / 0.02) ** 2

    best = minimize(fall, session.env.values, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11})
    assert session.env.values == pytest.approx(best.x, rel=1e-4)
    assert "9 observations" not in said
    assert "8 observations, 3 parameters, 1 of them of the errors" in said


@pytest.mark.parametrize("prior", ["LAPLACE 2 .05", "LOGLAPLACE 2 .05"])
def test_a_tip_holds_what_the_data_say_less_of(prior):
    session = begin(sds=5.0)
    assert "CONVERGED" in session("FREEZE k", f"PRIOR a {prior}", "FIT MORE")
    assert session.env.values[0] == pytest.approx(2.0, abs=1e-3)


def test_what_the_data_do_not_see_stays_where_it_is_known_to_be():
    session = begin("par a=2, k=1, c=4\nx'=0*k\ninit x=a+0*c\ndone", sds=0.5)
    said = session("FREEZE k", "PRIOR c NORMAL 3 .5", "FIT MORE")
    assert session.env.values[2] == pytest.approx(3.0, rel=1e-6)
    assert "not determined" in said
    assert "nothing that was observed depends on" not in said


def test_a_uniform_prior_is_bounds():
    session = begin()
    session("PRIOR a UNIFORM 1 3")
    assert (session.env.parameters.lower[0], session.env.parameters.upper[0]) == (1.0, 3.0)
    assert not session.env.noise  # plain least squares
    session("PRIOR a OFF")
    assert not np.isfinite(session.env.parameters.lower[0])


def test_a_uniform_prior_holds_beside_bounds():
    session = begin()
    assert "outside" in session("SET a 4", "PRIOR a UNIFORM 1 3")
    said = session("BOUNDS a 0 2.5")
    assert "a stays within its prior, UNIFORM 1 3; PRIOR a OFF takes that back" in said
    assert (session.env.parameters.lower[0], session.env.parameters.upper[0]) == (1.0, 2.5)
    assert "stays within" not in session("BOUNDS a 2 2.5")
    assert "within" in session("SET a 2.2", "PRIOR")


def test_what_is_frozen_was_not_pulled():
    session = begin(DECAY)
    said = session("PRIOR a NORMAL 1 .1", "FREEZE a", "FIT MORE")
    rows = [line.split() for line in said.split("\n") if "NORMAL 1 0.1" in line and not line.startswith(">")]
    assert rows[-1][-1] == "2"
    assert "not determined" not in said


def test_it_is_shown_written_and_taken_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = begin(sds=0.5, folder=tmp_path / "run")
    assert "no parameter has a prior" in session("PRIOR")
    assert "NORMAL 2 0.25" in session("PRIOR a normal 2, .25", "PRIOR")
    assert session.entries[-2] == "PRIOR a NORMAL 2 0.25"
    session("FREEZE k", "FIT MORE", "REPORT JSON out.json")
    found = json.loads((tmp_path / "out.json").read_text())
    assert violations(found) == []
    assert found["priors"][0]["parameter"] == "a"
    assert found["priors"][0]["density"] == "normal"
    assert found["priors"][0]["without"] == pytest.approx(V.mean(), rel=1e-4)
    session("PRIOR 0")
    assert not session.env.noise.priors
    session.run.close()


def test_lines_of_a_model_say_the_same():
    session = begin(CONSTANT.replace("done", "prior a normal 2 .25\nprior k uniform .5 2\ndone"), sds=0.5)
    assert str(session.env.noise.priors["a"]) == "NORMAL 2 0.25"
    assert session.env.parameters.upper[1] == 2.0
    session("MODEL prior a normal 3 1")
    assert str(session.env.noise.priors["a"]) == "NORMAL 3 1"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PRIOR b NORMAL 1 2", "is no parameter"),
        ("PRIOR a LOUD 1 2", "is no prior"),
        ("PRIOR a NORMAL 1", "needs two numbers"),
        ("PRIOR a NORMAL 1 -1", "must be positive"),
        ("PRIOR a UNIFORM 3 1", "lowest value first"),
        ("PRIOR a NORMAL 7 1", "outside its bounds, 0 to 5"),
        ("PRIOR a UNIFORM 6 7", "outside its bounds"),
    ],
)
def test_refusals_change_nothing(line, why):
    session = begin()
    session("BOUNDS a 0 5")
    assert why in session.refused(line).replace("\n", " ")


def test_bounds_that_exclude_a_prior_are_refused():
    session = begin()
    session("PRIOR a NORMAL 2 .25")
    assert "outside its bounds" in session.refused("BOUNDS a 3 5").replace("\n", " ")


def test_models_are_compared_without_their_priors():
    session = begin(sds=0.5)
    lines = ("PRIOR a NORMAL 2 .25", "FIT MORE", "MARK one", "PRIOR a NORMAL 2 .5", "FIT MORE", "MARK two")
    said = session("FREEZE k", *lines)
    told = [line.split()[4].rstrip(",") for line in said.split("\n") if line.startswith("LOG LIKELIHOOD")]
    rows = [line.split() for line in session("COMPARE").split("\n")]
    assert [row[4] for name in ("one", "two") for row in rows if row[:1] == [name] and len(row) == 8] == told


def test_a_line_of_a_model_that_is_no_prior_has_its_file_and_line():
    with pytest.raises(ModelError, match=r"^bad\.ode:3: `prior k`: NORMAL 1 -1: the second number must be positive"):
        Environment.of(Model.from_text("par k=1\nx'=-k*x\nprior k normal 1 -1\ndone", "bad"))
