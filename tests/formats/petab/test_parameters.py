"""The table of parameters: priors within bounds, and what follows where none of them is to be estimated."""

import pytest
from petab_tables import exchanged, normal, problem

from parfit.errors import ParfitError
from parfit.export.summary import summary
from parfit.model.textfile import file_bytes
from parfit.session.adoption import read_environment


def test_a_problem_in_which_nothing_is_estimated_has_a_likelihood(tmp_path):
    path = problem(
        tmp_path,
        parameters=["parameterId|lowerBound|upperBound|nominalValue|estimate", "k1|||0.5|false", "k2|0|.1|0.6|false"],
        observables=["observableId|observableFormula|noiseFormula", "oa|A|0.3"],
        measurements=["observableId|time|measurement", "oa|1|0.5"],
    )
    env = read_environment(str(path), file_bytes)
    found = summary(env)
    expected = normal(0.5, exchanged(1.0, 1.0, 0.2, 0.5, 0.6)[0], 0.3)
    assert (found["chi2"], found["log_likelihood"]) == pytest.approx(expected, rel=1e-5)
    assert any("no parameter is to be estimated" in each for each in env.model.remarks)


def with_priors(folder):
    path = problem(
        folder,
        parameters=[
            "parameterId|lowerBound|upperBound|nominalValue|estimate|priorDistribution|priorParameters",
            "k1|0|1|0.5|true|normal|2;0.5",
            "k2|0|5|0.6|true|uniform|-1;2",
            "u|0.01|5|1|true|log-uniform|0.1;9",
        ],
        observables=["observableId|observableFormula|noiseFormula", "oa|A|0.3"],
        measurements=["observableId|time|measurement", *(f"oa|{t}|0.5" for t in (1, 2, 3, 4))],
    )
    return read_environment(str(path), file_bytes)


def test_uniform_priors_and_bounds_both_hold(tmp_path):
    env = with_priors(tmp_path)
    assert env.parameters.lower == pytest.approx([0.0, 0.0, 0.1])
    assert env.parameters.upper == pytest.approx([1.0, 2.0, 5.0])


def test_bounds_may_cut_off_the_largest_value_of_a_prior(tmp_path):
    """It pulls against the bound, and what is said of others does not ask for it again."""
    env = with_priors(tmp_path)
    assert env.parameters.upper[0] < env.noise.priors["k1"].center
    upper = env.parameters.upper.copy()
    upper[1] = 1.5
    env = env.with_bounds(env.parameters.lower, upper)
    assert env.with_noise(env.noise.with_prior("u", None)).noise.priors.keys() == {"k1", "k2"}
    upper[0] = 0.9
    with pytest.raises(ParfitError, match="the prior of k1"):
        env.with_bounds(env.parameters.lower, upper)


def test_a_parameter_that_occurs_nowhere_is_told(tmp_path):
    """A slip in its name would otherwise be met by a fit that cannot move it; those of formulas are no slips."""
    path = problem(
        tmp_path,
        parameters=[
            "parameterId|lowerBound|upperBound|nominalValue|estimate",
            *(f"{name}|0|5|0.6|true" for name in ("k1", "k22", "scale", "sigma")),
        ],
        observables=["observableId|observableFormula|noiseFormula", "oa|scale*A|sigma"],
        measurements=["observableId|time|measurement", "oa|1|0.5"],
    )
    told = [each for each in read_environment(str(path), file_bytes).model.remarks if "no equation" in each]
    assert told == ["k22 is in the table of parameters, but in no equation and no formula"]
