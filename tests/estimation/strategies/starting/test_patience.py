"""How long a search goes on: what is less certain takes longer, and some of it is never believed."""

from itertools import pairwise

import numpy as np
import pytest
from coldstarts import ACCURATE

from parfit.data.observations import make_observations
from parfit.estimation.strategies.fit import fit
from parfit.estimation.strategies.starting.auto import Request, auto
from parfit.estimation.strategies.starting.patience import (
    EXPLAINED,
    HARDLY,
    LOOSE,
    NEVER,
    UNEXPLAINED,
    Explanation,
    patience,
)
from parfit.model.model import Model
from parfit.session.environment import Environment
from parfit.simulation.simulator import Simulator


def test_what_is_less_certain_takes_longer():
    well, hardly, poorly = (
        Explanation(*each) for each in [(True, True, True), (False, True, True), (False, False, True)]
    )
    valley = patience(well, False, False)
    sharp = [patience(each, True, False) for each in (well, hardly, poorly, Explanation())]
    order = [*sharp[:2], valley, *sharp[2:]]
    assert order == [EXPLAINED, HARDLY, LOOSE, UNEXPLAINED, NEVER]
    assert patience(well, True, has_turned=True) is UNEXPLAINED
    assert patience(well, False, has_turned=True) is NEVER
    assert patience(hardly, False, False) is NEVER
    assert patience(poorly, False, False) is NEVER
    for less, more in pairwise(order):
        assert less.ways < more.ways
        assert less.agreeing <= more.agreeing
        assert less.since < more.since


@pytest.mark.parametrize(
    ("n", "of", "is_agreed"), [(14, 50, False), (15, 120, True), (15, 121, False), (20, 150, True)]
)
def test_so_many_of_all_ways_must_agree(n, of, is_agreed):
    assert UNEXPLAINED.is_agreed(n, of) is is_agreed


def observed(text, names, last, n, error, seed):
    """An environment at the values that the data, with errors, were made with."""
    model = Model.from_text(f"{text}@ t0=0\n")
    times = np.linspace(last / n, last, n)
    run = Simulator(model, np.append(0.0, times), ACCURATE)(model.values)
    exact = np.column_stack([run.column(each)[1:] for each in names])
    rng = np.random.default_rng(seed)
    values = exact + error * exact.std(axis=0) * rng.normal(size=exact.shape)
    return Environment.of(model, make_observations(times, names, values))


def test_a_valley_without_an_end_far_from_the_answer_is_not_believed():
    """All parameters begin too small by twelve decades, and only their ratio is seen where the searches end."""
    true = observed("par vm=4e12, km=8e11, s0=5e12\ns'=-vm*s/(km+s)\ns(0)=s0\n", ["s"], 3.0, 20, 0.02, 1)
    found = auto(true.with_values(np.ones(3)), Request(1.0))
    assert found.env.sum_of_squares > 1.01 * fit(true).total
    assert not found.is_believed
