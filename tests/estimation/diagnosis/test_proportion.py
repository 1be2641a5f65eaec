"""Data that are out of all proportion to the solution, as mixed up units make them."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.model.model import Model

T = np.linspace(0.5, 4.0, 8)
X = 2.0 * np.exp(-0.7 * T) + 0.02 * np.cos(9 * T)


def session_with(begin, factor):
    model = Model.from_text("par k=.5, a=1\nx'=-k*x\nx(0)=a\naux y=x\n", "decay")
    return begin(model, make_observations(T, ["y"], factor * X[:, np.newaxis]))


@pytest.mark.parametrize("factor", [1e9, 1e12])
def test_a_question_about_units_is_asked_where_no_change_counts(begin, factor):
    session = session_with(begin, factor)
    said = " ".join(session("STATS").split())
    assert "Are both in the same units?" in said
    assert "do not see" not in said
    told = float(said.split("those of y about ")[1].split()[0])
    assert told == pytest.approx(factor * np.linalg.norm(X) / np.linalg.norm(np.exp(-0.5 * T)), rel=0.5)


def test_nothing_is_asked_where_the_parameters_can_still_make_up_for_it(begin):
    session = session_with(begin, 1e3)
    assert "units" not in session("STATS")
    assert "CONVERGED: this is a minimum" in session("FIT")
    assert session.env.values[1] == pytest.approx(2e3, rel=0.1)
