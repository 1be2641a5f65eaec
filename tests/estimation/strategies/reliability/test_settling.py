"""The minimum that profiles and bootstraps stand on."""

import numpy as np
import pytest

from parfit.data.observations import make_observations
from parfit.errors import NumericalError, StateError
from parfit.estimation.strategies.reliability.settling import present_total, require_fit, settled
from parfit.model.model import Model
from parfit.session.environment import Environment

X, Y = np.arange(5.0), np.array([1.0, 2.9, 5.2, 6.8, 9.1])


def line(text="par a=1, b=2\ny'=b\ninit y=a\ndone"):
    return Environment.of(Model.from_text(text), make_observations(X, ["y"], Y[:, np.newaxis]))


def test_it_is_that_of_linear_algebra():
    design = np.column_stack((np.ones_like(X), X))
    estimate, squares, *_ = np.linalg.lstsq(design, Y)
    found = settled(line())
    assert found.env.values == pytest.approx(estimate, rel=1e-6)
    assert found.at.sum_of_squares == pytest.approx(squares[0])
    assert found.integrated().integrated is not None
    assert present_total(line(), "profile") == pytest.approx(float(((1.0 + 2.0 * X - Y) ** 2).sum()))


def test_who_is_there_stays():
    env = settled(line()).env
    assert settled(env).env is env


def test_what_cannot_be_is_refused():
    with pytest.raises(NumericalError, match="no profile"):
        present_total(line("par a=1, b=2\ny'=1/(b-2)\ninit y=a\ndone"), "profile")
    with pytest.raises(StateError, match="HUBER"):
        require_fit(line().with_loss("HUBER"), "profiles")
