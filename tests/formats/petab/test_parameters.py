"""The table of parameters: what follows where none of them is to be estimated."""

import pytest
from petab_tables import exchanged, normal, problem

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
