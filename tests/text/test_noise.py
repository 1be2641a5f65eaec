"""What is said of errors: known or estimated, what they are called, and what limits make of them."""

import numpy as np
import pytest
from conversation import Session
from scipy.stats import chi2

from parfit.data.columns import observations_from
from parfit.data.observations import make_observations
from parfit.model.model import Model

T = np.arange(1.0, 13.0)
RNG = np.random.default_rng(11)
A = 5.0 * np.exp(-0.3 * T) * (1.0 + 0.1 * RNG.normal(size=12))
B = 2.0 + 0.6 * T + 0.8 * RNG.normal(size=12)
MODEL = "par a=4, k=.25, c=1, d=.5\nx'=-k*x\nz'=d\ninit x=a, z=c\ndone"


@pytest.fixture
def session():
    return Session(Model.from_text(MODEL, "both"), make_observations(T, ["x", "z"], np.column_stack((A, B))))


def joined(said):
    return " ".join(said.split())


def test_statistics_tell_what_they_make_of_standard_deviations_in_the_data(session):
    data = make_observations(T, ["x"], A[:, np.newaxis], sds=np.full((12, 1), 0.2), weights=np.full((12, 1), 5.0))
    made = Session(Model.from_text("par a=4, k=.25\nx'=-k*x\ninit x=a\ndone"), data)
    assert "known: standard deviations of the data" in made("NOISE")
    told = "The intervals are scaled by the standard error of the fit"
    assert told in joined(made("FIT MORE", "STATS"))
    assert "the standard deviations of the data are taken as known" in joined(made("PROFILE k"))
    said = joined(made("NOISE x ADDITIVE", "FIT MORE", "STATS"))
    assert told not in said
    assert "These are of observations of weight 1" in said
    said = joined(session("NOISE x ADDITIVE", "FIT MORE", "STATS"))
    assert told not in said
    assert "of weight 1" not in said


def test_statistics_of_known_errors_name_the_distribution_they_use(session):
    said = joined(session("NOISE x .1*x", "NOISE z .8", "FIT MORE", "STATS FULL"))
    assert f"CHI-SQUARE, 95 % {chi2.ppf(0.95, 4):.7g}, 4 DEGREES OF FREEDOM" in said
    assert "by the normal distribution" in said
    assert "STANDARD ERROR OF THE FIT" not in said
    assert "SUM OF SQUARES BY THE LIKELIHOOD" in said
    assert "A residual is what the likelihood squares" in said
    assert "is not tested where there are noise models" in said


@pytest.mark.parametrize("prior", [[], ["PRIOR k NORMAL .3 .1"]])
def test_a_profile_tells_how_far_the_log_likelihood_may_fall(session, prior):
    said = joined(session("NOISE x BOTH", "NOISE z .8", *prior, "FIT MORE", "PROFILE k"))
    assert f"the log likelihood fall by {chi2.ppf(0.95, 1) / 2:.4g} (chi-square, 1 degree of freedom" in said
    assert "standard deviations are as the noise models or the data have them" in said
    session("NOISE 0", "PRIOR 0")
    assert "log likelihood" not in session("FIT MORE", "PROFILE k")


def test_what_holds_in_all_experiments_is_one_line():
    model = Model.from_text(MODEL, "both")
    columns = {"run": ["a"] * 12 + ["b"] * 12, "t": [*T, *T], "x": [*A, *A], "z": [*B, *B]}
    made = Session(model, observations_from(columns, model))
    said = made("NOISE x RELATIVE")
    assert [line.split()[0] for line in said.splitlines() if line.startswith(("x", "z"))] == ["x", "z"]
    assert "in all experiments" in said
    said = made("NOISE x[a] ADDITIVE s")
    assert [line.split()[0] for line in said.splitlines() if line.startswith(("x", "z"))] == ["x[a]", "x[b]", "z"]


def test_errors_are_called_by_what_they_are_of():
    """x is no name for what holds in one of two experiments, and nobody knows who the others are."""
    model = Model.from_text("par a=4, k=.25\nx'=-k*x\ninit x=a\ndone")
    made = Session(
        model, observations_from({"run": ["a"] * 12 + ["b"] * 12, "t": [*T, *T], "x": [*A, *A[::-1]]}, model)
    )
    said = made("NOISE x RELATIVE", "NOISE x[a] ADDITIVE")
    assert "shared" not in said
    assert "one size" not in said, "each has its own"

    def named(said):
        lines = said.split("errors of", 1)[1].splitlines()[1:3]
        return [line.split()[:2] for line in lines]

    assert named(made("FIT MORE")) == [["x[a]", "additive"], ["x[b]", "relative"]]
    assert named(made("NOISE 0", "NOISE x[b] ADDITIVE", "FIT MORE")) == [
        ["x[a]", "additive"],
        ["x[b]", "additive"],
    ]


def test_the_scale_of_laplace_errors_is_called_so(session):
    assert "Of Laplace errors the scale" in session("NOISE x LAPLACE", "FIT MORE")
    assert "normal unless NOISE says otherwise" in joined(session("BOOT 10"))
    assert "SUM OF SQUARES BY THE LIKELIHOOD" in session("INTEG")
    assert "Of Laplace errors the scale" not in session("NOISE x ADDITIVE", "FIT MORE")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ADDITIVE .2", "standard deviation sd_x"),
        ("RELATIVE .2", "relative: standard deviation sd_x times the computed value"),
        ("LOGNORMAL .2", "lognormal: standard deviation sd_x of the logarithm"),
        ("LAPLACE .2", "Laplace: scale sd_x"),
        ("LOGLAPLACE .2", "Laplace of logs: scale sd_x of the logarithm"),
        ("PROPORTIONAL 1+x", "standard deviation an unknown multiple of sd_x"),
        (".1+.05*x", "standard deviation sd_x"),
    ],
)
def test_a_size_that_is_given_is_not_called_unknown(session, said, told):
    row = next(line for line in session(f"NOISE x {said}").split("\n") if line.startswith("x "))
    assert told in row
    assert ("unknown" in row) is said.startswith("PROPORTIONAL")
