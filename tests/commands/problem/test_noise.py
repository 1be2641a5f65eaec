"""NOISE in conversation: what is estimated, told, compared, written and refused."""

import json

import numpy as np
import pytest
from conversation import Session
from schemas import violations
from scipy.optimize import minimize
from scipy.stats import f, norm

from parfit.data.observations import make_observations
from parfit.model.model import Model

T = np.arange(1.0, 13.0)
RNG = np.random.default_rng(11)
A = 5.0 * np.exp(-0.3 * T) * (1.0 + 0.1 * RNG.normal(size=12))
B = 2.0 + 0.6 * T + 0.8 * RNG.normal(size=12)
MODEL = "par a=4, k=.25, c=1, d=.5\nx'=-k*x\nz'=d\ninit x=a, z=c\ndone"


def begin(folder, first=A, second=B, text=MODEL):
    data = make_observations(T, ["x", "z"], np.column_stack((first, second)))
    return Session(Model.from_text(text, "both"), data, folder)


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = begin(tmp_path / "run")
    yield made
    made.run.close()


@pytest.mark.parametrize(
    ("typed", "word"), [("relativ", "RELATIVE"), ("a s", "ADDITIVE s"), ("prop 1+x", "PROPORTIONAL")]
)
def test_the_beginning_of_a_word_stands_for_it(session, typed, word):
    session(f"NOISE x {typed}")
    whole = begin(None)
    whole(f"NOISE x {word}" + " 1+x" * (word == "PROPORTIONAL"))
    assert session.env.noise.models == whole.env.noise.models


def test_two_standard_deviations_are_estimated_with_the_fit(session):
    said = session("OPTION EPS 1e-9", "NOISE ALL ADDITIVE", "FIT MORE")
    line = np.polyfit(T, B, 1)
    assert session.env.values[[3, 2]] == pytest.approx(line, rel=1e-5)  # of one variable alone, whatever the other
    sd = np.sqrt(np.mean((np.polyval(line, T) - B) ** 2))
    assert f"{sd:.4g}" in said
    assert "24 observations, 6 parameters, 2 of them of the errors" in said
    assert "CONVERGED" in said


def test_relative_errors_have_their_maximum_of_the_likelihood(session):
    session("OPTION EPS 1e-9", "NOISE x RELATIVE", "NOISE z ADDITIVE", "FIT MORE")

    def whole(p):
        y = p[0] * np.exp(-p[1] * T)
        return -2.0 * norm.logpdf(A, y, np.exp(p[2]) * np.abs(y)).sum()

    best = minimize(whole, [5.0, 0.3, -2.0], method="Nelder-Mead", tol=1e-12, options={"maxiter": 5000})
    assert session.env.values[:2] == pytest.approx(best.x[:2], rel=1e-4)


def test_units_of_a_variable_do_not_matter(session, tmp_path):
    lines = ("NOISE ALL ADDITIVE", "FIT MORE")
    assert "CONVERGED" in session(*lines)
    other = begin(None, second=1000.0 * B, text=MODEL.replace("c=1, d=.5", "c=1000, d=500"))
    assert "CONVERGED" in other(*lines)
    assert other.env.values == pytest.approx(session.env.values * [1, 1, 1000, 1000], rel=1e-5)


def test_statistics_and_profiles_go_by_the_likelihood(session):
    said = session("NOISE ALL ADDITIVE", "FIT MORE", "STATS")
    assert "sd (n - p)" in said
    assert "LOG LIKELIHOOD" in said
    line, cov = np.polyfit(T, B, 1, cov="unscaled")
    left = np.sum((np.polyval(line, T) - B) ** 2)
    # T is the geometric mean of both variances: (1 + change^2 / (left cov))^(1/2) times what it was.
    half = np.sqrt(left * cov[0, 0] * ((1.0 + f.ppf(0.95, 1, 20) / 20.0) ** 2 - 1.0))
    session("PROFILE d")
    assert session.env.profiles[0].limits == pytest.approx((line[0] - half, line[0] + half), rel=1e-4)
    session("NOISE 0")
    assert session.env.profiles == ()


def test_models_with_different_errors_compare(session):
    session("FIT MORE", "MARK plain", "NOISE ALL ADDITIVE", "FIT MORE", "MARK two", "NOISE x RELATIVE", "FIT MORE")
    rows = [line.split() for line in session("MARK rel", "COMPARE").split("\n")]
    order = [row[0] for row in rows if len(row) == 8 and row[0] in ("plain", "two", "rel")]
    assert order == ["rel", "two", "plain"]  # as they were simulated, and the farther away the worse


def test_an_expression_is_the_shape_of_the_standard_deviation(session):
    said = session("MODEL par b=.5", "NOISE x PROPORTIONAL 1+b*x", "BOUNDS b>0", "FIT MORE")
    assert "sd_x" in str(session.env.model)
    assert "proportional" in said
    assert "CONVERGED" in said
    assert "in a column x.sd" in session.refused("NOISE x .05+.1*x").replace("\n", " ")


def test_a_journal_and_plain_data_have_it(session, tmp_path):
    session("NOISE x RELATIVE s", "NOISE z RELATIVE s", "FIT MORE", "REPORT JSON out.json")
    assert session.entries[-4:-2] == ["NOISE x RELATIVE s", "NOISE z RELATIVE s"]
    found = json.loads((tmp_path / "out.json").read_text())
    assert violations(found) == []
    assert [each["group"] for each in found["noise"]] == ["s", "s"]
    assert found["noise"][0]["sd"] == found["noise"][1]["sd"] > 0.0
    assert found["log_likelihood"] is not None


def test_it_is_shown_and_taken_back(session):
    assert "weights as they are" in session("NOISE")
    assert "additive" in session("NOISE x ADDITIVE", "NOISE")
    session("NOISE x NONE")
    assert not session.env.noise
    session("NOISE ALL LOGNORMAL", "NOISE 0")
    assert not session.env.noise


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("NOISE y ADDITIVE", "is no observed variable"),
        ("NOISE x", "an answer is needed"),
        ("NOISE x LOUD", "is no form of errors"),
        ("NOISE x RELATVE", "did you mean RELATIVE?"),
        ("NOISE x addditive s", "did you mean ADDITIVE?"),
        ("NOISE x 1+x", "NOISE x PROPORTIONAL 1+x estimates a multiple"),
        ("NOISE x PROPORTIONAL LOUD", "unknown name"),
        ("NOISE x PROPORTIONAL -1", "must be positive"),
        ("NOISE x PROPORTIONAL x-2", "must be positive"),
        ("NOISE x PROPORTIONAL", "stands an expression"),
        ("NOISE x ADDITIVE s t", "more than the command can use"),
    ],
)
def test_refusals_change_nothing(session, line, reason):
    said = session.refused(line).replace("\n", " ")
    assert reason in said or "the input ends" in said


def test_logarithms_need_positive_observations(tmp_path):
    session = begin(None, first=np.where(T == 3.0, 0.0, A))
    assert "0 at t = 3, which has no logarithm" in session.refused("NOISE x LOGNORMAL")
    assert "another form" in session.refused("NOISE x ADDITIVE s", "NOISE z RELATIVE s")
