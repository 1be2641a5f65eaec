"""All that is known, as plain data."""

import json
import math
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from schemas import SCHEMA, violations
from scipy.optimize import curve_fit

from parfit.data.observations import make_observations
from parfit.estimation.parameters import Scaling
from parfit.export.plain import json_text
from parfit.export.summary import MEMBERS, nothing, summary
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Samples

DECAY = Model.from_text("par k=.5, a=3\nx'=-k*x\ninit x=a\n", "decay")
TIMES = np.arange(1.0, 9.0)
VALUES = 3.1 * np.exp(-0.45 * TIMES) + 0.05 * np.array([1, -1, -1, 1, 1, -1, 1, -1])


def decay(t, k, a):
    return a * np.exp(-k * t)


def best(sd=None):
    """The minimum, and the covariance of the parameters there, by another program."""
    return curve_fit(decay, TIMES, VALUES, [0.5, 3.0], sd, xtol=1e-14, ftol=1e-14)


def problem(values=None, sds=None, model=DECAY):
    data = make_observations(TIMES, ["x"], VALUES[:, np.newaxis], sds=sds)
    env = Environment.of(model, data)
    return env if values is None else env.with_values(values)


def checked(env, **more):
    """The summary, through JSON and as the schema says."""
    found = json.loads(json_text(summary(env, **more)))
    assert violations(found) == []
    assert tuple(found) == MEMBERS
    return found


def test_the_schema_describes_every_member():
    assert list(SCHEMA["properties"]) == list(MEMBERS)
    assert violations(nothing()) == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"schema": 2}, "$.schema"),
        ({"sum_of_squares": "7"}, "$.sum_of_squares"),
        ({"more": 1}, "more is not described"),
        ({"verdict": {"code": "fine", "sentence": ""}}, "$.verdict"),
        ({"parameters": [{}]}, "$.parameters[0]"),
    ],
)
def test_what_is_not_as_the_schema_says_is_found(change, where):
    assert any(where in each for each in violations(nothing() | change))


def test_errors_and_intervals_of_a_minimum():
    p, covariance = best()
    found = checked(problem(p))
    for k, each in enumerate(found["parameters"]):
        assert each["value"] == p[k]
        error = math.sqrt(covariance[k, k])
        assert each["standard_error"] == pytest.approx(error, rel=1e-4)
        t = 2.446911851  # Student's t with 6 degrees of freedom, 97.5 %
        assert each["interval"] == pytest.approx([p[k] - t * error, p[k] + t * error], rel=1e-4)
    total = float(np.sum((decay(TIMES, *p) - VALUES) ** 2))
    assert found["sum_of_squares"] == pytest.approx(total, rel=1e-4)
    assert (found["n_observations"], found["degrees_of_freedom"]) == (8, 6)
    assert found["residual_standard_deviation"] == pytest.approx(math.sqrt(total / 6), rel=1e-4)
    assert found["verdict"]["code"] == "minimum"
    assert (found["chi2"], found["log_likelihood"]) == (None, None), "no standard deviations are known"


def test_chi_square_and_likelihood_of_known_errors_where_nothing_was_fitted():
    found = checked(problem(sds=0.05))
    r = (decay(TIMES, 0.5, 3.0) - VALUES) / 0.05
    assert found["chi2"] == found["sum_of_squares"] == pytest.approx(float(r @ r), rel=1e-4)
    density = np.exp(-(r**2) / 2) / (0.05 * math.sqrt(2 * math.pi))
    assert found["log_likelihood"] == pytest.approx(float(np.log(density).sum()), rel=1e-4)
    assert found["verdict"]["code"] == "not_a_minimum"


