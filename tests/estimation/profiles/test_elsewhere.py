"""A limit in one valley while F is lower in another: against the lowest F on a fine mesh."""

import numpy as np
import pytest
from crews import Memory
from scipy.optimize import brentq

from parfit.data.observations import make_observations
from parfit.estimation.profiles import elsewhere
from parfit.estimation.profiles.walk import End
from parfit.estimation.strategies.reliability.profile import profile
from parfit.estimation.strategies.reliability.wanted import Request, Wanted
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.session.records import Options
from parfit.simulation.method import Method

# q is near -1 or near 1; at -1 it costs nothing, but at 1 p is seen only half as well.
TEXT = "par p=1.2, q=-.9\ns'=0\naux u=(p-1)*(1-.3*q)/1.3\naux w=1.5*(q^2-1)\naux v=.5*(q+1)\ndone"
LIMIT = 3.841458820694124  # of chi-square, 95 %
MESH = np.linspace(-2.0, 2.0, 4001)


@pytest.fixture
def valleys():
    data = make_observations(np.array([1.0]), ["u", "w", "v"], np.zeros((1, 3)), 1.0, np.ones((1, 3)))
    return Environment.of(Model.from_text(TEXT), data, options=Options(method=Method(eps=1e-10)))


def lowest(p, q=MESH):
    total = ((p - 1.0) * (1.0 - 0.3 * q) / 1.3) ** 2 + (1.5 * (q * q - 1.0)) ** 2 + (0.5 * (q + 1.0)) ** 2
    return float(total.min())


def test_the_end_of_another_profile_leads_into_a_lower_valley(valleys):
    p, q = profile(valleys, Request()).profiles
    high = brentq(lambda value: lowest(value) - LIMIT, 1.0, 10.0)
    stuck = brentq(lambda value: lowest(value, MESH[MESH < 0.0]) - LIMIT, 1.0, 10.0)
    assert stuck < 0.8 * high
    assert p.limits == pytest.approx((2.0 - high, high), rel=1e-4)
    assert (p.lower.end, p.upper.end) == (End.LIMIT, End.LIMIT)
    assert p.rises[[0, -1]] == pytest.approx(1.0, abs=1e-4)
    assert (np.diff(p.values) > 0.0).all()
    for value, rise in zip(p.values, p.rises, strict=True):
        assert rise * LIMIT >= lowest(value) - 1e-3
    assert q.finding is p.finding


def test_who_asks_for_one_alone_is_told_the_same(valleys):
    every = profile(valleys, Request()).profiles
    for expected in every:
        (found,) = profile(valleys, Request(wanted=(Wanted(expected.name),))).profiles
        assert found.limits == expected.limits
        assert np.array_equal(found.rises, expected.rises)


def test_what_was_looked_at_is_kept(valleys, monkeypatch):
    kept = Memory()
    first = profile(valleys, Request(), kept=kept).profiles

    def never(*args):
        raise AssertionError("it is known")

    monkeypatch.setattr(elsewhere.Held, "corrected", never)
    again = profile(valleys, Request(), kept=kept).profiles
    assert [each.limits for each in again] == [each.limits for each in first]


def test_nobody_looks_again_where_the_linear_theory_holds(monkeypatch):
    """A straight line."""
    data = make_observations(np.arange(5.0), ["y"], np.array([[1.0], [2.9], [5.1], [7.2], [8.8]]))
    env = Environment.of(Model.from_text("par a=1, b=2\ny'=b\ninit y=a\ndone"), data)

    def never(*args):
        raise AssertionError("nothing is doubtful")

    monkeypatch.setattr(elsewhere, "_reached", never)
    assert len(profile(env, Request()).profiles) == 2


def test_one_looks_from_the_most_doubtful_ends_of_other_profiles():
    assert elsewhere.ends_for(2, {0: 3.0, 1: 0.0, 2: 5.0, 3: 9.0, 4: 1.5, 5: 4.0, 6: 2.0}) == [5, 0, 6]
