"""What Python and other programs are told names no commands of the conversation."""

import json
import re

import numpy as np
import pytest

import parfit
from parfit.commands import TABLE
from parfit.text.observations import beginnings, sizes

COMMANDS = {command.name for command in TABLE.commands}
T = np.linspace(0.5, 5, 10)
X = np.exp(-0.5 * T) + 0.01 * np.cos(9 * T)
CASES = {
    "sizes": ("par k=1\nx'=-k*x\ny'=k*x\nx(0)=1e6\ny(0)=0\naux z=y*1e-9", {"x": 1e6 * X, "z": 1e-3 * X}, 0.0),
    "not determined": ("par k=1, j=2\nx'=-(k+j)*x\nx(0)=1", {"x": X}, 0.0),
    "switch": ("par k=1, s=2.2\nx'=-k*x*heav(t-s)\nx(0)=1", {"x": np.where(T < 3, 1, X)}, 0.0),
    "no beginning": ("par k=1\nx'=k-x\ny'=x", {"x": X}, 1900.0),
}


def named(text):
    return set(re.findall(r"\b[A-Z]{3,}\b", text)) & COMMANDS


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def problem(request):
    text, data, first = CASES[request.param]
    return parfit.load(parfit.Model.from_text(text, "case"), {"t": first + T, **data})


@pytest.mark.parametrize("n", [1, 50])
def test_results_name_no_commands(problem, n):
    fit = problem.fit(max_evaluations=n)
    found = fit.to_dict()
    assert found["fits"]
    assert named(json.dumps(found)) == set()
    assert (
        named("\n".join([repr(problem), repr(fit), fit.sentence, fit._repr_html_(), repr(fit.problem.stats())]))
        == set()
    )


def test_remarks_name_no_commands(problem):
    assert named("\n".join(problem.remarks)) == set()
    told = [*beginnings(problem.environment), *sizes(problem.environment)]
    assert [each.fact for each in told] == [each for each in problem.remarks if each not in problem.model.remarks]
    assert all(each.startswith(each.fact) for each in told)


def test_the_conversation_is_told_what_to_do():
    text, data, first = CASES["no beginning"]
    problem = parfit.load(parfit.Model.from_text(text, "case"), {"t": first + T, **data})
    assert named("\n".join(beginnings(problem.environment))) == {"INIT", "MODEL"}
