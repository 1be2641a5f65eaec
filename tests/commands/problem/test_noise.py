"""NOISE in conversation: what is estimated, told, compared, written and refused."""

import json

import numpy as np
import pytest
from conversation import Session
from schemas import violations
from scipy.optimize import minimize
from scipy.stats import f, norm

import parfit
from parfit.data.observations import make_observations
from parfit.model.model import Model
from parfit.session.sources import Script
from parfit.text.observations import remarks

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


def test_an_expression_is_the_standard_deviation_itself(session):
    """Its parameters are those of the maximum of the likelihood, which is searched for without us."""
    said = session("OPTION EPS 1e-9", "MODEL par s=.3, b=.2", "NOISE x s+b*x", "NOISE z 0.8", "FIT MORE")
    assert "CONVERGED" in said
    assert "sd_x=s+b*x" in str(session.env.model)

    def whole(p):
        y = p[0] * np.exp(-p[1] * T)
        return -2.0 * norm.logpdf(A, y, np.abs(p[2] + p[3] * y)).sum()

    own = session.env.values[[0, 1, 4, 5]]
    best = minimize(whole, own, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 5000})
    assert whole(own) - best.fun < 1e-5
    line = np.polyfit(T, B, 1)
    assert session.env.values[[3, 2]] == pytest.approx(line, rel=1e-5)
    named = {name: each.quantity for name, each in session.env.noise.models.items()}
    assert named == {"x": "sd_x", "z": "sd_z"}


def test_intervals_with_known_errors_are_those_of_the_normal_distribution(session):
    said = session("OPTION EPS 1e-9", "NOISE z 0.8", "NOISE x .1*x", "FIT MORE", "STATS")
    line, cov = np.polyfit(T, B, 1, cov="unscaled")
    half = norm.ppf(0.975) * 0.8 * np.sqrt(cov[0, 0])
    assert f"{line[0] - half:.5g} to {line[0] + half:.5g}" in said
    session("PROFILE d")
    assert session.env.profiles[0].limits == pytest.approx((line[0] - half, line[0] + half), rel=1e-5)


def test_both_variances_add_up(session):
    session("OPTION EPS 1e-9", "NOISE x BOTH", "NOISE z ADDITIVE", "FIT MORE")
    assert session.env.parameters.lower[-2:] == pytest.approx([0.0, 0.0])

    def whole(p):
        y = p[0] * np.exp(-p[1] * T)
        return -2.0 * norm.logpdf(A, y, np.sqrt(np.maximum(p[2] + p[3] * y**2, 1e-12))).sum()

    own = session.env.values[[0, 1, 4, 5]]
    best = minimize(whole, own, method="L-BFGS-B", bounds=[(None, None)] * 2 + [(0, None)] * 2)
    assert whole(own) - best.fun < 1e-4


