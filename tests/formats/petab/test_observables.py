"""Noise of observables against closed forms: by their own names, and by parameters that are called like it."""

import math

import pytest
from petab_tables import FIRST, exchanged, normal, problem

from parfit.errors import ParfitError
from parfit.export.summary import summary
from parfit.model.textfile import file_bytes
from parfit.session.adoption import read_environment

PARAMETERS = ("parameterId|parameterScale|lowerBound|upperBound|nominalValue|estimate", "k1|log10|1e-3|9|0.8|1")
OBSERVABLES = "observableId|observableFormula|noiseFormula"
MEASUREMENTS = "observableId|simulationConditionId|time|measurement|observableParameters|noiseParameters"


def told(path):
    env = read_environment(str(path), file_bytes)
    found = summary(env)
    return env, (found["chi2"], found["log_likelihood"])


def test_noise_may_name_observables(tmp_path):
    """The own one, filled as the row says, and another one, which means its formula."""
    path = problem(
        tmp_path,
        FIRST,
        parameters=[*PARAMETERS, "sd|lin|0|9|0.2|1"],
        conditions=["conditionId", "c"],
        observables=[
            OBSERVABLES,
            "oa|observableParameter1_oa*A|noiseParameter1_oa + noiseParameter2_oa*oa",
            "ob|2*B|0.1*ob + sd",
            "oc|A + B|0.3*ob",
        ],
        measurements=[MEASUREMENTS, "oa|c|1|1|2|sd;0.1", "oa|c|1|1|3|0.4;sd", "ob|c|1|0.7||", "oc|c|1|1||"],
    )
    a, b = exchanged(1.0, 1.0, 0.2, 0.8, 0.6)
    rows = [normal(1, 2 * a, 0.2 + 0.1 * 2 * a), normal(1, 3 * a, 0.4 + 0.2 * 3 * a)]
    rows += [normal(0.7, 2 * b, 0.2 * b + 0.2), normal(1, a + b, 0.6 * b)]
    assert told(path)[1] == pytest.approx([math.fsum(each) for each in zip(*rows, strict=True)], rel=1e-5)


def test_what_measurements_fill_is_not_known_to_others(tmp_path):
    path = problem(
        tmp_path,
        FIRST,
        parameters=PARAMETERS,
        conditions=["conditionId", "c"],
        observables=[OBSERVABLES, "oa|observableParameter1_oa*A|1", "ob|B|oa"],
        measurements=[MEASUREMENTS, "oa|c|1|1|2|", "ob|c|1|1||"],
    )
    with pytest.raises(ParfitError, match=r"measurements\.tsv:3: oa is neither in the model"):
        told(path)


def test_a_placeholder_of_a_huge_number_is_none(tmp_path):
    """All that come before it would fill the memory."""
    path = problem(
        tmp_path,
        FIRST,
        parameters=PARAMETERS,
        conditions=["conditionId", "c"],
        observables=[OBSERVABLES, "oa|observableParameter99999999999_oa*A|1"],
        measurements=[MEASUREMENTS, "oa|c|1|1||"],
    )
    with pytest.raises(ParfitError, match="observableParameter99999999999_oa"):
        told(path)


@pytest.mark.parametrize("formula", ["noiseParameter1_oa", "2*noiseParameter1_oa", "sd_oa", "sd_oa + 0*k1"])
def test_a_parameter_may_be_called_like_the_noise(tmp_path, formula):
    given = "sd_oa" if "1_oa" in formula else ""
    path = problem(
        tmp_path,
        FIRST,
        parameters=[*PARAMETERS, "sd_oa|log10|1e-3|9|0.25|1"],
        conditions=["conditionId", "c"],
        observables=[OBSERVABLES, f"oa|A|{formula}"],
        measurements=[MEASUREMENTS, f"oa|c|1|1||{given}"],
    )
    env, found = told(path)
    a, _ = exchanged(1.0, 1.0, 0.2, 0.8, 0.6)
    assert found == pytest.approx(normal(1, a, 0.5 if formula.startswith("2") else 0.25), rel=1e-4)
    assert env.model.parameters == ("k1", "sd_oa")
    assert not [each for each in env.model.remarks if "ignored" in each]


def test_what_has_no_logarithm_is_told_with_its_line(tmp_path):
    path = problem(
        tmp_path,
        FIRST,
        parameters=PARAMETERS,
        conditions=["conditionId", "c"],
        observables=[f"{OBSERVABLES}|observableTransformation", "oa|A|1|log10"],
        measurements=[MEASUREMENTS, "oa|c|1|1||", "oa|c|2|0||"],
    )
    with pytest.raises(ParfitError, match=r"measurements\.tsv:3: measurement is 0, but the errors of oa"):
        told(path)
