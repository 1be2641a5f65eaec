"""Degrees of freedom of a straight line with priors, against its algebra: what is vague frees no observation."""

import numpy as np
import pytest
from scipy.stats import t as student

from parfit.data.observations import make_observations
from parfit.estimation.diagnosis.standard_errors import standard_errors
from parfit.estimation.diagnosis.study import problem_statistics
from parfit.estimation.noise import Form, Noise, VariableNoise
from parfit.estimation.prior import Density, Prior
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.settling import settled
from parfit.estimation.strategies.reliability.wanted import Request
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

X = np.array([0.0, 1.0, 2.0, 3.0, 5.0, 8.0])
Y = np.array([1.1, 2.9, 5.2, 6.8, 11.1, 16.9])
DESIGN = np.column_stack((np.ones_like(X), X))
LINE = Model.from_text("par a=1, b=2\ny'=b\ninit y=a\ndone", "line")
VAGUE = Prior(Density.NORMAL, 0.0, 1e6)
RIGID = Prior(Density.NORMAL, 2.0, 1e-6)


def found(noise):
    data = make_observations(X, ["y"], Y[:, np.newaxis])
    return settled(Environment.of(LINE, data, options=Options(method=Method(eps=1e-11))).with_noise(noise))


def counted(noise):
    at = found(noise)
    return at.problem.freedom(at.at)


@pytest.mark.parametrize(
    ("priors", "n_by_priors"),
    [
        ({}, 0),
        ({"a": VAGUE}, 0),
        ({"a": VAGUE, "b": VAGUE}, 0),
        ({"b": RIGID}, 1),
        ({"a": VAGUE, "b": RIGID}, 1),
        ({"a": Prior(Density.NORMAL, 1.0, 1e-6), "b": RIGID}, 2),
    ],
)
def test_a_prior_frees_an_observation_as_far_as_it_does_its_work(priors, n_by_priors):
    counts = counted(Noise({"y": VariableNoise(Form.ADDITIVE)}, priors))
    assert counts == (6, 2, n_by_priors)
    assert counts.n_free == 4 + n_by_priors


@pytest.mark.parametrize("form", [Form.ADDITIVE, Form.LAPLACE])
def test_the_share_of_a_prior_is_its_part_of_the_information(form):
    """With a prior that tells as much of b as the data do, half of b is its own; two such make one parameter."""
    at = found(Noise({"y": VariableNoise(form)}))
    scale = at.problem.likelihood(at.at).estimates[0].sd
    cov = scale**2 * np.linalg.inv(DESIGN.T @ DESIGN)
    centres = at.env.values
    alike = {name: Prior(Density.NORMAL, centres[k], np.sqrt(cov[k, k])) for k, name in enumerate("ab")}
    information = np.linalg.inv(cov)
    of_priors = np.diag(1.0 / np.diag(cov))
    share = np.trace(np.linalg.solve(information + of_priors, of_priors))
    assert counted(Noise({"y": VariableNoise(form)}, alike)).n_by_priors == round(share)
    only = np.diag([0.0, of_priors[1, 1]])
    assert np.trace(np.linalg.solve(information + only, only)) == pytest.approx(0.5)


def test_vague_priors_change_no_interval():
    estimate, squares, *_ = np.linalg.lstsq(DESIGN, Y)
    errors = np.sqrt(float(squares[0]) / 4 * np.diag(np.linalg.inv(DESIGN.T @ DESIGN)))
    at = found(Noise({}, {"a": VAGUE, "b": VAGUE}))
    assert standard_errors(at.problem, at.at).values == pytest.approx(errors, rel=1e-6)
    statistics = problem_statistics(at.problem, at.at, 95.0)
    assert statistics.n_free == 4
    assert statistics.intervals.single == pytest.approx(student.ppf(0.975, 4) * errors, rel=1e-6)
    sd = at.problem.likelihood(at.at).estimates[0]
    assert sd.corrected == pytest.approx(np.sqrt(float(squares[0]) / 4), rel=1e-6)
    for k, each in enumerate(profile(at.env, Request()).profiles):
        half = student.ppf(0.975, 4) * errors[k]
        assert each.limits == pytest.approx((estimate[k] - half, estimate[k] + half), abs=1e-4 * half)