def test_outliers_count_less_with_laplace_errors(session, tmp_path):
    """Of a constant the maximum of the likelihood is the median, and the scale the mean distance from it."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 100.0] * 2 + [3.0, 3.1])
    made = begin(None, values, B, "par a=4, d=.5\nx'=0\nz'=d\ninit x=a\ndone")
    said = made("NOISE x LAPLACE", "NOISE z ADDITIVE", "FIT MORE")
    assert made.env.values[0] == pytest.approx(np.median(values), abs=0.06)
    assert f"{np.abs(values - np.median(values)).mean():.3g}" in said


def test_lines_of_the_model_say_the_same(tmp_path):
    made = begin(None, text=MODEL.replace("done", "par s=.2\nnoise x lognormal s\nnoise z additive\ndone"))
    shown = made("NOISE")
    assert "additive" in shown
    assert made.env.noise.models["x"].quantity == "s"
    made("NOISE z NONE", "MODEL noise x relative", "NOISE")
    assert "z" not in made.env.noise.models, "what was taken back stays so"
    assert made.env.noise.models["x"].form.name == "RELATIVE"
    made("MODEL remove noise x")
    assert "noise" not in str(made.env.model).replace("noise z", "")


EXPERIMENTS = """experiment,time,x
one,1,2.1
one,2,1.2
one,3,.7
two,1,4.4
two,2,2.3
two,3,1.5
"""


def test_experiments_share_a_standard_deviation_unless_one_has_its_own(tmp_path):
    (tmp_path / "two.csv").write_text("#: experiment two: noise x 0.1*x+0.05\n#: noise x additive\n" + EXPERIMENTS)
    (tmp_path / "m.ode").write_text("par k=.5, a=4, b=8\nx'=-k*x\ninit x=a\nexperiment two: init x=b\ndone\n")
    made = parfit.load(str(tmp_path / "m.ode"), str(tmp_path / "two.csv"))
    models = made.noise.models
    assert models["x[one]"].group == "x"
    assert models["x[two]"].quantity == "sd_x[two]"
    found = made.fit()
    assert found.verdict in ("minimum", "undetermined")
    other = made.with_noise(x="additive")
    assert {each.group for each in other.noise.models.values()} == {"x"}
    assert other.with_noise(x="0.1*x").noise.models["x[one]"].quantity == "sd_x[one]"
    own = other.with_noise({"x[one]": "relative"})
    assert [(each.group or name, each.form.name) for name, each in own.noise.models.items()] == [
        ("x", "ADDITIVE"),
        ("x[one]", "RELATIVE"),
    ]
    assert [each["group"] for each in own.fit().to_dict()["noise"]] == ["x", "x[one]"]


def test_a_computed_value_of_0_is_told(session):
    made = begin(None, text="par k=.5, d=.5\nx'=0*k\nz'=d\ndone")
    said = made.refused("NOISE x RELATIVE", "FIT MORE").replace("\n", " ")
    assert "equations can be integrated" in said
    assert "at t = 1 it is computed to be 0" in said


def test_a_journal_and_plain_data_have_it(session, tmp_path):
    session("NOISE x RELATIVE s", "NOISE z RELATIVE s", "FIT MORE", "REPORT JSON out.json")
    assert session.entries[-4:-2] == ["NOISE x RELATIVE s", "NOISE z RELATIVE s"]
    found = json.loads((tmp_path / "out.json").read_text())
    assert violations(found) == []
    assert [each["group"] for each in found["noise"]] == ["s", "s"]
    assert found["noise"][0]["sd"] == found["noise"][1]["sd"] > 0.0
    assert found["log_likelihood"] is not None


def joined(said):
    return " ".join(said.split())


def test_it_is_shown_and_taken_back(session):
    assert "weights as they are" in session("NOISE")
    assert "additive" in session("NOISE x ADDITIVE", "NOISE")
    session("NOISE x NONE")
    assert not session.env.noise
    session("NOISE ALL LOGNORMAL", "NOISE 0")
    assert not session.env.noise


@pytest.mark.parametrize("line", ["NOISE x NONE", "NOISE 0", "NOISE x ADDITIVE", "NOISE x .3", "NOISE x LAPLACE"])
def test_what_both_made_of_the_model_goes_with_it(session, line):
    session("NOISE x BOTH", "FREEZE va_x", "PRIOR vr_x NORMAL .01 .005", "FIT MORE")
    said = session(line, "FIT MORE")
    assert session.env.model.parameters == ("a", "k", "c", "d")
    assert "CONVERGED" in said
    assert "not determined" not in said
    assert "vr_x" not in session.env.noise.priors
    assert "va_x" in session("UNDO", "UNDO")
    assert session.env.noise.models["x"].quantity == "sd_x"


def test_what_both_made_stays_where_it_is_needed(session):
    session("NOISE x BOTH", "NOISE z sqrt(va_x)", "NOISE x ADDITIVE")
    assert {"va_x", "vr_x"} <= set(session.env.model.parameters)
    said = joined(session("FIT MORE"))
    assert (
        "24 observations, 6 parameters, 1 of them of the errors" in said
    )  # vr_x, which nothing needs, is not counted


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("NOISE y ADDITIVE", "is no observed variable"),
        ("NOISE x", "an answer is needed"),
        ("NOISE x LOUD", "is no form of errors"),
        ("NOISE x RELATVE", "did you mean RELATIVE?"),
        ("NOISE x addditive s", "did you mean ADDITIVE?"),
        ("NOISE x PROPORTIONAL LOUD", "unknown name"),
        ("NOISE x PROPORTIONAL", "RELATIVE is in proportion to the solution"),
        ("NOISE x PROPORTIONAL -1", "must be positive"),
        ("NOISE x PROPORTIONAL x-2", "must be positive"),
        ("NOISE x PROPORTIONAL", "needs an expression"),
        ("NOISE x ADDITIVE s t", "more than the command can use"),
        ("NOISE x -.1", "must be positive"),
        ("NOISE x BOTH s", "more than BOTH can use"),
        ("NOISE x LAPLACE -1", "must be positive"),
    ],
)
def test_refusals_change_nothing(session, line, reason):
    said = session.refused(line).replace("\n", " ")
    assert reason in said or "the input ends" in said


def test_logarithms_need_positive_observations(tmp_path):
    session = begin(None, first=np.where(T == 3.0, 0.0, A))
    assert "0 at t = 3, which has no logarithm" in session.refused("NOISE x LOGNORMAL")
    assert "another form" in session.refused("NOISE x ADDITIVE s", "NOISE z RELATIVE s")


@pytest.mark.parametrize("line", ["DFIT", "IFIT", "CONTIN 1", "SEQ 6 6", "SHOOT 6"])
def test_methods_that_go_by_the_weights_say_so(line):
    made = begin(None)
    made("SMOOTH", "NOISE x RELATIVE", "PRIOR k NORMAL .3 .1")
    _, _, warned = made.obey(Script([line], "script"))
    assert "goes by the weights alone; noise models and priors count in FIT" in warned.replace("\n", " ")


def test_probe_and_guide_see_what_the_likelihood_sees(session):
    said = session("MODEL par b=.5", "NOISE x .1+b*x", "PRIOR d NORMAL .6 .1", "FIT MORE", "PROBE", "GUIDE")
    assert "does not occur" not in said.replace("\n", " "), "b occurs in the errors"
    assert "observation of sd_x" not in said.replace("\n", " ")


def test_a_robust_loss_beside_noise_models_is_refused(session):
    said = session.refused("NOISE x RELATIVE", "FIT MORE 1e-8 500 HUBER 1").replace("\n", " ")
    assert "says itself how errors are distributed" in said


def test_what_a_model_says_of_its_data_is_shown_and_what_has_no_meaning_told(tmp_path):
    model = MODEL.replace("done", "aux w=2*x\nnoise x lognormal\nnoise w .1*x\nprior k normal .3 .1\ndone")
    made = begin(None, text=model)
    shown = made("MODEL")
    for line in ("noise x lognormal", "noise w .1*x", "prior k normal .3 .1"):
        assert line in shown
    assert [str(each) for each in remarks(made.env)] == ["`noise w` has no meaning here: w was not observed"]


def test_standard_errors_of_laplace_errors_are_those_of_their_information():
    """Of the median of n errors with scale b it is b / sqrt(n), whatever the residuals near 0 happen to be."""
    rng = np.random.default_rng(12)
    t, values = np.arange(1.0, 402.0), 3.0 + rng.laplace(scale=0.5, size=401)
    data = make_observations(t, ["x"], values[:, np.newaxis])
    made = Session(Model.from_text("par a=2.5\nx'=0\ninit x=a\ndone", "median"), data)
    said = made("NOISE x LAPLACE", "FIT MORE", "STATS")
    b = np.abs(values - np.median(values)).mean()
    row = next(line.split() for line in said.split("\n") if line.startswith("a "))
    assert float(row[2]) == pytest.approx(b / np.sqrt(400), rel=0.01)
    made("NOISE x LAPLACE .5", "FIT MORE", "STATS")
    assert made.env.statistics.errors.values[0] == pytest.approx(0.5 / np.sqrt(401), rel=0.01)