def test_scaled_frozen_and_bounded_parameters():
    p, covariance = best()
    env = problem(p).with_scaling({"k": Scaling.LOGARITHM}).with_bounds([0.0, -np.inf], [np.inf, 9.0])
    k, a = checked(env)["parameters"]
    assert (k["scaling"], k["lower"], k["upper"]) == ("logarithm", 0.0, None)
    assert (a["scaling"], a["lower"], a["upper"]) == ("none", None, 9.0)
    error = math.sqrt(covariance[0, 0])
    assert k["standard_error"] == pytest.approx(error, rel=1e-4), "of the parameter, not of its logarithm"
    low, high = k["interval"]
    assert low * high == pytest.approx(p[0] ** 2, rel=1e-9), "symmetric in the logarithm"
    _, a = checked(env.with_frozen(["a"]))["parameters"]
    assert (a["frozen"], a["standard_error"], a["interval"]) == (True, None, None)


def test_parameters_that_the_data_do_not_determine_have_no_errors():
    model = Model.from_text("par k=.45, a=1, b=2\nx'=-k*x\ninit x=a+b\n", "decay")
    k, a, b = checked(problem(model=model))["parameters"]
    assert k["standard_error"] is not None
    assert [each["standard_error"] for each in (a, b)] == [each["interval"] for each in (a, b)] == [None, None]


def test_residuals():
    rows = checked(problem())["residuals"]
    assert [row["time"] for row in rows] == TIMES.tolist()
    assert [row["observed"] for row in rows] == VALUES.tolist()
    assert [row["computed"] for row in rows] == pytest.approx(decay(TIMES, 0.5, 3.0).tolist(), rel=1e-4)
    assert all(row["residual"] == row["weight"] * (row["computed"] - row["observed"]) for row in rows)


def test_curves_are_given_where_they_are_asked_for():
    env = problem().with_samples(Samples(np.linspace(0.0, 2.0, 5), uniform=True))
    assert checked(env)["curves"] is None
    found = checked(env, curves=True)
    assert found["curves"]["time"] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert found["curves"]["variables"]["x"] == pytest.approx(decay(np.linspace(0, 2, 5), 0.5, 3).tolist(), rel=1e-4)
    assert len(found["residuals"]) == 8, "the observations are looked at whatever the sample times are"


def test_without_data_and_without_parameters():
    found = checked(Environment.of(DECAY), curves=True)
    assert (found["data"], found["verdict"], found["sum_of_squares"], found["residuals"]) == (None, None, None, [])
    assert [each["value"] for each in found["parameters"]] == [0.5, 3.0]
    assert checked(Environment.of(Model.from_text("x'=-x\ninit x=1\n", "bare")))["parameters"] == []


def test_where_the_equations_cannot_be_integrated():
    model = Model.from_text("par k=1, a=1\nx'=k*x*x\ninit x=a\n", "explosion")
    found = checked(problem(model=model), curves=True)
    assert (found["sum_of_squares"], found["residuals"], found["verdict"]["code"]) == (None, [], "not_integrable")
    assert all(each["standard_error"] is None for each in found["parameters"])


def test_files_and_their_checksums(tmp_path):
    model, data = tmp_path / "decay.ode", tmp_path / "d.csv"
    checksums = {str(model): "a" * 64, str(data): "b" * 64, str(tmp_path / "other" / "decay.ode"): "c" * 64}
    observed = make_observations(TIMES, ["x"], VALUES[:, np.newaxis], source=str(data), labels={"x": "x [mg/L]"})
    found = checked(Environment.of(DECAY, observed, folder=str(tmp_path)), checksums=checksums)
    assert (found["model"]["file"], found["model"]["sha256"]) == (str(model), "a" * 64)
    assert (found["data"]["file"], found["data"]["sha256"]) == (str(data), "b" * 64)
    assert found["data"]["variables"] == [{"name": "x", "label": "x [mg/L]"}]
    bare = checked(Environment.of(DECAY, observed))
    assert bare["model"]["file"] is None
    assert bare["model"]["sha256"] == sha256(DECAY.source.encode()).hexdigest()
    assert bare["data"]["sha256"] is None


def test_the_schema_is_installed_with_the_program():
    import parfit.export

    assert (Path(parfit.export.__file__).parent / "schema.json").is_file()
    assert "schema.json" in (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text()
